// A button whose menu or popover is still loading: it looks the same and remembers a press.
import { Slot } from 'radix-ui';
import type { PointerEvent, ReactNode } from 'react';

export interface LazyTriggerProps {
  readonly popup: 'menu' | 'dialog';
  readonly onWanted: () => void;
  readonly children: ReactNode;
}

export function LazyTrigger({ popup, onWanted, children }: LazyTriggerProps) {
  // The loaded part brings a button of its own: a press that begins on this one and ends on that one gives no click. It may come with this
  // very change, so the press is passed on after the browser has moved the focus: without this button it goes to an element outside of the
  // panel, which closes it.
  const onPointerDown = (event: PointerEvent) => {
    const isDisabled = event.currentTarget.getAttribute('aria-disabled') === 'true';
    if (event.pointerType === 'mouse' && event.button === 0 && !isDisabled) setTimeout(onWanted);
  };
  return (
    <Slot.Root aria-haspopup={popup} aria-expanded={false} onPointerDown={onPointerDown} onClick={onWanted}>
      {children}
    </Slot.Root>
  );
}
