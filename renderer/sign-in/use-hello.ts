// Identity and server of this session: the server's first answer, kept for the whole console.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, client } from '../live/api.ts';
import { queryClient } from '../live/query-client.ts';
import { learnServerTime } from '../live/server-clock.ts';
import { learnPosition } from '../live/start-position.ts';

export type Hello = Awaited<ReturnType<typeof client.server.hello.query>>;

async function fetchHello(signal: AbortSignal): Promise<Hello> {
  const sentAt = Date.now();
  const hello = await client.server.hello.query(undefined, { signal });
  learnServerTime(hello.time, sentAt, Date.now());
  learnPosition(hello.position);
  return hello;
}

export const helloQuery = queryOptions({
  queryKey: api.server.hello.queryKey(),
  queryFn: ({ signal }) => fetchHello(signal),
});

/** Name of the person who is signed in; empty before the first answer. */
export function personHere(): string {
  return queryClient.getQueryData(helloQuery.queryKey)?.identity.name ?? '';
}

/** Undefined only before the first answer: pages are mounted after it. */
export function useHello(): Hello | undefined {
  return useQuery(helloQuery).data;
}
