// Blocks the console of another server until its gateway has found a server that this console can show; says what is wrong otherwise.
import { useQuery } from '@tanstack/react-query';
import { Suspense, type ReactNode } from 'react';
import { callRest } from '../../live/rest.ts';
import { native } from '../../native/native.ts';
import { PROFILE_ID, PROFILE_STATUS_KEY } from '../../native/profile.ts';
import { lazyPart } from '../../ui/lazy-part.ts';
import { nameServer } from '../../ui/link/base-path.ts';
import { Spinner } from '../../ui/feedback/Spinner.tsx';

import type { ProfileStatus } from './ProfileProblem.tsx';

const ProfileProblem = lazyPart(async () => (await import('./ProfileProblem.tsx')).ProfileProblem);

export function ProfileGate({ children }: { readonly children: ReactNode }) {
  return PROFILE_ID === undefined ? children : <Checked>{children}</Checked>;
}

function Checked({ children }: { readonly children: ReactNode }) {
  const check = useQuery({
    queryKey: PROFILE_STATUS_KEY,
    queryFn: async ({ signal }) => {
      const status = (await callRest('/.gateway', { signal })).body as ProfileStatus;
      nameServer({ name: status.name, address: status.origin });
      return status;
    },
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (check.data?.ok) return children;
  if (check.isPending) return <Waiting />;
  return (
    <Suspense fallback={<Waiting />}>
      <ProfileProblem
        status={check.data}
        error={check.error}
        retrying={check.isFetching}
        onRetry={() => void check.refetch()}
        onOpenOutside={native.canOpenOutside(check.data?.origin ?? '') ? (url) => native.openOutside(url) : undefined}
        onLeave={() => void native.desktop?.profiles.select(null)}
      />
    </Suspense>
  );
}

function Waiting() {
  return (
    <div className="flex min-h-dvh animate-[pop_400ms_600ms_backwards] items-center justify-center">
      <Spinner label="Connecting to the other server" className="size-5" />
    </div>
  );
}
