// The navigation on narrow screens: over the page, from the left.
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { useEffect } from 'react';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { useFocusReturn } from '../../ui/overlay/use-focus-return.ts';
import { Wordmark } from '../Wordmark.tsx';
import type { NavGroup } from './nav-model.ts';
import { SideNav } from './SideNav.tsx';
import type { NavCounts } from './use-nav-counts.ts';

export interface NavDrawerProps {
  readonly onClose: () => void;
  readonly groups: readonly NavGroup[];
  readonly counts: NavCounts;
}

/** From this width on the navigation is beside the page: Tailwind's `md`. */
const BESIDE = '(min-width: 48rem)';

/** Closes when a resized window or a turned device shows the navigation beside the page. */
function useCloseWhenWide(onClose: () => void): void {
  useEffect(() => {
    const wide = matchMedia(BESIDE);
    // The window may have become wide while the chunk of the drawer loaded.
    if (wide.matches) onClose();
    wide.addEventListener('change', onClose);
    return () => wide.removeEventListener('change', onClose);
  }, [onClose]);
}

export function NavDrawer({ onClose, groups, counts }: NavDrawerProps) {
  useCloseWhenWide(onClose);
  const giveBack = useFocusReturn(true);
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          onCloseAutoFocus={giveBack}
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-40 w-64 max-w-[85vw] animate-pop scroll-pb-14 flex-col overflow-y-auto bg-bg flex shadow-overlay focus-visible:outline-none forced-colors:border-r"
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
          <SideNav groups={groups} counts={counts} iconOnly={false} onFollow={onClose} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
