// The navigation on narrow screens: over the page, from the left.
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect } from 'react';
import { IconButton } from '../../ui/IconButton.tsx';
import { useFocusReturn } from '../../ui/use-focus-return.ts';
import { Wordmark } from '../Wordmark.tsx';
import { SideNav } from './SideNav.tsx';
import type { NavCounts } from './use-nav-counts.ts';

export interface NavDrawerProps {
  readonly onClose: () => void;
  readonly counts: NavCounts;
}

/** From here on the column beside the page is there: Tailwind's `lg`. */
const WIDE = '(min-width: 64rem)';

/** A window that is made wider, or a device that is turned, leaves no navigation over the one that has come. */
function useCloseWhenWide(onClose: () => void): void {
  useEffect(() => {
    const wide = matchMedia(WIDE);
    wide.addEventListener('change', onClose);
    return () => wide.removeEventListener('change', onClose);
  }, [onClose]);
}

export function NavDrawer({ onClose, counts }: NavDrawerProps) {
  useCloseWhenWide(onClose);
  const giveBack = useFocusReturn(true);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          onCloseAutoFocus={giveBack}
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-40 w-64 max-w-[85vw] animate-pop overflow-y-auto bg-bg shadow-overlay focus-visible:outline-none forced-colors:border-r"
        >
          <div className="flex h-12 items-center justify-between pr-2 pl-4">
            <Dialog.Title asChild>
              <span>
                <Wordmark />
                <span className="sr-only">: navigation</span>
              </span>
            </Dialog.Title>
            <IconButton label="Close navigation" icon={<X />} onClick={onClose} />
          </div>
          <SideNav counts={counts} iconOnly={false} onFollow={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
