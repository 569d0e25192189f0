// Position of a tooltip: at the requested side, at the opposite one when there is no room, never outside of the window. Pure.

export type TooltipSide = 'top' | 'right' | 'bottom' | 'left';

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const GAP = 6;
const MARGIN = 8;
const OPPOSITE: Readonly<Record<TooltipSide, TooltipSide>> = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' };

function at(side: TooltipSide, anchor: Box, size: Size): { readonly left: number; readonly top: number } {
  const middle = { left: anchor.left + (anchor.width - size.width) / 2, top: anchor.top + (anchor.height - size.height) / 2 };
  if (side === 'top') return { left: middle.left, top: anchor.top - size.height - GAP };
  if (side === 'bottom') return { left: middle.left, top: anchor.top + anchor.height + GAP };
  if (side === 'left') return { left: anchor.left - size.width - GAP, top: middle.top };
  return { left: anchor.left + anchor.width + GAP, top: middle.top };
}

export function tooltipPlace(
  side: TooltipSide,
  anchor: Box,
  room: { readonly size: Size; readonly window: Size },
): { left: number; top: number } {
  const { size, window } = room;
  const fits = (each: TooltipSide) => {
    const place = at(each, anchor, size);
    return each === 'top' || each === 'bottom'
      ? place.top >= MARGIN && place.top + size.height <= window.height - MARGIN
      : place.left >= MARGIN && place.left + size.width <= window.width - MARGIN;
  };
  const place = at(fits(side) || !fits(OPPOSITE[side]) ? side : OPPOSITE[side], anchor, size);
  const clamp = (value: number, length: number, whole: number) => Math.round(Math.max(MARGIN, Math.min(value, whole - length - MARGIN)));
  return { left: clamp(place.left, size.width, window.width), top: clamp(place.top, size.height, window.height) };
}
