// One event watch: events from a cursor, or from now on. There is no snapshot: after a resync it continues with the oldest event retained.
import type { EventRecord } from '@svc/shared/api/watch';
import { matchesEvent, toEventRecord } from './event-record.ts';
import { followChanges } from './follow-changes.ts';
import type { EventQuery, WatchMessage } from './watch.ts';
import type { ChangeStream } from './change-stream.ts';

export interface EventStream extends Omit<ChangeStream, 'query'> {
  readonly query: EventQuery;
}

export async function* streamEvents({
  store,
  hold,
  query,
  since,
  signal,
  takeTurn,
}: EventStream): AsyncGenerator<readonly WatchMessage<EventRecord>[]> {
  let seq = since;
  while (!signal.aborted) {
    const { head, oldest } = await store.changeBounds();
    const restart = seq > head ? head : Math.max(seq, oldest - 1);
    if (restart !== seq) yield [{ type: 'resync', seq: restart }];
    seq = restart;
    const changes = followChanges({ store, hold, filter: query, signal, takeTurn }, seq);
    for await (const batch of changes) {
      const messages = batch
        .filter((change) => matchesEvent(query, change))
        .map((change) => ({ type: 'item' as const, seq: change.seq, item: toEventRecord(change) }));
      seq = batch.at(-1)?.seq ?? seq;
      if (messages.length) yield messages;
    }
  }
}
