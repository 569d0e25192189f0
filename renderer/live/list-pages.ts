// Pages of a list as one array, kept in step by the live stream; loads more while local filters leave too few rows.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { client } from './api.ts';
import type { ListInput } from './list-selectors.ts';

/** Fewer rows than fill a screen: another page is loaded at once. */
const ROWS_WANTED = 60;
/** Names searched before the user has to continue the search. */
const EXAMINED_MAX = 50_000;

export interface ListPages<Row> {
  /** In the server's order. */
  readonly rows: readonly Row[];
  /** All loaded objects, shown or not. */
  readonly read: readonly Resource[];
  readonly hasMore: boolean;
  /** Number of names searched so far, for a filter by a part of the name. */
  readonly examined: number;
  /** Looks through more names; present once so many were searched that a person decides. */
  readonly lookFurther: (() => void) | undefined;
  /** The server still indexes objects: the list may lack some. */
  readonly incomplete: boolean;
  /** Nothing can be shown yet, and the list is not known to be empty. */
  readonly loading: boolean;
  readonly loadingMore: boolean;
  /** The rows still belong to the previous filters. */
  readonly stale: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

export interface ListPagesOptions<Row> {
  readonly input: ListInput;
  /** False: nothing is requested, and the list is empty. Default true. */
  readonly enabled?: boolean;
  /** Filter of the loaded rows. A new function filters all of them again. */
  readonly rowsOf: (read: readonly Resource[]) => readonly Row[];
}

/**
 * Loads the next page of an infinite query. Another read of its pages is not cut short, as they would stay as they were; it may also take the
 * place of the request, which is then sent once more.
 */
export async function loadNext<Data extends InfiniteData<unknown>>({
  data,
  fetchNextPage,
}: Pick<UseInfiniteQueryResult<Data>, 'data' | 'fetchNextPage'>): Promise<void> {
  const after = await fetchNextPage({ cancelRefetch: false });
  if (after.isSuccess && after.hasNextPage && after.data.pages.length === data?.pages.length) await fetchNextPage({ cancelRefetch: false });
}

export function useListPages<Row>({ input, enabled = true, rowsOf }: ListPagesOptions<Row>): ListPages<Row> {
  const query = useInfiniteQuery({
    // The live stream finds the pages by the first two parts.
    queryKey: [['resources', 'list'], { input, type: 'infinite' }],
    queryFn: ({ pageParam, signal }) =>
      client.resources.list.query({ ...input, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.continue,
    placeholderData: keepPreviousData,
    enabled,
  });
  const { data, hasNextPage, isFetching, isFetchingNextPage, isPending, isPlaceholderData, error, fetchNextPage, refetch } = query;
  const pages = enabled ? data?.pages : undefined;
  const read = useMemo(() => (pages ?? []).flatMap(({ items }) => items), [pages]);
  const examined = useMemo(() => (pages ?? []).reduce((sum, page) => sum + (page.examined ?? 0), 0), [pages]);
  const rows = useMemo(() => rowsOf(read), [rowsOf, read]);
  const [granted, setGranted] = useState(EXAMINED_MAX);
  const paused = enabled && hasNextPage && examined >= granted;
  const hasMore = enabled && hasNextPage && !paused;
  const few = rows.length < ROWS_WANTED && hasMore;
  const starving = few && !isFetching && !isPlaceholderData && error === null;
  useEffect(() => {
    if (starving) void fetchNextPage();
  }, [starving, fetchNextPage]);
  return {
    rows,
    read,
    hasMore,
    examined,
    lookFurther: paused ? () => setGranted(examined + EXAMINED_MAX) : undefined,
    incomplete: pages?.some(({ incomplete }) => incomplete === true) ?? false,
    loading: enabled && (isPending || (rows.length === 0 && error === null && (isPlaceholderData || few))),
    loadingMore: isFetchingNextPage,
    stale: isPlaceholderData,
    error,
    loadMore: () => void loadNext(query),
    retry: () => void refetch(),
  };
}
