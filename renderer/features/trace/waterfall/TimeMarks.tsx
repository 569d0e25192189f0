// Marks behind the bars: grid lines, folded idle stretches, the place of a replay.
import type { TimeScale } from './time-scale.ts';
import { cn } from '../../../ui/cn.ts';
import { TRACE_COLUMNS } from './TraceRow.tsx';

export interface TimeMarksProps {
  readonly scale: TimeScale;
  readonly moment: number | undefined;
}

/** Closer ones would merge into a grey area. */
const BREAKS_MAX = 40;

export function TimeMarks({ scale, moment }: TimeMarksProps) {
  const head = moment === undefined ? undefined : scale.place(moment);
  return (
    <div aria-hidden className={cn('pointer-events-none absolute inset-0 grid', TRACE_COLUMNS)}>
      <div />
      <div className="relative overflow-hidden">
        {scale.ticks.slice(1).map(({ place }) => (
          <span key={place} style={{ left: `${place * 100}%` }} className="absolute inset-y-0 border-l border-border/40" />
        ))}
        {scale.breaks.slice(0, BREAKS_MAX).map(({ at, start }) => (
          <span
            key={start}
            style={{ left: `${at * 100}%` }}
            className="absolute inset-y-0 w-2.5 -translate-x-1/2 border-x border-dashed border-border-strong/60 bg-sunken"
          />
        ))}
        {head !== undefined && head >= 0 && head <= 1 && (
          <span data-playhead style={{ left: `${head * 100}%` }} className="absolute inset-y-0 z-1 border-l-2 border-accent" />
        )}
      </div>
    </div>
  );
}
