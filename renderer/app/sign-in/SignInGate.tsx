// Blocks every page until the server has identified the person: fails closed, to sign-in or to "does not answer".
import { useQuery } from '@tanstack/react-query';
import { Suspense, useEffect, useState, type ReactNode } from 'react';
import { reconnectNow } from '../../live/api.ts';
import { PROFILE_ID, PROFILE_STATUS_KEY } from '../../native/profile.ts';
import { connection, useConnection } from '../../live/connection.ts';
import { problemOf } from '../../live/problem.ts';
import { queryClient } from '../../live/query-client.ts';
import { helloQuery } from '../../sign-in/use-hello.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import { Spinner } from '../../ui/feedback/Spinner.tsx';

const SignInScreen = lazyPart(async () => (await import('./SignInScreen.tsx')).SignInScreen);
const SignInAgainDialog = lazyPart(async () => (await import('./SignInAgainDialog.tsx')).SignInAgainDialog);
const UnreachableScreen = lazyPart(async () => (await import('./UnreachableScreen.tsx')).UnreachableScreen);

/** Retry intervals while the server does not answer, and while it does but the live stream does not. */
const RETRY_MS = 3_000;
const POLL_MS = 30_000;
/**
 * Interval while the connection is good. Requests renew a sign-in, and a tab that only receives changes sends none: this request renews it, long before it
 * expires. A hidden tab sends none, so that an unused sign-in ends.
 */
export const ALIVE_MS = 30 * 60_000;

function nextCheck(error: unknown): number {
  const { phase } = connection.state();
  if (phase === 'live') return ALIVE_MS;
  return phase === 'reconnecting' || (error != null && problemOf(error).retryable) ? RETRY_MS : POLL_MS;
}

export function SignInGate({ children }: { readonly children: ReactNode }) {
  const { phase, failures } = useConnection();
  const hello = useQuery({ ...helloQuery, retry: false, refetchInterval: ({ state }) => nextCheck(state.error) });
  useCheckOnReturn();
  const { dataUpdatedAt, errorUpdatedAt, error, refetch } = hello;
  const refusal = useLastRefusal(hello);
  useEffect(() => {
    // The server answers again: no reason to wait with the live stream.
    if (['reconnecting', 'offline'].includes(connection.state().phase)) reconnectNow();
    connection.answered();
  }, [dataUpdatedAt]);
  useEffect(() => {
    // A stream that was never open says nothing about the server, so a request checks it.
    if (failures > 0) void refetch();
  }, [failures, refetch]);
  useEffect(() => {
    if (error !== null && problemOf(error).code === 'unreachable') connection.unreachable();
  }, [errorUpdatedAt, error]);
  const refused = phase === 'unauthorized' || (hello.error !== null && problemOf(hello.error).code === 'unauthorized');
  useEffect(() => {
    // Another server is signed in to by its profile: its check says what is wrong.
    if (refused && PROFILE_ID !== undefined) void queryClient.invalidateQueries({ queryKey: PROFILE_STATUS_KEY });
  }, [refused]);
  if (hello.data) {
    return (
      <>
        {children}
        {phase === 'unauthorized' && PROFILE_ID === undefined && (
          <Suspense>
            <SignInAgainDialog />
          </Suspense>
        )}
      </>
    );
  }
  if (!refusal) return <Splash />;
  return (
    <Suspense fallback={<Splash />}>
      {problemOf(refusal).code === 'unauthorized' && PROFILE_ID === undefined ? (
        <SignInScreen />
      ) : (
        <UnreachableScreen error={refusal} retrying={hello.isFetching} onRetry={() => void hello.refetch()} />
      )}
    </Suspense>
  );
}

/** Error of the newest finished check, until one succeeds. The query has no error during a check, and its screen must keep what is typed. */
function useLastRefusal({ data, error }: { readonly data: unknown; readonly error: Error | null }): Error | null {
  const [last, setLast] = useState(error);
  const next = data === undefined ? (error ?? last) : null;
  if (next !== last) setLast(next);
  return next;
}

/** Renews the sign-in when a tab becomes visible that was hidden for long. */
function useCheckOnReturn(): void {
  useEffect(() => {
    const look = () => {
      const at = queryClient.getQueryState(helloQuery.queryKey)?.dataUpdatedAt ?? 0;
      if (document.visibilityState === 'visible' && Date.now() - at >= ALIVE_MS)
        void queryClient.invalidateQueries({ queryKey: helloQuery.queryKey });
    };
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
}

/** Placeholder before the server's first answer. Shows nothing at first: on a near server the wait ends before anybody sees it. */
function Splash() {
  return (
    <div className="flex min-h-dvh animate-[pop_400ms_600ms_backwards] items-center justify-center">
      <Spinner label="Connecting to the server" className="size-5" />
    </div>
  );
}
