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

/** The log of an agent has its newest task on the first page: later calls read on only while a page has new lines. */
export function agentLogReader(client: ApiClient, key: ObjectKey): LogReader {
  const seen = new Set<string>();
  let readWhole = true;
  return async (take) => {
    const fresh: string[] = [];
    let after: string | undefined;
    do {
      const page = await readPage(client, key, after);
      const lines = page.logs.filter((line) => !seen.has(line));
      fresh.push(...lines);
      after = readWhole || lines.length > 0 ? page.continue : undefined;
    } while (after !== undefined);
    readWhole = false;
    for (const line of fresh) seen.add(line);
    take(fresh.sort(byTime));
  };
}

/** RFC 3339 times of one length sort as texts. */
function byTime(a: string, b: string): number {
  const [first, second] = [a.slice(0, a.indexOf(' ')), b.slice(0, b.indexOf(' '))];
  return first < second ? -1 : first > second ? 1 : 0;
}
