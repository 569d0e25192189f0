// Limit of open files of this process: past it, connections are dropped by the system and neither Node.js nor the server can report it.
import { readFile } from 'node:fs/promises';

/** Files beside connections of clients: the database, code, threads, calls of models and tools. */
const OTHER_FILES = 256;

/** Undefined where the system does not say, or sets none. */
export async function openFilesLimit(): Promise<number | undefined> {
  // Only Linux has it.
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? undefined : Number(soft);
}

/** Undefined where the limit is enough. */
export function openFilesProblem(limit: number | undefined, maxConnections: number): string | undefined {
  const needed = maxConnections + OTHER_FILES;
  if (limit === undefined || limit >= needed) return undefined;
  return `this process may have ${limit} open files, and --max-connections takes up to ${needed}: connections past the limit are dropped without a line in the log; raise it (ulimit -n, LimitNOFILE) or lower the flag`;
}
