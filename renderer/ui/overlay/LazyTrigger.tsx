// A button whose menu or popover is still loading: it looks the same and remembers a press.
import { Slot } from 'radix-ui';
import type { PointerEvent, ReactNode } from 'react';

export interface LazyTriggerProps {
  readonly popup: 'menu' | 'dialog';
  readonly onWanted: () => void;
  readonly children: ReactNode;
}

export function LazyTrigger({ popup, onWanted, children }: LazyTriggerProps) {
  // The loaded part brings a button of its own: a press that begins on this one and ends on that one gives no click.
  const onPointerDown = (event: PointerEvent) => {
    const isDisabled = event.currentTarget.getAttribute('aria-disabled') === 'true';
    if (event.pointerType === 'mouse' && event.button === 0 && !isDisabled) onWanted();
  };
  return (
    <Slot.Root aria-haspopup={popup} aria-expanded={false} onPointerDown={onPointerDown} onClick={onWanted}>
      {children}
    </Slot.Root>
  );
}
