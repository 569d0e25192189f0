// Events of one object, newest first: earlier ones page by page, and new ones as they happen.
import type { EventRecord } from '@svc/shared/api/watch';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ObjectRef } from '../../../navigation/addresses.ts';
import { client } from '../../../live/api.ts';

const PAGE_SIZE = 100;
/** Events kept that arrived while the page was open. */
const LIVE_MAX = 500;

export interface Events {
  readonly events: readonly EventRecord[];
  readonly pending: boolean;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

export function useEvents({ kind, namespace, name }: ObjectRef): Events {
  const [live, setLive] = useState<readonly EventRecord[]>([]);
  const query = useInfiniteQuery({
    queryKey: ['object-events', kind, namespace, name],
    queryFn: ({ pageParam, signal }) =>
      client.server.events.query(
        { kind, namespace, name, order: '-createdAt', limit: PAGE_SIZE, ...(pageParam !== undefined && { after: pageParam }) },
        { signal },
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page: { readonly continue?: string }) => (page.continue === undefined ? undefined : Number(page.continue)),
  });
  const { refetch } = query;
  useEffect(() => {
    setLive([]);
    const subscription = client.live.events.subscribe(
      { kind, namespace, name },
      {
        onData: ({ data: { state, items } }) => {
          // Loads events that happened between the page and the stream, or while it was lost.
          if (state !== undefined) void refetch();
          if (items.length > 0) setLive((before) => [...items, ...before].slice(0, LIVE_MAX));
        },
      },
    );
    return () => subscription.unsubscribe();
  }, [kind, namespace, name, refetch]);
  const pages = query.data?.pages;
  const events = useMemo(() => {
    const all = new Map([...live, ...(pages ?? []).flatMap(({ items }) => items)].map((event) => [event.id, event]));
    return [...all.values()].sort((a, b) => Number(b.id) - Number(a.id));
  }, [live, pages]);
  return {
    events,
    pending: query.isPending,
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void refetch(),
  };
}
