// Live data of one browser tab: one stream of all changes, one of events. Translates watch streams to tRPC subscriptions.
import type { EventRecord, WatchItem } from '@svc/shared/api/watch';
import { tracked } from '@trpc/server';
import { z } from 'zod';
import type { WatchMessage } from '../../registry/watch.ts';
import { kind, namespace } from './inputs.ts';
import { procedure, router } from './trpc.ts';

/** What a subscription yields; its id is the change sequence to resume after. */
export interface LiveBatch<Item> {
  /** `synced` opens the stream: what is read after it misses nothing. `resync`: changes were missed, read again. */
  readonly state?: 'synced' | 'resync';
  readonly items: readonly Item[];
}

function batchOf<Item>(messages: readonly WatchMessage<Item>[]): LiveBatch<Item> {
  const items = messages.flatMap((message) => (message.type === 'item' ? [message.item] : []));
  const states = messages.map(({ type }) => type);
  if (states.includes('resync')) return { state: 'resync', items };
  return states.includes('synced') ? { state: 'synced', items } : { items };
}

const seq = z
  .string()
  .regex(/^\d{1,16}$/)
  .optional();

async function* tracking<Item>(stream: AsyncIterable<readonly WatchMessage<Item>[]>) {
  for await (const messages of stream) {
    const last = messages.at(-1);
    if (last) yield tracked(String(last.seq), batchOf(messages));
  }
}

const live = (signal: AbortSignal | undefined, lastEventId: string | undefined) => ({
  signal: signal ?? new AbortController().signal,
  ...(lastEventId !== undefined && { since: Number(lastEventId) }),
});

export const liveRouter = router({
  /** Changes of all kinds, from now on or after the last id seen. */
  changes: procedure
    .input(z.strictObject({ namespace: namespace.optional(), lastEventId: seq }))
    .subscription(({ ctx, input: { namespace: home, lastEventId }, signal }) => {
      const query = home === undefined ? {} : { namespace: home };
      return tracking<WatchItem>(ctx.services.watches.watchChanges(ctx.caller, query, live(signal, lastEventId)));
    }),
  /** Events as they happen, facts of the server's parts included. */
  events: procedure
    .input(
      z.strictObject({
        namespace: namespace.optional(),
        kind: kind.optional(),
        name: z.string().max(253).optional(),
        type: z.string().max(100).optional(),
        lastEventId: seq,
      }),
    )
    .subscription(({ ctx, input: { lastEventId, ...filter }, signal }) => {
      const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      return tracking<EventRecord>(ctx.services.watches.watchEvents(ctx.caller, query, live(signal, lastEventId)));
    }),
});
