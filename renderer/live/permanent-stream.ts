// A permanent stream of changes: the client repairs a lost connection, this module an end or an error of the stream itself.
import type { LiveBatch } from '@svc/server/http/trpc/router';
import type { WatchItem } from '@svc/shared/api/watch';
import { kindTable } from '../kinds/kind-table.ts';
import { client, retryDelay } from './api.ts';
import { connection } from './connection.ts';
import { problemOf } from './problem.ts';

/** Kinds whose objects serve all namespaces: followed in every scope of the tab. */
const EVERYWHERE = kindTable.filter(({ servesAllNamespaces }) => servesAllNamespaces).map(({ kind }) => kind);

export interface StreamInput {
  readonly namespace?: string;
  readonly everywhere?: string[];
  /** The last received change. */
  readonly lastEventId?: string;
}

export interface StreamListener {
  readonly onData: (envelope: { readonly id: string; readonly data: LiveBatch<WatchItem> }) => void;
  readonly onError: (error: unknown) => void;
  readonly onComplete: () => void;
}

/** The changes of one namespace, or of all of them; after a position, or from now on. */
export interface Scope {
  readonly namespace: string | undefined;
  readonly position: string | undefined;
}

export type Follow = (input: StreamInput, listener: StreamListener) => { unsubscribe(): void };

const overSocket: Follow = (input, listener) => client.live.changes.subscribe(input, listener);

/** Follows until the returned function is called. Without a stream the connection is not live, so that visible data is polled. */
export function followPermanently(
  { namespace, position }: Scope,
  onBatch: (batch: LiveBatch<WatchItem>) => void,
  follow: Follow = overSocket,
): () => void {
  let subscription: { unsubscribe(): void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastEventId = position;
  let attempt = 0;
  let stopped = false;
  const begin = () => {
    timer = undefined;
    const input = {
      ...(namespace !== undefined && { namespace, everywhere: EVERYWHERE }),
      ...(lastEventId !== undefined && { lastEventId }),
    };
    subscription = follow(input, {
      onData: ({ id, data }) => {
        if (stopped) return;
        attempt = 0;
        lastEventId = id;
        onBatch(data);
      },
      onError: (error) => {
        if (problemOf(error).code === 'unauthorized') connection.unauthorized();
        beginAgain();
      },
      onComplete: () => beginAgain(),
    });
  };
  const beginAgain = () => {
    if (stopped || timer !== undefined) return;
    connection.closed(undefined);
    timer = setTimeout(begin, retryDelay(attempt));
    attempt += 1;
  };
  begin();
  return () => {
    stopped = true;
    clearTimeout(timer);
    subscription?.unsubscribe();
  };
}
