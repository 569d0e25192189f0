// Pause of the work on this machine's server, which the tray of the desktop app or this page begins, with its end.
import { useMutation, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { DesktopApi } from '@svc/shared/desktop-api';
import { useEffect } from 'react';
import { PROFILE_ID } from '../native/profile.ts';
import { useCanWrite } from '../sign-in/can-write.ts';
import { Banner } from '../ui/feedback/Banner.tsx';
import { Button } from '../ui/button/Button.tsx';
import { toastError } from '../ui/overlay/toast.ts';

const KEY = ['desktop', 'work'];

/** The answer of a query in flight may be older. An invalidation alone would wait for the first one, and take it. */
async function readAgain(client: QueryClient): Promise<void> {
  await client.cancelQueries({ queryKey: KEY });
  await client.invalidateQueries({ queryKey: KEY });
}

export function PausedBanner({ desktop }: { readonly desktop: DesktopApi }) {
  const client = useQueryClient();
  const { data } = useQuery({ queryKey: KEY, queryFn: () => desktop.work.get() });
  useEffect(() => desktop.onWork(() => void readAgain(client)), [client, desktop]);
  const { allowed } = useCanWrite('admin');
  const resume = useMutation({
    mutationFn: () => desktop.work.pause(false),
    onError: (error) => toastError('The work was not resumed', error),
    onSettled: () => client.invalidateQueries({ queryKey: KEY }),
  });
  // The server of another machine is not paused.
  if (!data?.paused || PROFILE_ID !== undefined) return null;
  const action = allowed && (
    <Button size="sm" busy={resume.isPending} onClick={() => resume.mutate()}>
      Resume work
    </Button>
  );
  return (
    <Banner tone="warn" {...(action && { action })}>
      Work is paused: runs wait, and schedules only queue theirs, until work is resumed.
    </Banner>
  );
}
