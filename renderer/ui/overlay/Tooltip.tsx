// A short hint on hover and focus. Never the only place of information that people need.
// Not Radix's tooltip: it adds 17 KB gz of positioning code to the first screen and exceeds the limit of 180 KB.
import { Slot } from 'radix-ui';
import { useId, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { createPortal } from 'react-dom';
import { Kbd } from '../text/Kbd.tsx';
import { tooltipPlace, type TooltipSide } from './tooltip-place.ts';
import { useTooltip } from './use-tooltip.ts';

export interface TooltipProps {
  readonly text: ReactNode;
  readonly keys?: string | undefined;
  readonly side?: TooltipSide;
  /** False where the element's name already has the same text. */
  readonly describes?: boolean;
  /** One element that takes a ref and can have focus. */
  readonly children: ReactNode;
}

export function Tooltip({ text, keys, side = 'top', describes = true, children }: TooltipProps) {
  const id = useId();
  const anchor = useRef<HTMLElement>(null);
  const { open, anchorEvents, bubbleEvents } = useTooltip();
  return (
    <>
      <Slot.Root ref={anchor} {...(open && describes && { 'aria-describedby': id })} {...anchorEvents}>
        {children}
      </Slot.Root>
      {open &&
        createPortal(
          <Bubble id={id} anchor={anchor} side={side} {...bubbleEvents}>
            {text}
            {keys && <Kbd keys={keys} />}
          </Bubble>,
          document.body,
        )}
    </>
  );
}

interface BubbleProps {
  readonly id: string;
  readonly anchor: RefObject<HTMLElement | null>;
  readonly side: TooltipSide;
  readonly onPointerEnter: () => void;
  readonly onPointerLeave: () => void;
  readonly children: ReactNode;
}

function Bubble({ id, anchor, side, children, ...events }: BubbleProps) {
  const bubble = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number }>();
  useLayoutEffect(() => {
    const box = anchor.current?.getBoundingClientRect();
    const size = bubble.current?.getBoundingClientRect();
    if (box && size) setPlace(tooltipPlace(side, box, { size, window: { width: innerWidth, height: innerHeight } }));
  }, [anchor, side]);
  return (
    <div
      {...events}
      ref={bubble}
      id={id}
      role="tooltip"
      style={place ?? { left: 0, top: 0, visibility: 'hidden' }}
      className="pointer-events-auto fixed z-50 flex w-max max-w-80 items-center gap-2 rounded-md bg-tooltip px-2 py-1 text-sm font-normal break-words text-on-tooltip shadow-overlay"
    >
      {children}
    </div>
  );
}
