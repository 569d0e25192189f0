// Lets nobody see a page before the server has said who they are: fails closed, to signing in or to "does not answer".
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { reconnectNow } from '../../live/api.ts';
import { connection, useConnection } from '../../live/connection.ts';
import { problemOf } from '../../live/problem.ts';
import { Splash } from './Splash.tsx';
import { helloQuery } from './use-session.ts';

const SignInScreen = lazy(() => import('./SignInScreen.tsx').then((module) => ({ default: module.SignInScreen })));
const SignInAgainDialog = lazy(() => import('./SignInAgainDialog.tsx').then((module) => ({ default: module.SignInAgainDialog })));
const UnreachableScreen = lazy(() => import('./UnreachableScreen.tsx').then((module) => ({ default: module.UnreachableScreen })));

/** While the server does not answer; and while it does but the live stream does not. */
const RETRY_MS = 3_000;
const POLL_MS = 30_000;

function nextLook(error: unknown): number | false {
  const { phase } = connection.state();
  if (phase === 'live') return false;
  return phase === 'reconnecting' || (error != null && problemOf(error).retryable) ? RETRY_MS : POLL_MS;
}

export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { phase } = useConnection();
  const hello = useQuery({ ...helloQuery, retry: false, refetchInterval: ({ state }) => nextLook(state.error) });
  const { dataUpdatedAt } = hello;
  useEffect(() => {
    // It answers again: no reason to wait with the live stream.
    if (['reconnecting', 'offline'].includes(connection.state().phase)) reconnectNow();
  }, [dataUpdatedAt]);
  if (hello.data) {
    return (
      <>
        {children}
        {phase === 'unauthorized' && (
          <Suspense>
            <SignInAgainDialog />
          </Suspense>
        )}
      </>
    );
  }
  if (!hello.error) return <Splash />;
  return (
    <Suspense fallback={<Splash />}>
      {problemOf(hello.error).code === 'unauthorized' ? (
        <SignInScreen />
      ) : (
        <UnreachableScreen error={hello.error} retrying={hello.isFetching} onRetry={() => void hello.refetch()} />
      )}
    </Suspense>
  );
}
