// Events of a Session for readers: pages of stored events, and a stream that follows new ones.
import type { SessionEvent } from '@svc/shared/api/sessions';
import { isUnavailable } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';
import { CommitWatch } from '../store/commit-watch.ts';
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

/**
 * Pages of events after `after`, as they come. Ends when aborted, and once the Session is deleted. Throws `unavailable` when the first read fails;
 * an outage of the database behind it only delays what follows.
 */
export async function* followSessionEvents(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
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
  const isGone = async () => {
    if (!mayBeGone) return false;
    mayBeGone = false;
    return (await store.getObject(sessionKey(session)))?.uid !== session.uid;
  };
  let hasRead = false;
  /** Undefined while the database is unavailable, after the wait for the next poll. */
  const attempt = async <T>(look: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await look();
    } catch (error) {
      if (!hasRead || !isUnavailable(error)) throw error;
      mayBeGone = true;
      await watch.next();
      return undefined;
    }
  };
  try {
    let cursor = after;
    let isBehind = true;
    while (!signal.aborted) {
      const options = { after: cursor, limit: EVENTS_LIMIT_MAX };
      const read = () => readSessionEvents(store, session, options);
      const page: EventsPage | undefined = await attempt(() => (isBehind ? takeTurn(read) : read()));
      if (!page) continue;
      hasRead = true;
      isBehind = page.more;
      cursor = page.items.at(-1)?.seq ?? cursor;
      if (page.items.length > 0) yield page;
      if (page.more || signal.aborted) continue;
      // Events of the deletion's own commit are read first.
      const gone = watch.grown ? false : await attempt(isGone);
      if (gone === undefined) continue;
      if (gone) return;
      mayBeGone = (await watch.next()) || mayBeGone;
    }
  } finally {
    watch.close();
  }
}
