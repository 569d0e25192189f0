// Live data of one browser tab: all changes, events, and the runs of a worker, read again when they change. Watch streams as tRPC subscriptions.
import type { EventRecord, WatchItem } from '@svc/shared/api/watch';
import { defined } from '@svc/shared/json';
import { tracked } from '@trpc/server';
import { z } from 'zod';
import type { WatchMessage } from '../../registry/watch/watch.ts';
import type { SocketStreams } from './context.ts';
import { kind, name, namespace, sequence, word } from './inputs.ts';
import { ticksOf } from './ticks.ts';
import { heldBy } from './worker-leases.ts';
import { procedure, router } from './trpc.ts';

/** Item of a subscription; its id is the change sequence to resume after. */
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

async function* tracking<Item>(stream: AsyncIterable<readonly WatchMessage<Item>[]>) {
  for await (const messages of stream) {
    const last = messages.at(-1);
    if (last) yield tracked(String(last.seq), batchOf(messages));
  }
}

interface Follower {
  readonly streams?: SocketStreams | undefined;
}

const live = ({ streams }: Follower, signal: AbortSignal | undefined, lastEventId: string | undefined) => ({
  signal: signal ?? new AbortController().signal,
  ...(streams && { takeTurn: streams.takeTurn }),
  ...(lastEventId !== undefined && { since: Number(lastEventId) }),
});

export const liveRouter = router({
  /** Changes of all kinds, from now on or after the last id seen; of the kinds `everywhere` also those outside of the namespace. */
  changes: procedure
    .input(
      z.strictObject({ namespace: namespace.optional(), everywhere: z.array(kind).max(8).optional(), lastEventId: sequence.optional() }),
    )
    .subscription(({ ctx, input: { namespace: home, everywhere, lastEventId }, signal }) => {
      const query = defined({ namespace: home, everywhere });
      return tracking<WatchItem>(ctx.services.watches.watchChanges(ctx.caller, query, live(ctx, signal, lastEventId)));
    }),
  /** Runs that a worker holds: at once, and again when they may have changed. Complete each time, so that a resumed stream has missed nothing. */
  held: procedure.input(z.strictObject({ worker: name })).subscription(async function* ({ ctx, input: { worker }, signal }) {
    const ended = signal ?? new AbortController().signal;
    const changes = ctx.services.watches.watchChanges(ctx.caller, {}, { signal: ended });
    const options = { clock: ctx.services.clock, signal: ended };
    const held = heldBy(worker);
    for await (const _tick of ticksOf(changes, (item) => held.concerns(item), options)) {
      const now = await ctx.services.runs.held(ctx.caller, worker);
      held.tell(now.runs);
      yield now;
    }
  }),
  /** Events as they happen, facts of the server's parts included. */
  events: procedure
    .input(
      z.strictObject({
        namespace: namespace.optional(),
        kind: kind.optional(),
        // Typed letter by letter: a name that is not complete yet finds nothing.
        name: word.optional(),
        type: word.optional(),
        heartbeats: z.boolean().optional(),
        lastEventId: sequence.optional(),
      }),
    )
    .subscription(({ ctx, input: { lastEventId, ...filter }, signal }) => {
      return tracking<EventRecord>(ctx.services.watches.watchEvents(ctx.caller, defined(filter), live(ctx, signal, lastEventId)));
    }),
});
