// Events of a Session for readers: pages of stored events, and a stream that follows new ones.
import type { SessionEvent } from '@svc/shared/api/sessions';
import type { Clock } from '../clock.ts';
import { CommitWatch } from '../store/commit-watch.ts';
import { SharedReads } from '../store/shared-reads.ts';
import type { CommitNotice, Store, StoreReader, StreamEvent } from '../store/store.ts';
import { sessionKey, type SessionRef } from './draft.ts';
import { deletionOf, streamOf } from './records.ts';
import type { EventsPage, FollowOptions } from './session-service.ts';

export const EVENTS_LIMIT_MAX = 1_000;
const PAGE_MAX_BYTES = 1024 * 1024;
/** Interval of a read that finds events and deletions whose notice was missed. */
const SAFETY_LOOK_MS = 5_000;

export interface SessionStream extends SessionRef {
  readonly uid: string;
}

/** Shared by all readers of Sessions. */
export type EventReads = SharedReads<EventsPage>;

export const createEventReads = (store: Pick<Store, 'onCommit'>): EventReads => new SharedReads(store, ({ events }) => events);

export async function readSessionEvents(
  reader: Pick<StoreReader, 'readEvents'>,
  session: SessionStream,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<EventsPage> {
  const { events, full } = await reader.readEvents(streamOf(session.uid), { after, limit: limit + 1, bytesMax: PAGE_MAX_BYTES });
  return { items: events.slice(0, limit).map((event) => eventOf(session, event)), more: full || events.length > limit };
}

function eventOf({ namespace, name }: SessionRef, { seq, type, timestamp, data }: StreamEvent): SessionEvent {
  return { seq, type, session_name: name, namespace, timestamp, ...data } as unknown as SessionEvent;
}

interface FollowSource {
  readonly store: Store;
  readonly clock: Clock;
  readonly reads: EventReads;
}

/**
 * Pages of events after `after`, as they come. Ends when aborted, and once the Session is deleted. Throws `unavailable` when the first read fails;
 * an outage of the database behind it only delays what follows.
 */
export async function* followSessionEvents(
  { store, clock, reads }: FollowSource,
  session: SessionStream,
  { after, signal, takeTurn = (read) => read() }: FollowOptions,
): AsyncGenerator<EventsPage, void, void> {
  const [owner, deletion] = [streamOf(session.uid), deletionOf(session.uid)];
  let mayBeGone = false;
  const concerns = ({ events }: CommitNotice) => {
    mayBeGone ||= events.has(deletion);
    return mayBeGone || events.has(owner);
  };
  const watch = new CommitWatch({ store, clock, signal, concerns, lookMs: SAFETY_LOOK_MS });
  /** Events of the deletion's own commit are read first. */
  const isGone = async (): Promise<boolean> => {
    if (!mayBeGone || watch.grown) return false;
    mayBeGone = false;
    return watch.read(async () => (await store.getObject(sessionKey(session)))?.uid !== session.uid);
  };
  try {
    let cursor = after;
    let isBehind = true;
    while (!signal.aborted) {
      const options = { after: cursor, limit: EVENTS_LIMIT_MAX };
      const read = () => reads.read(owner, String(options.after), () => readSessionEvents(store, session, options));
      const page = await watch.read(() => (isBehind ? takeTurn(read) : read()));
      isBehind = page.more;
      cursor = page.items.at(-1)?.seq ?? cursor;
      if (page.items.length > 0) yield page;
      if (page.more || signal.aborted) continue;
      if (await isGone()) return;
      mayBeGone = (await watch.next()) || mayBeGone;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watch.close();
  }
}
