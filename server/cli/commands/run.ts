// `svcctl run`: makes a Task with a name of its own, follows it, prints its output; the exit code follows the result.
import { applyDocuments, readDocuments, resultLine } from '../manifests/apply-manifests.ts';
import { identityOf } from '../manifests/check-manifests.ts';
import { collect, wholeNumber, type CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import type { TaskKey } from '../api/follow-trace.ts';
import { generatedName } from '../arguments/generated-name.ts';
import { inputFromPairs, readInputMap } from '../arguments/input-pairs.ts';
import type { Invocation } from '../program/invocation.ts';
import { kindFromWord } from '../arguments/kind-arguments.ts';
import type { ManifestDocument } from '../manifests/manifest-files.ts';
import { getObject } from '../api/resource-api.ts';
import { printRecord, RECORD_FORMATS } from '../output/one-record.ts';
import { createTask, followToEnd } from '../api/task-runs.ts';
import { mergeTrial, trialOf, type TrialOptions } from '../arguments/trial-options.ts';
import { parseDurationFlag } from '../api/wait-for.ts';

interface RunOptions extends TrialOptions {
  readonly filename?: readonly string[] | undefined;
  readonly input?: readonly string[] | undefined;
  readonly inputFile?: string | undefined;
  readonly name?: string | undefined;
  readonly label?: readonly string[] | undefined;
  readonly priority?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly detach?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  readonly cancelOnInterrupt?: boolean | undefined;
  readonly timeout?: number | undefined;
}

type Spec = Readonly<Record<string, unknown>>;

const parseTurns = wholeNumber(/^\d{1,6}$/);

const parseVersion = wholeNumber(/^[1-9]\d{0,14}$/, ' from 1 on');

export const setupRun: CommandSetup = (command, run) => {
  command
    .argument('[system]', 'the agent system to run')
    .option(
      '-f, --filename <path...>',
      'manifests: the Task in it runs under a new name (or its only AgentSystem); the other objects are applied first',
    )
    .option('-i, --input <key=value>', 'one input value; may be repeated', collect)
    .option('--input-file <path>', 'a YAML or JSON map of input values, or - for standard input')
    .option('--name <name>', 'name of the Task (default: made from the system)')
    .option('--label <key=value>', 'a label of the Task; may be repeated', collect)
    .option('--priority <priority>', 'low, normal, high, critical or a number')
    .option('--max-turns <count>', 'bound of agent turns, required by cyclic systems', parseTurns)
    .option('-d, --detach', 'print the name of the Task and leave it running')
    .option('-q, --quiet', 'print no steps, only the output')
    .option('--cancel-on-interrupt', 'Ctrl-C cancels the run; without it svcctl exits and the run continues')
    .option('--timeout <duration>', 'stop waiting after this time (exit code 6); the run continues', parseDurationFlag)
    .option('--break-before <node>', 'a trial that waits before this agent; may be repeated', collect)
    .option('--break-after <node>', 'a trial that waits after this agent; may be repeated', collect)
    .option('--pin <node=text>', 'a trial in which the text replaces the output of the agent; may be repeated', collect)
    .option('--pin-from <node=task>', 'a trial in which the output of an earlier run replaces that of the agent; may be repeated', collect)
    .option('--only <node[=task]>', 'a trial of only this agent, with the messages of an earlier run if one is named')
    .option('--from <node=task>', 'a trial from this agent on, with the results of an earlier run before it')
    .option('--trial-wait <duration>', 'how long a breakpoint waits (default: 1h)')
    .option('--agent-version <agent=version>', 'a trial with an earlier version of this agent; may be repeated', collect)
    .option('--system-version <version>', 'a trial with an earlier version of the system', parseVersion)
    .option('--agent-model <agent=endpoint>', 'a trial in which the agent uses a different model endpoint; may be repeated', collect)
    .option(
      '--agent-prompt <agent=text>',
      'a trial with another prompt of the agent; may be repeated; @file reads a file, - standard input',
      collect,
    )
    .addHelpText(
      'after',
      '\nSteps go to stderr, the output to stdout.\nExit code 0: Succeeded, 1: Failed or DeadLetter, 6: --timeout has passed,\n130: detached by Ctrl-C.',
    )
    .action((system, options) => run((invocation) => runSystem(invocation, system, options)));
};

async function readInput(invocation: Invocation, options: RunOptions): Promise<Record<string, string>> {
  const given = options.inputFile === undefined ? {} : await readInputMap(invocation.terminal, options.inputFile, true);
  const texts = Object.entries(given).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return { ...Object.fromEntries(texts), ...inputFromPairs(options.input ?? []) };
}

/** Picks the object to run from the manifests: their only Task, else their only AgentSystem. */
function runnable(documents: readonly ManifestDocument[], namespace: string): { key: TaskKey; spec: Spec } {
  const of = (kind: string) => documents.filter((document) => identityOf(document.value, namespace).kind === kind);
  const tasks = of('Task');
  const systems = of('AgentSystem');
  if (tasks.length > 1)
    throw usageError(`there are ${tasks.length} Tasks in it`, (svcctl) => `run them all with "${svcctl} apply --run -f …"`);
  const document = tasks[0] ?? (systems.length === 1 ? systems[0] : undefined);
  if (!document)
    throw usageError('there is no Task in it, and not exactly one AgentSystem', (svcctl) => `name the system: "${svcctl} run SYSTEM"`);
  const identity = identityOf(document.value, namespace);
  return { key: identity, spec: tasks[0] ? ((document.value as { spec?: Spec }).spec ?? {}) : { system: identity.name } };
}

async function fromManifests(invocation: Invocation, paths: readonly string[]): Promise<{ key: TaskKey; spec: Spec }> {
  const documents = await readDocuments(invocation, paths);
  const connection = await invocation.connect();
  const found = runnable(documents, connection.namespace);
  const others = documents.filter((document) => identityOf(document.value, '').kind !== 'Task');
  if (others.length > 0) {
    const results = await applyDocuments(invocation, others, {});
    invocation.note(...results.filter((result) => result.action !== 'unchanged').map((result) => resultLine(result, connection)));
  }
  return found;
}

/** A system that is not there is refused before a Task is made that could only fail. */
async function existingSystem(invocation: Invocation, namespace: string, name: string): Promise<TaskKey> {
  if (name === '' || name.includes('/')) throw usageError(`"${name}" is not a name`, 'choose the namespace with -n');
  const { client } = await invocation.connect();
  await getObject(client, { kind: kindFromWord('agent-system'), namespace, name });
  return { namespace, name };
}

async function runSystem(invocation: Invocation, system: string | undefined, options: RunOptions): Promise<number> {
  if ((system === undefined) === (options.filename === undefined))
    throw usageError('name one agent system, or manifests with -f', (svcctl) => `such as "${svcctl} run SYSTEM"`);
  invocation.format(RECORD_FORMATS);
  const ofOptions = await trialOf(invocation.terminal, options);
  const input = await readInput(invocation, options);
  const labels = inputFromPairs(options.label ?? [], '--label');
  const { namespace } = await invocation.connect();
  const slash = system?.replace(/^(?:agent-?systems?|system)\//i, '');
  const found = options.filename
    ? await fromManifests(invocation, options.filename)
    : { key: await existingSystem(invocation, namespace, slash ?? ''), spec: { system: slash } };
  const key = { namespace: found.key.namespace, name: options.name ?? generatedName(found.key.name) };
  const trial = mergeTrial(found.spec, ofOptions, options.systemVersion);
  const spec = {
    ...found.spec,
    mode: 'run',
    input: { ...(found.spec as { input?: Spec }).input, ...input },
    ...(trial && { trial }),
    ...(options.priority !== undefined && { priority: options.priority }),
    ...(options.maxTurns !== undefined && { max_turns: options.maxTurns }),
  };
  const created = await createTask(invocation, key, { spec, labels });
  if (options.detach) {
    const name = `task/${key.name}`;
    printRecord(invocation, created, { name, table: () => invocation.out(name) });
    return 0;
  }
  return followToEnd(invocation, key, options);
}
