// Entries of a Memory page by page, a single entry, and writes. Entries change without a change of the object: they are read again on focus.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { client } from '../../../live/api.ts';
import { loadNext } from '../../../live/list-pages.ts';

export interface MemoryRef {
  readonly namespace: string;
  readonly name: string;
}

export interface Entry {
  readonly key: string;
  readonly value: string;
  readonly score?: number | undefined;
}

export interface EntryQuery {
  readonly q: string;
  readonly prefix: string;
}

export interface Entries {
  /** Undefined until the first page has come. */
  readonly entries: readonly Entry[] | undefined;
  /** Kind of search that was made. */
  readonly search: 'keyword' | 'vector' | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  readonly loadMore: () => void;
  readonly reading: boolean;
  readonly retry: () => void;
}

const PAGE_SIZE = 100;
const RESULTS_MAX = 50;

const keyOf = ({ namespace, name }: MemoryRef) => ['memory-entries', namespace, name] as const;

export function useEntries(memory: MemoryRef, { q, prefix }: EntryQuery): Entries {
  const searched = q !== '';
  const query = useInfiniteQuery({
    queryKey: [...keyOf(memory), searched ? { q } : { prefix }],
    queryFn: ({ pageParam: after, signal }) =>
      client.memories.entries.query(
        searched
          ? { ...memory, q, limit: RESULTS_MAX }
          : { ...memory, limit: PAGE_SIZE, ...(prefix !== '' && { prefix }), ...(after !== undefined && { after }) },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (searched ? undefined : page.continue),
    refetchOnWindowFocus: true,
    staleTime: 0,
  });
  const pages = query.data?.pages;
  const { refetch } = query;
  return {
    entries: useMemo(() => pages?.flatMap(({ entries }): readonly Entry[] => entries), [pages]),
    search: pages?.[0]?.search,
    error: query.error,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void loadNext(query),
    reading: query.isFetching && !query.isFetchingNextPage,
    retry: useCallback(() => void refetch(), [refetch]),
  };
}

/** The entry as stored now; undefined without one. A key is the first of those that begin with it. */
export async function readEntry(memory: MemoryRef, key: string, signal?: AbortSignal): Promise<Entry | undefined> {
  const { entries } = await client.memories.entries.query({ ...memory, prefix: key, limit: 1 }, { ...(signal && { signal }) });
  return entries.find((entry) => entry.key === key);
}

export async function hasEntries(memory: MemoryRef, prefix: string): Promise<boolean> {
  return (await client.memories.entries.query({ ...memory, prefix, limit: 1 })).entries.length > 0;
}

/** An entry that the read pages do not hold, as one that an address names. */
export function useEntry(memory: MemoryRef, key: string, wanted: boolean) {
  return useQuery({
    queryKey: [...keyOf(memory), 'one', key],
    queryFn: async ({ signal }) => (await readEntry(memory, key, signal)) ?? null,
    enabled: wanted,
    staleTime: 0,
  });
}

export interface EntryWrites {
  readonly write: (entry: Entry) => Promise<{ readonly created: boolean }>;
  /** Answers with the keys of the segments. */
  readonly ingest: (document: { readonly source: string; readonly content: string }) => Promise<readonly string[]>;
  readonly remove: (key: string) => Promise<void>;
}

export function useEntryWrites(memory: MemoryRef): EntryWrites {
  const queries = useQueryClient();
  const { namespace, name } = memory;
  return useMemo(() => {
    const changed = () => queries.invalidateQueries({ queryKey: keyOf({ namespace, name }) });
    return {
      async write({ key, value }) {
        const reply = await client.memories.writeEntry.mutate({ namespace, name, key, value });
        await changed();
        return reply;
      },
      async ingest(document) {
        const { keys } = await client.memories.ingest.mutate({ namespace, name, ...document });
        await changed();
        return keys;
      },
      async remove(key) {
        await client.memories.deleteEntry.mutate({ namespace, name, key });
        await changed();
      },
    };
  }, [queries, namespace, name]);
}
