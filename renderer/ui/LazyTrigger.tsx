// A button whose menu or popover is still loading: it looks the same and remembers a press.
import { Slot } from 'radix-ui';
import type { ReactNode } from 'react';

export interface LazyTriggerProps {
  readonly popup: 'menu' | 'dialog';
  readonly onWanted: () => void;
  readonly children: ReactNode;
}

export function LazyTrigger({ popup, onWanted, children }: LazyTriggerProps) {
  return (
    <Slot.Root aria-haspopup={popup} aria-expanded={false} onClick={onWanted}>
      {children}
    </Slot.Root>
  );
}
