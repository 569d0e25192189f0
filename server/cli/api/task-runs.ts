// Running a Task and following it to its end: progress on stderr, the output on stdout, the exit code after the result.
import { statusOf } from '@svc/shared/kinds/read';
import { runOutput } from '@svc/shared/kinds/task/run-output';
import { API_VERSION, DEFAULT_NAMESPACE, phaseOf, type Resource } from '@svc/shared/resource';
import { CliError, EXIT } from '../program/exit-codes.ts';
import { followRun, getTask, isTerminalTask, taskPath, type TaskKey } from './follow-trace.ts';
import type { Invocation } from '../program/invocation.ts';
import { createLiveTextView } from '../output/live-text.ts';
import { createProgress, outcomeLines } from '../output/run-progress.ts';
import { resourceYaml } from '../output/resources.ts';
import { generatedName } from '../arguments/generated-name.ts';
import { kindFromWord } from '../arguments/kind-arguments.ts';
import { createObject } from './resource-api.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { timeLimit } from '../../clock.ts';

export const isTask = ({ kind }: { readonly kind?: string | undefined }): boolean => kind === 'Task';

export interface FollowOptions {
  /** Effect of Ctrl-C: cancel the run, or leave it running (the default). */
  readonly cancelOnInterrupt?: boolean | undefined;
  /** Print no steps, and the outcome only when the run failed. */
  readonly quiet?: boolean | undefined;
  /** Longest wait for the end, in milliseconds. */
  readonly timeout?: number | undefined;
}

interface NewTask {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Creates a Task; the name must be new. */
export async function createTask(invocation: Invocation, { namespace, name }: TaskKey, { spec, labels = {} }: NewTask): Promise<Resource> {
  const { client } = await invocation.connect();
  const body = { apiVersion: API_VERSION, kind: 'Task', metadata: { name, namespace, labels }, spec };
  return createObject(client, { kind: kindFromWord('task'), namespace, name }, { body, taken: 'choose another --name' });
}

/** A fresh run of a Task that is already there, or of a template. */
export async function runAgain(invocation: Invocation, like: TaskKey, spec: Readonly<Record<string, unknown>>): Promise<TaskKey> {
  const key = { namespace: like.namespace, name: generatedName(like.name) };
  await createTask(invocation, key, { spec: { ...spec, mode: 'run' } });
  return key;
}

/** The final answer of a run. */
function lastOutput(task: Resource): string {
  return runOutput(statusOf('Task', task).output).answer ?? '';
}

/** How svcctl is called from this shell for the namespace in force. */
export async function programIn(invocation: Invocation): Promise<string> {
  const { namespace } = await invocation.connect();
  const { program } = invocation.terminal;
  return namespace === DEFAULT_NAMESPACE ? program : `${program} -n ${namespace}`;
}

/** Follows a run, prints its steps and its result, and answers with the exit code. */
export async function followToEnd(invocation: Invocation, key: TaskKey, options: FollowOptions): Promise<number> {
  const { client } = await invocation.connect();
  const format = invocation.format(['table', 'json', 'yaml', 'name']);
  const progress = createProgress(
    invocation.errorStyle,
    invocation.terminal.stderr.columns ?? Number.POSITIVE_INFINITY,
    await programIn(invocation),
  );
  const show = (lines: readonly string[]) => (options.quiet ? undefined : invocation.note(...lines));
  show(progress.open(`task/${key.name}`));
  // For people at a terminal alone: files and scripts get the same lines as ever.
  const { stderr } = invocation.terminal;
  const live = stderr.isTTY && !options.quiet ? createLiveTextView(stderr, invocation.errorStyle) : undefined;
  const showStep = (lines: readonly string[]) => {
    if (lines.length > 0) live?.endParagraph();
    show(lines);
  };
  let task: Resource | undefined;
  const deadline = options.timeout === undefined ? undefined : timeLimit(options.timeout);
  const interrupted = await untilInterrupted(invocation.terminal, async (interrupt) => {
    const signal = deadline ? AbortSignal.any([interrupt, deadline]) : interrupt;
    const onLost = (error: Error) => {
      live?.endParagraph();
      if (!options.quiet) invocation.warn(`${error.message}; reconnecting`);
    };
    const follow = { signal, onLost, ...(live && { onText: live.show }) };
    for await (const entry of followRun(client, key, follow)) showStep(progress.step(live?.endCall(entry) ?? entry));
    if (!signal.aborted) task = await getTask(client, key, interrupt);
  });
  live?.endParagraph();
  if (deadline?.aborted && !interrupted && !task)
    throw new CliError(`timed out waiting for task/${key.name}; it continues`, {
      exitCode: EXIT.timedOut,
      hint: await onwards(invocation, key),
    });
  if (interrupted || !task || !isTerminalTask(task)) return afterInterrupt(invocation, key, options);
  const succeeded = phaseOf(task) === 'Succeeded';
  if (!options.quiet || !succeeded) invocation.note(...outcomeLines(task, invocation.errorStyle, invocation.terminal.stderr.columns));
  if (format === 'json') invocation.out(JSON.stringify(task, null, 2));
  else if (format === 'yaml') invocation.out(resourceYaml(task));
  else if (format === 'name') invocation.out(`task/${key.name}`);
  else if (succeeded && lastOutput(task)) invocation.out(lastOutput(task));
  return succeeded ? EXIT.ok : EXIT.failed;
}

async function onwards(invocation: Invocation, key: TaskKey): Promise<string> {
  const program = await programIn(invocation);
  return `follow it with "${program} logs -f task/${key.name}", end it with "${program} cancel ${key.name}"`;
}

async function afterInterrupt(invocation: Invocation, key: TaskKey, options: FollowOptions): Promise<number> {
  if (options.cancelOnInterrupt) {
    const { client } = await invocation.connect();
    const path = taskPath(key, 'cancel');
    await client.send({ method: 'POST', path, query: { namespace: key.namespace }, body: { reason: 'interrupted' } });
    invocation.note('', `task/${key.name} cancelled.`);
    return EXIT.interrupted;
  }
  const hint = invocation.errorStyle.accent('hint:');
  invocation.note('', `Detached; task/${key.name} continues.`, `${hint} ${await onwards(invocation, key)}`);
  return EXIT.interrupted;
}
