// A drawing of hours that fits any width, with a note about the hour under the pointer or at the keyboard cursor.
import { useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import { hourSentence, hourText, type RunHistory } from './run-stats.ts';

export interface HourPlotProps {
  /** Description of all of it in a sentence. */
  readonly label: string;
  readonly buckets: RunHistory['buckets'];
  /** SVG in units of the data: one hour wide is 1, the height is 1. */
  readonly children: ReactNode;
}

export function HourPlot({ label, buckets, children }: HourPlotProps) {
  const count = buckets.length;
  const { at, events } = usePointedHour(count);
  const hour = at === undefined ? undefined : buckets[at];
  return (
    <div
      role="img"
      aria-label={label}
      tabIndex={0}
      {...events}
      className="absolute inset-0 rounded-sm focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-focus"
    >
      <svg aria-hidden viewBox={`0 0 ${count} 1`} preserveAspectRatio="none" className="absolute inset-0 size-full overflow-visible">
        {at !== undefined && <rect x={at} y={0} width={1} height={1} className="text-neutral" fill="currentColor" opacity={0.12} />}
        {children}
      </svg>
      {at !== undefined && hour && <HourNote index={at} count={count} hour={hour} />}
    </div>
  );
}

interface HourNoteProps {
  readonly index: number;
  readonly count: number;
  readonly hour: RunHistory['buckets'][number];
}

function HourNote({ index, count, hour }: HourNoteProps) {
  const right = index > count / 2;
  return (
    <span
      className="pointer-events-none absolute -top-2 z-20 w-max max-w-64 rounded-md bg-tooltip px-2 py-1 text-sm text-on-tooltip shadow-overlay"
      style={right ? { right: `${(1 - index / count) * 100}%` } : { left: `${((index + 1) / count) * 100}%` }}
    >
      <span className="block font-medium">{hourText(hour)}</span>
      {hourSentence(hour)}
    </span>
  );
}

/** The hour under the pointer, or at the keyboard cursor. */
function usePointedHour(count: number) {
  const [at, setAt] = useState<number>();
  const events = {
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const box = event.currentTarget.getBoundingClientRect();
      setAt(Math.min(count - 1, Math.max(0, Math.floor(((event.clientX - box.left) / box.width) * count))));
    },
    onPointerLeave: () => setAt(undefined),
    onBlur: () => setAt(undefined),
    onKeyDown: (event: KeyboardEvent) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      setAt((before) => Math.min(count - 1, Math.max(0, (before ?? count) + step)));
    },
  };
  return { at: at !== undefined && at < count ? at : undefined, events };
}
