// One watch of all kinds: resource changes from a cursor, or from now on. There is no snapshot: after a resync it continues with the newest change.
import type { WatchItem } from '@svc/shared/api/watch';
import type { Change, StoreReader } from '../../store/store.ts';
import type { TailHold } from './change-tail.ts';
import { followChanges, isRetained } from './follow-changes.ts';
import { toWatchItem } from './watch-item.ts';
import type { ChangesQuery, TakeTurn, WatchMessage } from './watch.ts';

export interface ChangeStream {
  readonly store: StoreReader;
  readonly hold: TailHold;
  readonly query: ChangesQuery;
  readonly since: number;
  readonly signal: AbortSignal;
  readonly takeTurn: TakeTurn;
}

export async function* streamChanges(stream: ChangeStream): AsyncGenerator<readonly WatchMessage<WatchItem>[]> {
  const { store, hold, query, since, signal, takeTurn } = stream;
  let seq: number | undefined = (await isRetained(store, since)) ? since : undefined;
  if (seq !== undefined) yield [{ type: 'synced', seq }];
  while (!signal.aborted) {
    if (seq === undefined) {
      // A client reads its lists after this message, so they are newer than the head and the changes up to it are not needed.
      seq = (await store.changeBounds()).head;
      yield [{ type: 'resync', seq }];
    }
    const changes = followChanges({ store, hold, filter: query, signal, takeTurn }, seq);
    for await (const batch of changes) {
      const messages = batch.flatMap(toMessage);
      if (messages.length) yield messages;
    }
    seq = undefined;
  }
}

function toMessage(change: Change): WatchMessage<WatchItem>[] {
  const item = change.type === 'fact' ? undefined : toWatchItem(change.type, change);
  return item ? [{ type: 'item', seq: change.seq, item }] : [];
}
