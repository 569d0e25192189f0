// What runs down behind the bars: grid lines, folded idle stretches, the place of a replay.
import { formatDuration } from '../../ui/format.ts';
import type { TimeScale } from './time-scale.ts';
import { cn } from '../../ui/cn.ts';
import { TRACE_COLUMNS } from './TraceRow.tsx';

export interface TimeMarksProps {
  readonly scale: TimeScale;
  readonly moment: number | undefined;
}

export function TimeMarks({ scale, moment }: TimeMarksProps) {
  const head = moment === undefined ? undefined : scale.place(moment);
  return (
    <div aria-hidden className={cn('pointer-events-none absolute inset-0 grid', TRACE_COLUMNS)}>
      <div />
      <div className="relative overflow-hidden">
        {scale.ticks.slice(1).map(({ place }) => (
          <span key={place} style={{ left: `${place * 100}%` }} className="absolute inset-y-0 border-l border-border/40" />
        ))}
        {scale.breaks.map(({ at, ms, start }) => (
          <span
            key={start}
            style={{ left: `${at * 100}%` }}
            className="absolute inset-y-0 w-3 -translate-x-1/2 border-x border-dashed border-border-strong/60 bg-sunken"
          >
            <span className="absolute top-1 left-1/2 z-1 -translate-x-1/2 rounded-sm border border-border bg-surface px-1 text-xs whitespace-nowrap text-muted tabular-nums">
              {formatDuration(ms)}
            </span>
          </span>
        ))}
        {head !== undefined && head >= 0 && head <= 1 && (
          <span data-playhead style={{ left: `${head * 100}%` }} className="absolute inset-y-0 z-1 border-l-2 border-accent" />
        )}
      </div>
    </div>
  );
}
