// A task's trace as it grows, over connections that may break: it resumes after the last entry seen.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveText } from '@svc/shared/api/runs';
import type { Resource } from '@svc/shared/resource';
import { hasEnded } from './end-phases.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import type { ApiClient } from './client.ts';
import { nameSegment } from './resource-api.ts';
import type { TraceEntry } from './trace-entry.ts';

const RETRY_MS = 500;
/** Tries in a row without an answer before giving up. */
const RETRIES = 20;

export interface TaskKey {
  readonly namespace: string;
  readonly name: string;
}

export const taskPath = (key: TaskKey, action?: string): string => `/v1/tasks/${nameSegment(key.name)}${action ? `/${action}` : ''}`;

export const isTerminalTask = (task: Resource): boolean => hasEnded(task);

export async function getTask(client: ApiClient, key: TaskKey, signal?: AbortSignal): Promise<Resource> {
  const { body } = await client.send<Resource>({
    method: 'GET',
    path: taskPath(key),
    query: { namespace: key.namespace },
    ...(signal && { signal }),
  });
  return body;
}

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Receives the text of running model calls, which is not part of the trace. */
  readonly onText?: (item: LiveText) => void;
}

/** One connection's worth of entries; `cursor` keeps the place across connections. */
async function* readStream(
  client: ApiClient,
  key: TaskKey,
  state: FollowOptions & { cursor: string | undefined; failures: number },
): AsyncGenerator<TraceEntry, void, void> {
  const query = { namespace: key.namespace };
  for await (const message of client.stream({
    path: taskPath(key, 'trace/stream'),
    query,
    signal: state.signal,
    lastEventId: state.cursor,
  })) {
    state.failures = 0;
    if (message.id) state.cursor = message.id;
    if (message.event === 'delta') state.onText?.(JSON.parse(message.data) as LiveText);
    if (message.event === 'trace') yield JSON.parse(message.data) as TraceEntry;
  }
}

/** Yields every entry from the start until the task has ended or the signal; a server that restarts meanwhile is waited for. */
export async function* followRun(client: ApiClient, key: TaskKey, options: FollowOptions): AsyncGenerator<TraceEntry, void, void> {
  const { signal } = options;
  const state = { ...options, cursor: undefined as string | undefined, failures: 0 };
  while (!signal.aborted) {
    try {
      yield* readStream(client, key, state);
      if (signal.aborted || isTerminalTask(await getTask(client, key, signal))) return;
    } catch (error) {
      if (signal.aborted) return;
      state.failures += 1;
      if (state.failures > RETRIES || !(error instanceof CliError && error.exitCode === EXIT.unreachable)) throw error;
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
  }
}
