// Zooms into the part of a time scale that is dragged over; a double click shows all of it.
import { useState, type PointerEvent } from 'react';
import type { Stretch } from '../model/idle.ts';
import type { TimeScale } from './time-scale.ts';

export interface ZoomDrag {
  readonly scale: TimeScale;
  /** Shorter drags are clicks: a share of the width. */
  readonly least: number;
  readonly onZoom: (zoom: Stretch | undefined) => void;
}

/** The dragged part, in shares of the width, and the events of the element that is dragged over. */
export function useZoomDrag({ scale, least, onZoom }: ZoomDrag) {
  const [drag, setDrag] = useState<{ readonly from: number; readonly to: number }>();
  const shareOf = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
  };
  const finish = () => {
    if (!drag) return;
    const [from, to] = drag.from < drag.to ? [drag.from, drag.to] : [drag.to, drag.from];
    if (to - from > least) onZoom({ start: scale.moment(from), end: scale.moment(to) });
    setDrag(undefined);
  };
  const events = {
    title: 'Drag to zoom in, double-click to see all',
    onPointerDown: (event: PointerEvent) => {
      // The menu of another button takes the release of the pointer.
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const share = shareOf(event);
      setDrag({ from: share, to: share });
    },
    onPointerMove: (event: PointerEvent) => drag && setDrag({ ...drag, to: shareOf(event) }),
    onPointerUp: finish,
    onPointerCancel: () => setDrag(undefined),
    onDoubleClick: () => onZoom(undefined),
  };
  return { drag, events };
}
