// Lets nobody see a page before the server has said who they are: fails closed, to signing in or to "does not answer".
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
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

export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { phase } = useConnection();
  const hello = useQuery({
    ...helloQuery,
    retry: false,
    refetchInterval: ({ state }) =>
      state.error && problemOf(state.error).retryable ? RETRY_MS : connection.state().phase === 'live' ? false : POLL_MS,
  });
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
