// The typed client of the server: batched HTTP for queries and writes, one WebSocket per tab for live data. Independent of screens.
import type { AppRouter } from '@svc/server/http/trpc/router';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { BATCH_CALLS_MAX } from '@svc/shared/api/batch';
import {
  createTRPCClient,
  createWSClient,
  httpBatchLink,
  httpLink,
  retryLink,
  splitLink,
  wsLink,
  type Operation,
  type TRPCClient,
  type TRPCLink,
} from '@trpc/client';
import type { inferRouterOutputs } from '@trpc/server';
import { createTRPCOptionsProxy } from '@trpc/tanstack-react-query';
import { withBase } from '../ui/link/base-path.ts';
import { connection } from './connection.ts';
import { lastLink } from './last-link.ts';
import { Pause } from './pause.ts';
import { problemOf } from './problem.ts';
import { PromptSocket } from './prompt-socket.ts';
import { queryClient } from './query-client.ts';

/** Answers of the procedures, by router and name. */
export type Outputs = inferRouterOutputs<AppRouter>;

/** JSON is passed unchanged in both directions. */
const transformer = { serialize: (value: unknown): unknown => value, deserialize: (value: unknown): unknown => value };

const BATCH_URL_MAX = 2000;
/** Random, so that a returning server does not receive all tabs at once. */
const RETRY: BackoffRule = { backoffMs: 500, maxBackoffMs: 15_000, jitter: 'equal' };
const IDLE_CLOSE_MS = 5_000;

/** Delay in milliseconds before the attempt that follows `attempt` failed ones, from 0. */
export const retryDelay = (attempt: number): number => backoffMs(RETRY, { failures: attempt + 1, random: Math.random() });

function socketUrl(): string {
  const { protocol, host } = window.location;
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}${withBase('/trpc')}`;
}

/** The client's own wait cannot be interrupted, so the wait before a retry is here. */
const pause = new Pause();
let waitMs = 0;
/** A handshake that has had this long may be lost, as after the sleep of a machine. */
const HANDSHAKE_MAX_MS = 5_000;
let handshakeBegan = 0;

const socket = createWSClient({
  url: async () => {
    const ms = waitMs;
    waitMs = 0;
    await pause.wait(ms);
    handshakeBegan = Date.now();
    return socketUrl();
  },
  lazy: { enabled: true, closeMs: IDLE_CLOSE_MS },
  retryDelayMs: (attempt) => {
    waitMs = retryDelay(attempt);
    return 0;
  },
  WebSocket: PromptSocket,
  // A server without an answer is lost after 15 seconds.
  keepAlive: { enabled: true, intervalMs: 10_000, pongTimeoutMs: 5_000 },
  onOpen: () => connection.opened(),
  onClose: (cause) => connection.closed(cause?.code),
});

/**
 * Whether a stream that the server had to end resumes where it broke off. The stream of all changes is restarted by its follower, which has
 * more to restore.
 */
export function mayFollowAgain({ type, path }: Pick<Operation, 'type' | 'path'>, error: unknown): boolean {
  return type === 'subscription' && path !== 'live.changes' && problemOf(error).retryable;
}

/** Context of a call made as the page closes: it is sent at once, unbatched, and outlives the page. At most 64 KiB. */
export const OUTLIVES_PAGE = { outlivesPage: true } as const;

const outlivesPage = ({ context }: Pick<Operation, 'context'>): boolean => context['outlivesPage'] === true;

/** Sends calls over the network. */
const networkLink: TRPCLink<AppRouter> = splitLink({
  condition: ({ type }) => type === 'subscription',
  true: wsLink({ client: socket, transformer }),
  false: splitLink({
    condition: outlivesPage,
    true: httpLink({
      url: withBase('/trpc'),
      transformer,
      fetch: (url, init) => fetch(url, { ...(init as RequestInit), keepalive: true }),
    }),
    false: httpBatchLink({ url: withBase('/trpc'), transformer, maxURLLength: BATCH_URL_MAX, maxItems: BATCH_CALLS_MAX }),
  }),
});

const chooseLink: TRPCLink<AppRouter> = (runtime) => {
  const send = networkLink(runtime);
  return (call) => (lastLink.replacement ?? send)(call);
};

/** Calls outside of React, and subscriptions. */
export const client: TRPCClient<AppRouter> = createTRPCClient<AppRouter>({
  links: [
    retryLink({
      retry: ({ op, error }) => mayFollowAgain(op, error),
      retryDelayMs: (attempt) => retryDelay(attempt),
    }),
    chooseLink,
  ],
});

/** Query and mutation options by procedure: `useQuery(api.resources.get.queryOptions({...}))`. */
export const api = createTRPCOptionsProxy<AppRouter>({ client, queryClient });

/** Ends the live connection and opens another, with the cookie of the present sign-in. */
export function reopen(): void {
  socket.connection?.ws.close();
  pause.wake();
}

/** Retries the live connection at once, as when the machine wakes up. A handshake in flight is left alone: browsers log its end as an error. */
export function reconnectNow(): void {
  if (connection.state().phase === 'live') return;
  const inFlight = socket.connection?.ws.readyState === WebSocket.CONNECTING && Date.now() - handshakeBegan < HANDSHAKE_MAX_MS;
  if (!inFlight) reopen();
}
