// A task's trace as it grows, over connections that may break: it resumes after the last entry seen.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveText } from '@svc/shared/api/runs';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import type { Resource } from '@svc/shared/resource';
import { hasEnded } from './end-phases.ts';
import { CliError, EXIT } from '../program/exit-codes.ts';
import type { ApiClient } from './client.ts';
import { nameSegment } from './resource-api.ts';
import type { TraceEntry } from './trace-entry.ts';

/** Pause after a stream that the server ended before the task did. */
const RESUME_MS = 500;
const RETRY: BackoffRule = { backoffMs: 200, maxBackoffMs: 5_000, jitter: 'equal' };
/** Tries in a row without an answer before giving up: about two minutes, which a restart with an upgrade may take. */
const RETRIES = 40;

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

export interface OutageOptions {
  readonly signal: AbortSignal;
  /** Called once per lost connection. */
  readonly onLost?: (error: Error) => void;
}

/** Time in which the server cannot be reached, over all tries since its last answer. */
export class Outage {
  readonly #options: OutageOptions;
  #failures = 0;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  answered(): void {
    this.#failures = 0;
  }

  /** Pauses before the next try; rejects with any other error, and when the outage lasts too long. */
  async pause(error: unknown): Promise<void> {
    const { signal, onLost } = this.#options;
    if (signal.aborted) return;
    this.#failures += 1;
    if (this.#failures > RETRIES || !(error instanceof CliError && error.exitCode === EXIT.unreachable)) throw error;
    if (this.#failures === 1) onLost?.(error);
    const pauseMs = backoffMs(RETRY, { failures: this.#failures, random: Math.random() });
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

export interface FollowOptions extends OutageOptions {
  /** Receives the text of running model calls, which is not part of the trace. */
  readonly onText?: (item: LiveText) => void;
}

interface FollowState {
  readonly options: FollowOptions;
  readonly outage: Outage;
  /** Place in the trace, kept across connections. */
  cursor: string | undefined;
}

/** One connection's worth of entries. */
async function* readStream(client: ApiClient, key: TaskKey, state: FollowState): AsyncGenerator<TraceEntry, void, void> {
  const { signal, onText } = state.options;
  const query = { namespace: key.namespace };
  for await (const message of client.stream({ path: taskPath(key, 'trace/stream'), query, signal, lastEventId: state.cursor })) {
    state.outage.answered();
    if (message.id) state.cursor = message.id;
    if (message.event === 'delta') onText?.(JSON.parse(message.data) as LiveText);
    if (message.event === 'trace') yield JSON.parse(message.data) as TraceEntry;
  }
}

/** Yields every entry from the start until the task has ended or the signal, over outages of the server. */
export async function* followRun(client: ApiClient, key: TaskKey, options: FollowOptions): AsyncGenerator<TraceEntry, void, void> {
  const { signal } = options;
  const state: FollowState = { options, outage: new Outage(options), cursor: undefined };
  while (!signal.aborted) {
    try {
      yield* readStream(client, key, state);
      if (signal.aborted || isTerminalTask(await getTask(client, key, signal))) return;
      await sleep(RESUME_MS, undefined, { signal }).catch(() => undefined);
    } catch (error) {
      await state.outage.pause(error);
    }
  }
}
