// State of the desktop app that a person should know on every page: a key without a keychain, safe mode, an update.
import { useMutation, useQuery } from '@tanstack/react-query';
import { native } from '../native/native.ts';
import { Banner } from '../ui/feedback/Banner.tsx';
import { Button } from '../ui/button/Button.tsx';
import { toastError } from '../ui/overlay/toast.ts';
import { PausedBanner } from './PausedBanner.tsx';
import { UpdateBanner } from './UpdateBanner.tsx';

export function DesktopBanner() {
  return native.desktop ? <Notices desktop={native.desktop} /> : null;
}

function Notices({ desktop }: { readonly desktop: NonNullable<typeof native.desktop> }) {
  const info = useQuery({ queryKey: ['desktop', 'info'], queryFn: () => desktop.getInfo() }).data;
  const leave = useMutation({
    mutationFn: () => desktop.restartBackend('normal'),
    onError: (error) => toastError('The desktop app did not do this', error),
  });
  return (
    <>
      <PausedBanner desktop={desktop} />
      {info?.safeMode && (
        <Banner
          tone="warn"
          action={
            <Button size="sm" busy={leave.isPending} onClick={() => leave.mutate()}>
              Leave safe mode
            </Button>
          }
        >
          Safe mode: no runs and no schedules start.
        </Banner>
      )}
      {info?.keyStore === 'file' && (
        <Banner tone="warn">
          The key of your Secrets is in a file that programs of your user can read, because this system has no keychain.
        </Banner>
      )}
      <UpdateBanner desktop={desktop} />
    </>
  );
}
