// The pages of the run list as one array, kept in step by the live stream; reads on while filters of this side leave too little to show.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { serverNow } from '../../live/server-clock.ts';
import { api, client } from '../../live/api.ts';
import { asRun, RUN_PHASES, TASK, type Run } from './run.ts';
import { fieldSelectorOf, isShown, moreToRead, nameBefore, runListInput, type RunListInput, type RunListState } from './run-list-input.ts';

interface Page {
  readonly items: readonly Resource[];
  readonly continue?: string;
}

/** The key under which the live stream finds and updates the pages. */
function pagesKey(input: RunListInput & { readonly after?: string }) {
  return [['resources', 'list'], { input, type: 'infinite' }] as const;
}

/** Fewer rows than fill a screen: worth another page at once. */
const ROWS_WANTED = 60;

export interface RunPages {
  /** Rows to show, in the server's order. */
  readonly rows: readonly Run[];
  /** Rows that were read, shown or not. */
  readonly read: number;
  readonly templatesApart: number;
  readonly hasMore: boolean;
  readonly loading: boolean;
  readonly loadingMore: boolean;
  /** The rows are still those of the filters before. */
  readonly stale: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

export function useRuns(state: RunListState, namespace: string | undefined): RunPages {
  const input = runListInput(state, namespace);
  const start = input.order === 'name' && state.q !== '' ? nameBefore(state.q) : undefined;
  const first = start === undefined ? undefined : `${namespace ?? ''}/${start}`;
  const query = useInfiniteQuery({
    queryKey: [...pagesKey(input), ...(first === undefined ? [] : [first])],
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      client.resources.list.query({ ...input, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: first,
    getNextPageParam: (page: Page) => page.continue,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetchingNextPage, isPending, isPlaceholderData, error, fetchNextPage, refetch } = query;
  const all = useMemo(() => (data?.pages ?? []).flatMap(({ items }) => items.map(asRun)), [data]);
  const rows = useMemo(() => {
    const now = serverNow();
    return all.filter((run) => isShown(run, state, now));
  }, [all, state]);
  const templatesApart = useMemo(() => {
    const now = serverNow();
    return state.mode === 'runs' ? all.filter((run) => isShown(run, { ...state, mode: 'templates' }, now)).length : 0;
  }, [all, state]);
  const hasMore = moreToRead(all.at(-1), state, hasNextPage);
  const starving = rows.length < ROWS_WANTED && hasMore && !isFetchingNextPage && !isPlaceholderData && error === null;
  useEffect(() => {
    if (starving) void fetchNextPage();
  }, [starving, fetchNextPage]);
  return {
    rows,
    read: all.length,
    templatesApart,
    hasMore,
    loading: isPending,
    loadingMore: isFetchingNextPage,
    stale: isPlaceholderData,
    error,
    loadMore: () => void fetchNextPage(),
    retry: () => void refetch(),
  };
}

export interface PhaseCount {
  readonly phase: string;
  readonly count: number;
  /** Counting stopped: there are at least so many. */
  readonly more: boolean;
}

/** How many there are of each phase under the other filters of the server. */
export function usePhaseCounts({ system, labels }: RunListState, namespace: string | undefined): readonly PhaseCount[] | undefined {
  const selections = RUN_PHASES.map((phase) => {
    const fieldSelector = fieldSelectorOf({ phase: [phase], system });
    return {
      kind: TASK,
      ...(namespace !== undefined && { namespace }),
      ...(labels !== '' && { labelSelector: labels }),
      ...(fieldSelector !== undefined && { fieldSelector }),
    };
  });
  const { data } = useQuery(api.resources.counts.queryOptions({ selections }, { placeholderData: keepPreviousData }));
  return useMemo(() => data && RUN_PHASES.map((phase, index) => ({ phase, count: 0, more: false, ...data[index] })), [data]);
}
