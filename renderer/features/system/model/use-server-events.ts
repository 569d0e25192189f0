// Events newest first: earlier ones page by page, and new ones as they happen. A pause holds new ones back without loss.
import type { EventRecord } from '@svc/shared/api/watch';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { client } from '../../../live/api.ts';
import { loadNext } from '../../../live/list-pages.ts';

const PAGE_SIZE = 100;
/** Events kept that arrived while the page was open; older ones are still on the server. */
const LIVE_MAX = 2000;
/** Fewer than fill a screen: another page is loaded at once, since the server ends a page early when few events match. */
const EVENTS_WANTED = 40;
const NONE: readonly EventRecord[] = [];

export interface EventFilter {
  readonly namespace?: string;
  readonly kind?: string;
  readonly name?: string;
  /** With kind, namespace and name: none of earlier objects of the name. */
  readonly uid?: string;
  readonly type?: string;
  /** `false` omits those of workers. */
  readonly heartbeats?: boolean;
}

export interface ServerEvents {
  readonly events: readonly EventRecord[];
  /** Number of events since the pause. */
  readonly held: number;
  /** The stream lost its place: older events were loaded again. */
  readonly gap: boolean;
  readonly loading: boolean;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

/** Each event once, the newest first. Pure. */
export function mergeEvents(...lists: readonly (readonly EventRecord[])[]): EventRecord[] {
  return [...new Map(lists.flat().map((event) => [event.id, event])).values()].sort((a, b) => Number(b.id) - Number(a.id));
}

export function useServerEvents(filter: EventFilter, paused = false): ServerEvents {
  const key = JSON.stringify(filter);
  const query = useInfiniteQuery({
    queryKey: ['server-events', key],
    queryFn: ({ pageParam, signal }) =>
      client.server.events.query(
        { ...filter, order: '-createdAt', limit: PAGE_SIZE, ...(pageParam !== undefined && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page: { readonly continue?: string }) => (page.continue === undefined ? undefined : Number(page.continue)),
    placeholderData: keepPreviousData,
  });
  const { live, gap } = useLive(key, query.refetch);
  const pages = query.data?.pages;
  const all = useMemo(
    () =>
      mergeEvents(
        live,
        (pages ?? []).flatMap(({ items }) => items),
      ),
    [live, pages],
  );
  const { hasNextPage, isFetching, isPlaceholderData, error, fetchNextPage } = query;
  const starving = all.length < EVENTS_WANTED && hasNextPage && !isFetching && !isPlaceholderData && error === null;
  useEffect(() => {
    if (starving) void fetchNextPage();
  }, [starving, fetchNextPage]);
  const pausedAt = usePausedAt(paused, all[0]?.id);
  const events = useMemo(() => (pausedAt === undefined ? all : all.filter(({ id }) => Number(id) <= pausedAt)), [all, pausedAt]);
  return {
    events,
    held: all.length - events.length,
    gap,
    loading: query.isPending || (all.length === 0 && hasNextPage && error === null),
    error: query.data ? null : query.error,
    hasMore: hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void loadNext(query),
    retry: () => void query.refetch(),
  };
}

function useLive(key: string, refetch: () => Promise<unknown>) {
  const [live, setLive] = useState(NONE);
  const [gap, setGap] = useState(false);
  useEffect(() => {
    setLive(NONE);
    setGap(false);
    const { uid: _none, ...filter } = JSON.parse(key) as EventFilter;
    const subscription = client.live.events.subscribe(filter, {
      onData: ({ data: { state, items } }) => {
        if (state === 'resync') setGap(true);
        // Loads events that happened between the first page and the stream, or while it was lost.
        if (state !== undefined) void refetch();
        if (items.length > 0) setLive((before) => mergeEvents(items, before).slice(0, LIVE_MAX));
      },
    });
    return () => subscription.unsubscribe();
  }, [key, refetch]);
  return { live, gap };
}

/** The newest event at the start of the pause. */
function usePausedAt(paused: boolean, newest: string | undefined): number | undefined {
  const [at, setAt] = useState<number>();
  if (paused && at === undefined && newest !== undefined) setAt(Number(newest ?? 0));
  if (!paused && at !== undefined) setAt(undefined);
  return paused ? at : undefined;
}
