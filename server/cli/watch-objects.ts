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

function parseEvent(event: string | undefined, data: string): WatchEvent | undefined {
  if (event === 'resource') return { type: 'item', item: JSON.parse(data) as WatchItem };
  return event === 'synced' || event === 'resync' ? { type: event } : undefined;
}

/** A refusal for good; a server that is full or restarting is worth another try. */
function isFinal(error: unknown): boolean {
  if (error instanceof ApiError) return error.status < 500 && error.status !== 429;
  return !(error instanceof CliError && error.exitCode === EXIT.unreachable);
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
  const { namespace, name, labelSelector, signal } = options;
  let lastEventId: string | undefined;
  let connected = false;
  let failures = 0;
  while (!signal.aborted) {
    try {
      const stream = client.stream({ path: `/v1/${kind.plural}/watch`, query: { namespace, name, labelSelector }, signal, lastEventId });
      for await (const message of stream) {
        connected = true;
        failures = 0;
        if (message.id) lastEventId = message.id;
        const event = parseEvent(message.event, message.data);
        if (event) yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!connected || isFinal(error)) throw error;
      if (failures === 0) options.onLost?.(error as Error);
    }
    if (signal.aborted) return;
    await sleep(RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length - 1)], undefined, { signal }).catch(() => undefined);
    failures += 1;
  }
}
