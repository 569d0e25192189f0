// Reads of logs. Each reader remembers how far it has read, so that every call hands on only new lines, in order of time.
import type { ApiClient } from './client.ts';
import { objectPath, type ObjectKey } from './resource-api.ts';

interface LogsBody {
  readonly logs: readonly string[];
  readonly continue?: string;
}

/** Hands on the new lines, in one or more parts. After an error the next call continues at the same place. */
export type LogReader = (take: (lines: readonly string[]) => void) => Promise<void>;

async function readPage(client: ApiClient, key: ObjectKey, after: string | undefined): Promise<LogsBody> {
  const query = { namespace: key.namespace, after };
  return (await client.send<LogsBody>({ method: 'GET', path: objectPath(key, 'logs'), query })).body;
}

/** The log of a task grows at its end. */
export function taskLogReader(client: ApiClient, key: ObjectKey): LogReader {
  let after: string | undefined;
  let seenOfPage = 0;
  return async (take) => {
    for (;;) {
      const page = await readPage(client, key, after);
      take(page.logs.slice(seenOfPage));
      seenOfPage = page.continue ? 0 : page.logs.length;
      if (!page.continue) return;
      after = page.continue;
    }
  };
}

/**
 * The log of an agent has its newest task on the first page, and all lines of a task on one page: later calls read on only while a page
 * has new lines.
 */
export function agentLogReader(client: ApiClient, key: ObjectKey): LogReader {
  /** Number of lines handed on of each task, by its first line: a later task may have the same name. */
  const taken = new Map<string, number>();
  let readWhole = true;
  return async (take) => {
    const fresh: string[] = [];
    const read: (readonly string[])[] = [];
    let after: string | undefined;
    do {
      const page = await readPage(client, key, after);
      const tasks = linesByTask(page.logs);
      const lines = tasks.flatMap((each) => each.slice(taken.get(each[0] ?? '')));
      fresh.push(...lines);
      read.push(...tasks);
      after = readWhole || lines.length > 0 ? page.continue : undefined;
    } while (after !== undefined);
    readWhole = false;
    for (const lines of read) taken.set(lines[0] ?? '', lines.length);
    take(fresh.sort(byTime));
  };
}

/** Every line of an agent's log ends in ` task=NAME`. */
function linesByTask(lines: readonly string[]): string[][] {
  const tasks = new Map<string, string[]>();
  for (const line of lines) {
    const task = line.slice(line.lastIndexOf(' '));
    const before = tasks.get(task);
    if (before) before.push(line);
    else tasks.set(task, [line]);
  }
  return [...tasks.values()];
}

/** RFC 3339 times of one length sort as texts. */
function byTime(a: string, b: string): number {
  const [first, second] = [a.slice(0, a.indexOf(' ')), b.slice(0, b.indexOf(' '))];
  return first < second ? -1 : first > second ? 1 : 0;
}
