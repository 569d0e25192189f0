// The pages of a list as one array, kept in step by the live stream; reads on while what is left out here leaves too little to show.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { client } from './api.ts';
import { firstCursor, worthReadingOn, type ListInput } from './list-selectors.ts';

interface Page {
  readonly items: readonly Resource[];
  readonly continue?: string;
}

/** Fewer rows than fill a screen: worth another page at once. */
const ROWS_WANTED = 60;

export interface ListPages<Row> {
  /** In the server's order. */
  readonly rows: readonly Row[];
  /** All that was read, shown or not. */
  readonly read: readonly Resource[];
  readonly hasMore: boolean;
  /** Nothing can be shown yet, and it is not known that there is nothing. */
  readonly loading: boolean;
  readonly loadingMore: boolean;
  /** The rows are still those of the filters before. */
  readonly stale: boolean;
  readonly error: unknown;
  readonly loadMore: () => void;
  readonly retry: () => void;
}

export interface ListWish<Row> {
  readonly input: ListInput;
  /** The beginning of the names that are looked for; empty for all. */
  readonly prefix: string;
  /** The rows to show of what was read. A new function looks through all of it again. */
  readonly rowsOf: (read: readonly Resource[]) => readonly Row[];
}

export function useListPages<Row>({ input, prefix, rowsOf }: ListWish<Row>): ListPages<Row> {
  const first = firstCursor(input, prefix);
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
  const read = useMemo(() => (data?.pages ?? []).flatMap(({ items }) => items), [data]);
  const rows = useMemo(() => rowsOf(read), [rowsOf, read]);
  const hasMore = hasNextPage && worthReadingOn(read.at(-1), input, prefix);
  const starving = rows.length < ROWS_WANTED && hasMore && !isFetchingNextPage && !isPlaceholderData && error === null;
  useEffect(() => {
    if (starving) void fetchNextPage();
  }, [starving, fetchNextPage]);
  return {
    rows,
    read,
    hasMore,
    loading: isPending || (rows.length === 0 && error === null && (isPlaceholderData || hasMore)),
    loadingMore: isFetchingNextPage,
    stale: isPlaceholderData,
    error,
    loadMore: () => void fetchNextPage(),
    retry: () => void refetch(),
  };
}
