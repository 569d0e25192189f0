// The navigation on narrow screens: over the page, from the left.
import { X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { IconButton } from '../../ui/IconButton.tsx';
import { Wordmark } from '../Wordmark.tsx';
import { SideNav } from './SideNav.tsx';
import type { NavCounts } from './use-nav-counts.ts';

export interface NavDrawerProps {
  readonly onClose: () => void;
  readonly counts: NavCounts;
}

export function NavDrawer({ onClose, counts }: NavDrawerProps) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          className="fixed inset-y-0 left-0 z-40 w-64 max-w-[85vw] animate-pop overflow-y-auto bg-bg shadow-overlay focus-visible:outline-none"
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
