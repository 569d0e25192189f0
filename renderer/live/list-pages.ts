// Pages of a list as one array, kept in step by the live stream; loads more while local filters leave too few rows.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { client } from './api.ts';
import { firstCursor, worthReadingOn, type ListInput } from './list-selectors.ts';

interface Page {
  readonly items: readonly Resource[];
  readonly continue?: string;
  readonly incomplete?: true;
}

/** Fewer rows than fill a screen: another page is loaded at once. */
const ROWS_WANTED = 60;

export interface ListPages<Row> {
  /** In the server's order. */
  readonly rows: readonly Row[];
  /** All loaded objects, shown or not. */
  readonly read: readonly Resource[];
  readonly hasMore: boolean;
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
  /** Searched prefix of names; empty for all. */
  readonly prefix: string;
  /** False: nothing is requested, and the list is empty. Default true. */
  readonly enabled?: boolean;
  /** Filter of the loaded rows. A new function filters all of them again. */
  readonly rowsOf: (read: readonly Resource[]) => readonly Row[];
}

export function useListPages<Row>({ input, prefix, enabled = true, rowsOf }: ListPagesOptions<Row>): ListPages<Row> {
  const first = firstCursor(input, prefix);
  const query = useInfiniteQuery({
    // The live stream finds the pages by the first two parts.
    queryKey: [['resources', 'list'], { input, type: 'infinite' }, ...(first === undefined ? [] : [first])],
    queryFn: ({ pageParam, signal }): Promise<Page> =>
      client.resources.list.query({ ...input, ...(pageParam !== undefined && { after: pageParam }) }, { signal }),
    initialPageParam: first,
    getNextPageParam: (page: Page) => page.continue,
    placeholderData: keepPreviousData,
    enabled,
  });
  const { data, hasNextPage, isFetchingNextPage, isPending, isPlaceholderData, error, fetchNextPage, refetch } = query;
  const read = useMemo(() => (enabled ? (data?.pages ?? []) : []).flatMap(({ items }) => items), [data, enabled]);
  const rows = useMemo(() => rowsOf(read), [rowsOf, read]);
  const hasMore = enabled && hasNextPage && worthReadingOn(read.at(-1), input, prefix);
  const starving = rows.length < ROWS_WANTED && hasMore && !isFetchingNextPage && !isPlaceholderData && error === null;
  useEffect(() => {
    if (starving) void fetchNextPage();
  }, [starving, fetchNextPage]);
  return {
    rows,
    read,
    hasMore,
    incomplete: enabled && (data?.pages.some(({ incomplete }) => incomplete === true) ?? false),
    loading: enabled && (isPending || (rows.length === 0 && error === null && (isPlaceholderData || hasMore))),
    loadingMore: isFetchingNextPage,
    stale: isPlaceholderData,
    error,
    loadMore: () => void fetchNextPage(),
    retry: () => void refetch(),
  };
}
