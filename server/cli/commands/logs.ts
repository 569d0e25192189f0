// `svcctl logs`: the log lines of a task or an agent; with -f, as they come until the task has ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandSetup } from '../command-setup.ts';
import { usageError } from '../exit-codes.ts';
import { followTrace, getTask, isTerminalTask } from '../follow-trace.ts';
import type { Connection, Invocation } from '../invocation.ts';
import { objectFromWord } from '../kind-arguments.ts';
import { untilInterrupted } from '../until-interrupted.ts';

/** How often an agent's logs, which have no stream, are asked for. */
const AGENT_POLL_MS = 1_000;

export const setupLogs: CommandSetup = (command, run) => {
  command
    .argument('<object>', 'task/NAME, agent/NAME, or the name of a task')
    .option('-f, --follow', 'go on printing until the task has ended, or Ctrl-C')
    .action((word, options) => run((invocation) => logs(invocation, word, options.follow === true)));
};

interface LogsBody {
  readonly logs: readonly string[];
  readonly continue?: string;
}

/** Remembers how far a log was read; each call prints what came since. */
function logReader(connection: Connection, path: string): () => Promise<readonly string[]> {
  let after: string | undefined;
  let seenOfPage = 0;
  return async () => {
    const lines: string[] = [];
    for (;;) {
      const { body } = await connection.client.send<LogsBody>({ method: 'GET', path, query: { namespace: connection.namespace, after } });
      lines.push(...body.logs.slice(seenOfPage));
      seenOfPage = body.continue ? 0 : body.logs.length;
      if (!body.continue) return lines;
      after = body.continue;
    }
  };
}

async function logs(invocation: Invocation, word: string, follow: boolean): Promise<void> {
  const { kind, name } = word.includes('/') ? objectFromWord(word) : objectFromWord(`task/${word}`);
  if (kind.kind !== 'Task' && kind.kind !== 'Agent') throw usageError(`${kind.plural} have no logs`, 'use task/NAME or agent/NAME');
  const connection = await invocation.connect();
  const read = logReader(connection, `/v1/${kind.plural}/${encodeURIComponent(name)}/logs`);
  const print = async () => invocation.out(...(await read()));
  await print();
  if (!follow) return;
  await untilInterrupted(invocation.terminal, async (signal) => {
    if (kind.kind === 'Agent') return pollForever(print, signal);
    const key = { namespace: connection.namespace, name };
    if (isTerminalTask(await getTask(connection.client, key, signal))) return;
    for await (const _entry of followTrace(connection.client, key, signal)) await print();
    await print();
  });
}

async function pollForever(print: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(AGENT_POLL_MS, undefined, { signal });
    await print();
  }
}
