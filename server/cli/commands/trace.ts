// `svcctl trace`: what a task did, as a tree of branches and agents with durations.
import type { CommandSetup } from '../command-setup.ts';
import { getTask, isTerminalTask, taskPath, type TaskKey } from '../follow-trace.ts';
import type { Invocation } from '../invocation.ts';
import { outcomeLines } from '../output/run-progress.ts';
import { decideCommand } from '../output/step-view.ts';
import { openApprovals, traceTree } from '../output/trace-tree.ts';
import type { ApiClient } from '../client.ts';
import { programIn } from '../task-runs.ts';
import { taskNameFromWord } from '../task-argument.ts';
import type { TraceEntry } from '../trace-entry.ts';

export const setupTrace: CommandSetup = (command, run) => {
  command.argument('<task>', 'name of the task').action((word) => run((invocation) => trace(invocation, taskNameFromWord(word))));
};

/** Every entry, page by page. */
export async function readTrace(client: ApiClient, key: TaskKey): Promise<TraceEntry[]> {
  const entries: TraceEntry[] = [];
  let after: string | undefined;
  do {
    const path = taskPath(key, 'trace');
    const { body } = await client.send<{ items: readonly TraceEntry[]; continue?: string }>({
      method: 'GET',
      path,
      query: { namespace: key.namespace, after },
    });
    entries.push(...body.items);
    after = body.continue || undefined;
  } while (after !== undefined);
  return entries;
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
