// The pinned head of the waterfall: names of the columns, the time axis with its breaks, and zooming by dragging over it.
import { cn } from '../../../ui/cn.ts';
import { formatDuration } from '../../../ui/status/format.ts';
import type { Stretch } from '../model/idle.ts';
import type { LabelPlacement, TimeScale } from './time-scale.ts';
import { TRACE_COLUMNS, WIDE_ONLY } from './TraceRow.tsx';
import { useZoomDrag } from './use-zoom-drag.ts';

export interface TimeAxisProps {
  readonly scale: TimeScale;
  readonly origin: number;
  readonly zoomed: boolean;
  readonly onZoom: (zoom: Stretch | undefined) => void;
}

const IN_ROOM: Readonly<Record<LabelPlacement, string>> = { always: '', wide: '@max-[60rem]/trace:hidden', never: 'hidden' };

/** Shorter drags are clicks. */
const DRAG_MIN = 0.01;

export function TimeAxis({ scale, origin, zoomed, onZoom }: TimeAxisProps) {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={cn('sticky top-0 z-10 grid h-8 items-center border-b border-border bg-surface text-sm text-muted', TRACE_COLUMNS)}
    >
      <div role="columnheader" className="px-3 font-medium">
        Name
      </div>
      <Ruler scale={scale} origin={origin} zoomed={zoomed} onZoom={onZoom} />
      <div role="columnheader" className={cn('px-2 text-right font-medium', WIDE_ONLY)}>
        Start
      </div>
      <div role="columnheader" className="px-2 text-right font-medium">
        Duration
      </div>
      <div role="columnheader" className={cn('px-2 text-right font-medium', WIDE_ONLY)}>
        Tokens
      </div>
    </div>
  );
}

function Ruler({ scale, origin, zoomed, onZoom }: TimeAxisProps) {
  const { drag, events } = useZoomDrag({ scale, least: DRAG_MIN, onZoom });
  return (
    <div
      role="columnheader"
      aria-label={zoomed ? 'Time, zoomed in' : 'Time'}
      {...events}
      className="relative h-full cursor-crosshair touch-none overflow-hidden border-x border-border/50 select-none"
    >
      {scale.ticks.map(({ at, place, labelled }, index) => (
        <span
          key={place}
          style={{ left: `${place * 100}%` }}
          className={cn(
            'absolute inset-y-0 flex items-center border-l border-border pl-1 text-xs whitespace-nowrap tabular-nums',
            index % 2 === 1 && '@max-[60rem]/trace:hidden',
            index % 4 === 2 && '@max-[36rem]/trace:hidden',
          )}
        >
          {labelled !== 'never' && <span className={IN_ROOM[labelled]}>{formatDuration(Math.max(0, at - origin))}</span>}
        </span>
      ))}
      {scale.breaks
        .filter(({ labelled }) => labelled !== 'never')
        .map(({ at, ms, start, labelled }) => (
          <span
            key={start}
            title={`${formatDuration(ms)} idle`}
            // A label at an edge stays visible.
            style={{ left: `clamp(2rem, ${at * 100}%, 100% - 2rem)` }}
            className={cn(
              'absolute inset-y-1 z-1 flex -translate-x-1/2 items-center rounded-sm border border-dashed border-border-strong bg-sunken px-1 text-xs whitespace-nowrap tabular-nums',
              IN_ROOM[labelled],
            )}
          >
            {formatDuration(ms)}
          </span>
        ))}
      {drag && (
        <span
          aria-hidden
          style={{ left: `${Math.min(drag.from, drag.to) * 100}%`, width: `${Math.abs(drag.to - drag.from) * 100}%` }}
          className="absolute inset-y-0 bg-accent/25"
        />
      )}
    </div>
  );
}
