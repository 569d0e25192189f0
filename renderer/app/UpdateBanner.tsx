// Update of the desktop app that can be installed, and the reason while it cannot.
import { useMutation } from '@tanstack/react-query';
import type { DesktopApi } from '@svc/shared/desktop-api';
import { useState } from 'react';
import { updateText, useUpdate } from '../native/use-update.ts';
import { Banner } from '../ui/feedback/Banner.tsx';
import { Button } from '../ui/button/Button.tsx';
import { toastError } from '../ui/overlay/toast.ts';

const SHOWN = ['available', 'downloading', 'ready', 'blocked', 'installing', 'failed'];

export function UpdateBanner({ desktop }: { readonly desktop: DesktopApi }) {
  const update = useUpdate(desktop);
  const [later, setLater] = useState(false);
  const install = useMutation({
    mutationFn: () => desktop.updates.install(),
    onError: (error) => toastError('The update was not installed', error),
  });
  // A check that failed has found no version.
  if (later || !update || update.version === null || !SHOWN.includes(update.phase)) return null;
  return (
    <Banner
      tone={update.message === null ? 'info' : 'warn'}
      onDismiss={() => setLater(true)}
      action={
        <Button size="sm" variant="primary" busy={install.isPending} onClick={() => install.mutate()}>
          Restart to update
        </Button>
      }
    >
      {updateText(update)}
    </Banner>
  );
}
