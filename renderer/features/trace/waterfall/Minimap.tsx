// The whole of a long run in one strip: load over time, failures, and the part that the waterfall shows. Drag to zoom.
import { useMemo } from 'react';
import type { Stretch } from '../model/idle.ts';
import type { SpanFold } from '../model/spans.ts';
import type { TimeScale } from './time-scale.ts';
import { minimapBins } from './trace-stats.ts';
import { useZoomDrag } from './use-zoom-drag.ts';

export interface MinimapProps {
  readonly fold: SpanFold;
  readonly version: number;
  /** Time scale of the whole run. */
  readonly scale: TimeScale;
  readonly now: number;
  readonly zoom: Stretch | undefined;
  readonly onZoom: (zoom: Stretch | undefined) => void;
}

const BINS = 240;
const HEIGHT = 28;
const DRAG_MIN = 0.005;

export function Minimap({ fold, version, scale, now, zoom, onZoom }: MinimapProps) {
  const bins = useMemo(() => (version >= 0 ? minimapBins(fold, scale.place, { now, bins: BINS }) : []), [fold, version, scale, now]);
  const { drag, events } = useZoomDrag({ scale, least: DRAG_MIN, onZoom });
  const most = Math.max(1, ...bins.map(({ busy }) => busy));
  const shown = drag ?? (zoom && { from: scale.place(zoom.start), to: scale.place(zoom.end) });
  return (
    <div
      role="img"
      aria-label={`Overview: at most ${most} calls at a time, ${bins.filter(({ failed }) => failed).length} parts with failures`}
      {...events}
      className="relative h-9 shrink-0 cursor-crosshair touch-none border-b border-border bg-sunken px-0 select-none"
    >
      <svg viewBox={`0 0 ${BINS} ${HEIGHT}`} preserveAspectRatio="none" className="absolute inset-x-0 inset-y-1 h-7 w-full" aria-hidden>
        <path d={barsPath(bins.map(({ busy }) => busy / most))} className="fill-info" opacity={0.55} />
        {bins.map(({ failed }, index) => failed && <rect key={index} x={index} y={0} width={1} height={HEIGHT} className="fill-danger" />)}
      </svg>
      {shown && (
        <span
          aria-hidden
          style={{ left: `${Math.min(shown.from, shown.to) * 100}%`, width: `${Math.max(0.3, Math.abs(shown.to - shown.from) * 100)}%` }}
          className="absolute inset-y-0 border-x-2 border-accent bg-accent/20"
        />
      )}
    </div>
  );
}

function barsPath(heights: readonly number[]): string {
  return heights
    .map((height, index) => (height === 0 ? '' : `M${index} ${HEIGHT}V${(HEIGHT * (1 - height)).toFixed(1)}h1V${HEIGHT}Z`))
    .join('');
}
