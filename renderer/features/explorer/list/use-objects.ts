// The pages of a kind's list as one array, kept in step by the live stream.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { api, client } from '../../../live/api.ts';
import { firstCursor, hasPrefix, listInput, selectionOf, selectsByPhase, worthReadingOn, type ListState } from './list-state.ts';

interface Page {
  readonly items: readonly Resource[];
  readonly continue?: string;
}

/** Fewer rows than fill a screen: worth another page at once. */
const ROWS_WANTED = 60;

export interface Objects {
  readonly rows: readonly Resource[];
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly loadingMore: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

export function useObjects(kind: KindSummary, state: ListState, namespace: string | undefined): Objects {
  const input = listInput(kind, state, namespace);
  const first = firstCursor(input, state.q);
  const query = useInfiniteQuery({
    // The first two parts are what the live stream finds the pages by.
    queryKey: [['resources', 'list'], { input, type: 'infinite' }, ...(first === undefined ? [] : [first])],
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      client.resources.list.query({ ...input, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: first,
    getNextPageParam: (page: Page) => page.continue,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetchingNextPage, isPending, isPlaceholderData, error, fetchNextPage, refetch } = query;
  const all = useMemo(() => (data?.pages ?? []).flatMap(({ items }) => items), [data]);
  const rows = useMemo(() => (state.q === '' ? all : all.filter((each) => hasPrefix(each, state.q))), [all, state.q]);
  const hasMore = hasNextPage && worthReadingOn(all.at(-1), input, state.q);
  const starving = rows.length < ROWS_WANTED && hasMore && !isFetchingNextPage && !isPlaceholderData && error === null;
  useEffect(() => {
    if (starving) void fetchNextPage();
  }, [starving, fetchNextPage]);
  return {
    rows,
    hasMore,
    loading: isPending || (rows.length === 0 && starving),
    loadingMore: isFetchingNextPage,
    error,
    loadMore: () => void fetchNextPage(),
    retry: () => void refetch(),
  };
}

export interface Counted {
  readonly count: number;
  /** Counting stopped: there are at least so many. */
  readonly more: boolean;
}

export interface ListCounts {
  readonly total: Counted | undefined;
  /** By phase, under the other filters. */
  readonly phases: ReadonlyMap<string, Counted>;
}

const NO_PHASES: readonly string[] = [];
const UNCOUNTED: ReadonlyMap<string, Counted> = new Map();

/** How many there are on the server, in all and of each phase. */
export function useCounts(kind: KindSummary, state: ListState, namespace: string | undefined): ListCounts {
  const phases = selectsByPhase(kind) ? kind.phases : NO_PHASES;
  const selections = [
    selectionOf(kind, state, namespace),
    ...phases.map((phase) => selectionOf(kind, { ...state, phase: [phase] }, namespace)),
  ];
  const { data } = useQuery(api.resources.counts.queryOptions({ selections }, { placeholderData: keepPreviousData }));
  return useMemo(() => {
    if (!data) return { total: undefined, phases: UNCOUNTED };
    const [total, ...rest] = data;
    return { total, phases: new Map(phases.flatMap((phase, index) => (rest[index] ? [[phase, rest[index]] as const] : []))) };
  }, [data, phases]);
}
