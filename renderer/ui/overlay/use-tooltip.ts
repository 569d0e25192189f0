// Timing of a tooltip: opens after a moment's hover, at once on keyboard focus; closes when the pointer leaves both it and its element, or on Escape.
import { useEffect, useRef, useState, type PointerEvent } from 'react';

const OPEN_MS = 350;
/** Time to get from the element onto the tooltip. */
const CLOSE_MS = 120;
/** After a recently closed tooltip the next one opens at once. */
const WARM_MS = 300;

let lastClosed = 0;

export function useTooltip() {
  const [open, setOpen] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const plan = (next: boolean, ms: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (!next) lastClosed = Date.now();
      setOpen(next);
    }, ms);
  };
  const close = () => {
    clearTimeout(timer.current);
    setOpen(false);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!open) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setOpen(false);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [open]);
  const anchorEvents = {
    onPointerEnter: (event: PointerEvent) => {
      if (event.pointerType !== 'touch') plan(true, Date.now() - lastClosed < WARM_MS ? 0 : OPEN_MS);
    },
    onPointerLeave: () => plan(false, CLOSE_MS),
    onPointerDown: close,
    onFocus: (event: { readonly currentTarget: Element }) => {
      if (event.currentTarget.matches(':focus-visible')) plan(true, 0);
    },
    onBlur: close,
  };
  const bubbleEvents = { onPointerEnter: () => plan(true, 0), onPointerLeave: () => plan(false, CLOSE_MS) };
  return { open, anchorEvents, bubbleEvents };
}
