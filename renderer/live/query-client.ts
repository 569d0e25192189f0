// Query client of the tab. While the live stream is in step nothing is requested twice; without it, visible data is polled.
import { MutationCache, notifyManager, QueryCache, QueryClient } from '@tanstack/react-query';
import { connection, type ConnectionPhase } from './connection.ts';
import { problemOf } from './problem.ts';

/** Where no stream was possible yet, as behind a proxy that lets no WebSocket through. */
const POLL_WITHOUT_STREAM_MS = 5_000;
/** While a lost stream has to return, with which all is read again, and after a failure, whose message a reading hides. */
const POLL_MS = 30_000;
const RETRIES_MAX = 2;

// Applied before the next press of a key or a button: by default a quick second press on a slow machine still finds an idle button.
notifyManager.setScheduler(queueMicrotask);

/** Time until visible data is read again, in milliseconds; false while the stream brings its changes. */
export function pollInterval(phase: ConnectionPhase, failed: boolean): number | false {
  if (phase === 'live') return false;
  return phase === 'connecting' && !failed ? POLL_WITHOUT_STREAM_MS : POLL_MS;
}

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
      refetchInterval: ({ state }) => pollInterval(connection.state().phase, state.status === 'error'),
      retry: (failures, error) => failures < RETRIES_MAX && problemOf(error).retryable,
    },
    // A write is sent at once, also offline where it fails, and never repeated automatically.
    mutations: { retry: false, networkMode: 'always' },
  },
});
