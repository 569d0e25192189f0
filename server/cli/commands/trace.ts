// `svcctl trace`: steps of a task, as a tree of branches and agents with durations; with -f, one line per step as it comes.
import type { CommandSetup } from '../program/command-setup.ts';
import { followRun, getTask, isTerminalTask, taskPath, type TaskKey } from '../api/follow-trace.ts';
import { everyPage } from '../api/resource-api.ts';
import type { Invocation } from '../program/invocation.ts';
import { createLiveTextView, LIVE_OPTIONS, liveTextWanted } from '../output/live-text.ts';
import { createProgress, outcomeLines } from '../output/run-progress.ts';
import { decideCommand } from '../output/step-view.ts';
import { openApprovals, traceTree } from '../output/trace-tree.ts';
import type { ApiClient } from '../api/client.ts';
import { programIn } from '../api/task-runs.ts';
import { taskNameFromWord } from '../arguments/named-argument.ts';
import type { TraceEntry } from '../api/trace-entry.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';

export const setupTrace: CommandSetup = (command, run) => {
  command
    .argument('<task>', 'name of the task')
    .option('-f, --follow', 'print each step as it comes, until the task has ended, or Ctrl-C')
    .option(...LIVE_OPTIONS.on)
    .option(...LIVE_OPTIONS.off)
    .action((word, options) =>
      run((invocation) =>
        options.follow ? follow(invocation, taskNameFromWord(word), options) : trace(invocation, taskNameFromWord(word)),
      ),
    );
};

/** Every entry, page by page. */
export async function readTrace(client: ApiClient, key: TaskKey): Promise<TraceEntry[]> {
  return everyPage(client, taskPath(key, 'trace'), { namespace: key.namespace });
}

async function trace(invocation: Invocation, name: string): Promise<void> {
  const format = invocation.format(['table', 'wide', 'json']);
  const { client, namespace } = await invocation.connect();
  const key = { namespace, name };
  const [task, entries] = await Promise.all([getTask(client, key), readTrace(client, key)]);
  if (format === 'json') return invocation.out(JSON.stringify(entries, null, 2));
  const columns = format === 'wide' ? Number.POSITIVE_INFINITY : (invocation.terminal.stdout.columns ?? Number.POSITIVE_INFINITY);
  const [headline = '', ...reasons] = outcomeLines(
    task,
    invocation.style,
    format === 'wide' ? undefined : invocation.terminal.stdout.columns,
  );
  invocation.out(
    `${invocation.style.bold(`task/${name}`)}  ${headline}`,
    ...reasons,
    ...traceTree(entries, { style: invocation.style, columns }),
  );
  if (isTerminalTask(task)) return;
  for (const waiting of openApprovals(entries))
    invocation.note(`Waits for a person: ${await programIn(invocation)} ${decideCommand(waiting)}`);
}

async function follow(invocation: Invocation, name: string, options: { readonly live?: boolean | undefined }): Promise<void> {
  const format = invocation.format(['table', 'wide', 'json']);
  const { client, namespace } = await invocation.connect();
  const key = { namespace, name };
  // Only a server that has answered is waited for.
  await getTask(client, key);
  const { stdout } = invocation.terminal;
  const columns = format === 'wide' ? Number.POSITIVE_INFINITY : (stdout.columns ?? Number.POSITIVE_INFINITY);
  const progress = createProgress(invocation.style, columns, await programIn(invocation));
  const text = format !== 'json' && liveTextWanted(options, stdout) ? createLiveTextView(stdout, invocation.style) : undefined;
  const linesOf = (entry: TraceEntry) => (format === 'json' ? [JSON.stringify(entry)] : progress.step(text?.endCall(entry) ?? entry));
  await untilInterrupted(invocation.terminal, async (signal) => {
    const onLost = (error: Error) => {
      text?.endParagraph();
      invocation.warn(`${error.message}; reconnecting`);
    };
    const following = { signal, onLost, ...(text && { onText: text.show }) };
    for await (const entry of followRun(client, key, following)) {
      const lines = linesOf(entry);
      if (lines.length > 0) text?.endParagraph();
      invocation.out(...lines);
    }
    if (format !== 'json' && !signal.aborted) {
      text?.endParagraph();
      invocation.out(...outcomeLines(await getTask(client, key, signal), invocation.style, stdout.columns));
    }
  });
  text?.endParagraph();
}
