// `svcctl logs`: the log lines of a task, an agent or of all tasks with a label; with -f, as they come until the tasks have ended.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveText } from '@svc/shared/api/runs';
import { kindByName } from '@svc/shared/kinds';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { wholeNumber, type CommandSetup } from '../program/command-setup.ts';
import { usageError } from '../program/exit-codes.ts';
import { followRun, getTask, isTerminalTask, Outage, type OutageOptions } from '../api/follow-trace.ts';
import { agentLogReader, taskLogReader } from '../api/log-reader.ts';
import type { Invocation } from '../program/invocation.ts';
import { objectFromWord, objectWord } from '../arguments/kind-arguments.ts';
import { createLiveTextView, liveTextWanted, LIVE_OPTIONS, type LiveTextView } from '../output/live-text.ts';
import type { ObjectKey } from '../api/resource-api.ts';
import { matchingKeys } from '../arguments/target-keys.ts';
import { untilInterrupted } from '../program/until-interrupted.ts';
import { parseDurationFlag } from '../api/wait-for.ts';

/** How often an agent's logs, which have no stream, are requested. */
const AGENT_POLL_MS = 1_000;
/** Tasks followed at once: each holds a connection. */
const FOLLOWED_MAX = 20;

interface LogsOptions {
  readonly follow?: boolean | undefined;
  readonly selector?: string | undefined;
  readonly tail?: number | undefined;
  readonly since?: number | undefined;
  readonly live?: boolean | undefined;
}

const parseTail = wholeNumber(/^\d{1,9}$/);

export const setupLogs: CommandSetup = (command, run) => {
  command
    .argument('[object]', 'task/NAME, agent/NAME, or the name of a task')
    .option('-f, --follow', 'keep printing until the task has ended, or Ctrl-C')
    .option(...LIVE_OPTIONS.on)
    .option(...LIVE_OPTIONS.off)
    .option('-l, --selector <labels>', 'the tasks whose labels match, each line with its task in front')
    .option('--tail <count>', 'only the last lines of each; 0 for only new lines', parseTail)
    .option('--since <duration>', 'only lines of this last time, such as 10m or 2d', parseDurationFlag)
    .action((word, options) => run((invocation) => logs(invocation, word, options)));
};

async function logs(invocation: Invocation, word: string | undefined, options: LogsOptions): Promise<void> {
  const keys = await keysToRead(invocation, word, options);
  if (options.follow && keys.length > FOLLOWED_MAX)
    throw usageError(`-f follows at most ${FOLLOWED_MAX} tasks, and ${keys.length} match`, 'select fewer with -l');
  const prefixed = options.selector !== undefined;
  const { stdout } = invocation.terminal;
  const text = options.follow && liveTextWanted(options, stdout) ? createLiveTextView(stdout, invocation.style) : undefined;
  const logOf = (key: ObjectKey) => oneLog(invocation, key, { ...options, text, prefix: prefixed ? prefixOf(invocation, key) : '' });
  const followed = await Promise.all(options.follow ? keys.map(logOf) : []);
  if (!options.follow) {
    for (const key of keys) await (await logOf(key)).begin();
    return;
  }
  for (const log of followed) await log.begin();
  await untilInterrupted(invocation.terminal, async (signal) => {
    await Promise.all(followed.map((log) => log.follow(signal)));
  });
  text?.endParagraph();
}

function prefixOf(invocation: Invocation, { kind, namespace, name }: ObjectKey): string {
  const word = objectWord(kind.kind, invocation.allNamespaces ? `${namespace}/${name}` : name);
  return `${invocation.style.accent(`[${word}]`)} `;
}

async function keysToRead(invocation: Invocation, word: string | undefined, { selector }: LogsOptions): Promise<readonly ObjectKey[]> {
  if ((word === undefined) === (selector === undefined)) throw usageError('whose logs?', 'give task/NAME, agent/NAME or -l LABELS');
  if (word !== undefined) {
    const { namespace } = await invocation.connect();
    const { kind, name } = word.includes('/') ? objectFromWord(word) : objectFromWord(`task/${word}`);
    if (kind.kind !== 'Task' && kind.kind !== 'Agent') throw usageError(`${kind.plural} have no logs`, 'use task/NAME or agent/NAME');
    return [{ kind, namespace, name }];
  }
  return matchingKeys(invocation, [kindByName('Task') as KindDefinition], selector);
}

interface Log {
  /** Prints the stored lines. */
  readonly begin: () => Promise<void>;
  readonly follow: (signal: AbortSignal) => Promise<void>;
}

interface OneLogOptions extends LogsOptions {
  readonly prefix: string;
  /** View of live text, shared by all logs that are followed. */
  readonly text: LiveTextView | undefined;
}

async function oneLog(invocation: Invocation, key: ObjectKey, options: OneLogOptions): Promise<Log> {
  const connection = await invocation.connect();
  const read = key.kind.kind === 'Agent' ? agentLogReader(connection.client, key) : taskLogReader(connection.client, key);
  const { prefix, text } = options;
  const print = (lines: readonly string[]) => {
    if (lines.length > 0) text?.endParagraph();
    invocation.list(lines.map((line) => `${prefix}${line}`));
  };
  return {
    begin: async () => {
      const from = options.since === undefined ? undefined : Date.now() - options.since;
      const fresh = (lines: readonly string[]) => (from === undefined ? lines : lines.filter((line) => timeOf(line) >= from));
      const { tail } = options;
      if (tail === undefined) return read((lines) => print(fresh(lines)));
      let last: string[] = [];
      await read((lines) => {
        last = [...last, ...fresh(lines)];
        last = last.slice(Math.max(0, last.length - tail));
      });
      print(last);
    },
    follow: async (signal) => {
      const onLost = (error: Error) => {
        text?.endParagraph();
        invocation.warnOnce(`${error.message}; reconnecting`);
      };
      const readOn = () => readOverOutages(() => read(print), { signal, onLost });
      if (key.kind.kind === 'Agent') return pollForever(readOn, signal);
      if (isTerminalTask(await getTask(connection.client, key, signal))) return read(print);
      const onText = (item: LiveText) => text?.show(item, prefix);
      for await (const entry of followRun(connection.client, key, { signal, onText, onLost })) {
        text?.endCall(entry, prefix);
        await readOn();
      }
      await readOn();
    },
  };
}

/** The time that a line begins with; a line without one counts as new. */
function timeOf(line: string): number {
  const ms = Date.parse(line.slice(0, line.indexOf(' ')));
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms;
}

async function readOverOutages(read: () => Promise<void>, options: OutageOptions): Promise<void> {
  const outage = new Outage(options);
  while (!options.signal.aborted) {
    try {
      return await read();
    } catch (error) {
      await outage.pause(error);
    }
  }
}

async function pollForever(print: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(AGENT_POLL_MS, undefined, { signal });
    await print();
  }
}
