// A watch that outlives its connection: it resumes after the last change seen, so nothing is lost or repeated.
import { setTimeout as sleep } from 'node:timers/promises';
import type { WatchItem } from '@svc/shared/api/watch';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { ApiError, type ApiClient } from './client.ts';
import { CliError, EXIT } from './exit-codes.ts';

const RETRY_DELAYS_MS = [200, 500, 1_000, 2_000, 5_000];

export interface WatchOptions {
  /** `*` for every namespace. */
  readonly namespace: string;
  readonly name?: string | undefined;
  readonly labelSelector?: string | undefined;
  readonly signal: AbortSignal;
  /** Told once per lost connection. */
  readonly onLost?: (error: Error) => void;
}

export type WatchEvent = { readonly type: 'item'; readonly item: WatchItem } | { readonly type: 'synced' } | { readonly type: 'resync' };

interface Position {
  lastEventId: string | undefined;
  connected: boolean;
  failures: number;
}

function parseEvent(event: string | undefined, data: string): WatchEvent | undefined {
  if (event === 'resource') return { type: 'item', item: JSON.parse(data) as WatchItem };
  return event === 'synced' || event === 'resync' ? { type: event } : undefined;
}

/** A refusal for good; a server that is full or restarting is worth another try. */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 429;
  return !(error instanceof CliError && error.exitCode === EXIT.unreachable);
}

async function* readStream(
  client: ApiClient,
  call: { path: string; options: WatchOptions },
  position: Position,
): AsyncGenerator<WatchEvent, void, void> {
  const { namespace, name, labelSelector, signal } = call.options;
  const query = { namespace, name, labelSelector };
  for await (const message of client.stream({ path: call.path, query, signal, lastEventId: position.lastEventId })) {
    position.connected = true;
    position.failures = 0;
    if (message.id) position.lastEventId = message.id;
    const event = parseEvent(message.event, message.data);
    if (event) yield event;
  }
}

/**
 * The current matches, `synced`, then live changes until the signal. The first connection must succeed;
 * later ones are retried until they do.
 */
export async function* watchObjects(
  client: ApiClient,
  kind: KindDefinition,
  options: WatchOptions,
): AsyncGenerator<WatchEvent, void, void> {
  const { signal } = options;
  const position: Position = { lastEventId: undefined, connected: false, failures: 0 };
  while (!signal.aborted) {
    try {
      yield* readStream(client, { path: `/v1/${kind.plural}/watch`, options }, position);
    } catch (error) {
      if (signal.aborted) return;
      if (!position.connected || isFinal(error)) throw error;
      if (position.failures === 0) options.onLost?.(error as Error);
    }
    await sleep(RETRY_DELAYS_MS[Math.min(position.failures, RETRY_DELAYS_MS.length - 1)], undefined, { signal }).catch(() => undefined);
    position.failures += 1;
  }
}
