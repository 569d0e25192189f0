// One Session and its conversation, live.
import { useQuery } from '@tanstack/react-query';
import type { SessionEvent, Turn } from '@svc/shared/api/sessions';
import { Conversation } from '@svc/shared/sessions/conversation';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, client } from '../../../live/api.ts';
import { asKind } from '../../../kinds/read.ts';
import { problemOf } from '../../../live/problem.ts';
import { followSession, type SessionPort, type SessionView } from './follow-session.ts';
import { SESSION, type Session, type SessionRef } from './session.ts';

export interface SessionRead {
  /** Its last known state, even after its deletion. */
  readonly session: Session | undefined;
  readonly loading: boolean;
  readonly error: unknown;
  readonly deleted: boolean;
  readonly retry: () => void;
}

export function useSession(ref: SessionRef): SessionRead {
  const { data, error, isPending, refetch } = useQuery(api.resources.get.queryOptions({ kind: SESSION, ...ref }));
  const session = data && asKind(SESSION, data);
  const deleted = session !== undefined && error !== null && problemOf(error).code === 'not_found';
  return { session, loading: isPending, error: session === undefined ? error : null, deleted, retry: () => void refetch() };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly continue?: string | undefined;
}

async function allPages<Item>(read: (from: { readonly after?: string }) => Promise<Page<Item>>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for (let after: string | undefined; ;) {
    const page = await read(after === undefined ? {} : { after });
    for (const item of page.items) items.push(item);
    if (page.continue === undefined) return items;
    after = page.continue;
  }
}

export const allTurns = (ref: SessionRef): Promise<readonly Turn[]> =>
  allPages<Turn>((from) => client.sessions.turns.query({ ...ref, ...from }));

export const allEvents = (ref: SessionRef): Promise<readonly SessionEvent[]> =>
  allPages<SessionEvent>((from) => client.sessions.events.query({ ...ref, ...from }));

function portOf(ref: SessionRef): SessionPort {
  return {
    follow: (after, { onEvents, onError }) => {
      const onData = ({ data }: { readonly data: { readonly events: readonly SessionEvent[] } }) => onEvents(data.events);
      const subscription = client.sessions.follow.subscribe({ ...ref, lastEventId: String(after) }, { onData, onError });
      return () => subscription.unsubscribe();
    },
    page: (after) => client.sessions.events.query({ ...ref, after: String(after) }),
    turns: () => allTurns(ref),
  };
}

export interface FollowedSession {
  readonly view: SessionView;
  /** Reads the events since the last ones. */
  readonly readOn: () => void;
  /** Reads everything again, after a failure. */
  readonly retry: () => void;
}

const EMPTY: SessionView = { conversation: new Conversation(), version: 0, phase: 'loading', partial: false, error: null };

/** Each following is read by a query of its own: an answer must not count for another one. */
let followings = 0;

interface Reading {
  readonly id: number;
  readonly readOn: () => Promise<number>;
}

/** Follows the conversation of a Session that was read. `onLive` gets the events that come while it is shown. */
export function useConversation(
  session: Session,
  onLive: (event: SessionEvent, conversation: Conversation) => void,
  port?: SessionPort,
): FollowedSession {
  const { uid, namespace, name } = session.metadata;
  const [round, setRound] = useState(0);
  const [view, setView] = useState(EMPTY);
  const [reading, setReading] = useState<Reading>();
  const head = useRef(session.status.lastEventSequence ?? 0);
  const live = useRef(onLive);
  useEffect(() => {
    live.current = onLive;
  }, [onLive]);
  useEffect(() => {
    setView(EMPTY);
    const { readOn, stop } = followSession(
      { port: port ?? portOf({ namespace, name }), head: head.current, onLive: (event, conversation) => live.current(event, conversation) },
      setView,
    );
    followings += 1;
    setReading({ id: followings, readOn });
    return stop;
  }, [uid, namespace, name, port, round]);
  // Polled like all queries while there is no live stream.
  const { error, refetch } = useQuery({
    queryKey: ['conversation', reading?.id],
    queryFn: () => reading?.readOn() ?? 0,
    enabled: reading !== undefined,
    gcTime: 0,
  });
  const retry = useCallback(() => setRound((before) => before + 1), []);
  const failed = view.phase === 'loading' && error !== null;
  return { view: failed ? { ...view, phase: 'failed', error } : view, readOn: () => void refetch(), retry };
}
