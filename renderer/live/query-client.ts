// Query client of the tab. While the live stream is in step nothing is requested twice; without it, visible data is polled.
import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { connection } from './connection.ts';
import { problemOf } from './problem.ts';

/** Only while the stream is down. */
const POLL_MS = 30_000;
const RETRIES_MAX = 2;

// Applied before the next press of a key or a button: by default a quick second press on a slow machine still finds an idle button.
notifyManager.setScheduler(queueMicrotask);

function noticeError(error: unknown): void {
  if (problemOf(error).code === 'unauthorized') connection.unauthorized();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: noticeError }),
  mutationCache: new MutationCache({ onError: noticeError }),
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      refetchInterval: () => (connection.state().phase === 'live' ? false : POLL_MS),
      retry: (failures, error) => failures < RETRIES_MAX && problemOf(error).retryable,
    },
    // A write is sent at once, also offline where it fails, and never repeated automatically.
    mutations: { retry: false, networkMode: 'always' },
  },
});
