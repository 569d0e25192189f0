// A task's trace as it grows, over connections that may break: it resumes after the last entry seen.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Resource } from '@svc/shared/resource';
import { CliError, EXIT } from './exit-codes.ts';
import type { ApiClient } from './client.ts';
import type { TraceEntry } from './trace-entry.ts';

const RETRY_MS = 500;
/** Tries in a row without an answer before giving up. */
const RETRIES = 20;
const TERMINAL: ReadonlySet<string> = new Set(['Succeeded', 'Failed', 'DeadLetter']);

export interface TaskKey {
  readonly namespace: string;
  readonly name: string;
}

export const isTerminalTask = (task: Resource): boolean => TERMINAL.has(String(task.status['phase']));

export async function getTask(client: ApiClient, key: TaskKey, signal?: AbortSignal): Promise<Resource> {
  const path = `/v1/tasks/${encodeURIComponent(key.name)}`;
  const { body } = await client.send<Resource>({ method: 'GET', path, query: { namespace: key.namespace }, ...(signal && { signal }) });
  return body;
}

/** Yields every entry from the start until the task has ended or the signal; a server that restarts meanwhile is waited for. */
export async function* followTrace(client: ApiClient, key: TaskKey, signal: AbortSignal): AsyncGenerator<TraceEntry, void, void> {
  let lastEventId: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const path = `/v1/tasks/${encodeURIComponent(key.name)}/trace/watch`;
      for await (const message of client.stream({ path, query: { namespace: key.namespace }, signal, lastEventId })) {
        failures = 0;
        if (message.id) lastEventId = message.id;
        if (message.event === 'trace') yield JSON.parse(message.data) as TraceEntry;
      }
      if (signal.aborted || isTerminalTask(await getTask(client, key, signal))) return;
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      if (failures > RETRIES || !(error instanceof CliError && error.exitCode === EXIT.unreachable)) throw error;
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
