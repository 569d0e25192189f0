// Bars per hour, stacked by outcome. Drawn as SVG in units of the data, so that it fits any width; reports the hour under the pointer to
// the caller.
import { useState, type KeyboardEvent, type PointerEvent } from 'react';
import { cn } from '../../ui/cn.ts';
import { INK, type Tone } from '../../ui/status/tone.ts';

export interface Stack {
  readonly id: string;
  readonly tone: Tone;
  readonly values: readonly number[];
}

export interface StackedBarsProps {
  /** Description of all of it in a sentence. */
  readonly label: string;
  readonly stacks: readonly Stack[];
  readonly top: number;
  /** Text for the hour at this index, shown while the pointer is over it. */
  readonly describe: (index: number) => string;
  readonly className?: string;
}

const GAP = 0.22;

/** Start and height of each part of each bar, bottom up. Pure. */
function barParts(stacks: readonly Stack[], top: number) {
  const count = stacks[0]?.values.length ?? 0;
  return Array.from({ length: count }, (_, index) => {
    let below = 0;
    return stacks.flatMap(({ id, tone, values }) => {
      const height = (values[index] ?? 0) / top;
      if (height <= 0) return [];
      const part = { id, tone, y: 1 - below - height, height };
      below += height;
      return [part];
    });
  });
}

export function StackedBars({ label, stacks, top, describe, className }: StackedBarsProps) {
  const bars = barParts(stacks, top);
  const hours = usePointedHour(bars.length);
  return (
    <div
      role="img"
      aria-label={label}
      tabIndex={0}
      {...hours.events}
      className={cn('relative rounded-sm focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-focus', className)}
    >
      <svg aria-hidden viewBox={`0 0 ${bars.length} 1`} preserveAspectRatio="none" className="absolute inset-0 size-full">
        {hours.at !== undefined && (
          <rect x={hours.at} y={0} width={1} height={1} className="text-neutral" fill="currentColor" opacity={0.12} />
        )}
        {bars.map((parts, index) =>
          parts.map(({ id, tone, y, height }) => (
            <rect
              key={`${index}${id}`}
              x={index + GAP / 2}
              y={y}
              width={1 - GAP}
              height={height}
              className={INK[tone]}
              fill="currentColor"
            />
          )),
        )}
      </svg>
      {hours.at !== undefined && <HourNote index={hours.at} count={bars.length} text={describe(hours.at)} />}
    </div>
  );
}

export function HourNote({ index, count, text }: { readonly index: number; readonly count: number; readonly text: string }) {
  const [first = '', ...rest] = text.split('\n');
  const right = index > count / 2;
  return (
    <span
      className="pointer-events-none absolute -top-2 z-20 w-max max-w-64 rounded-md bg-tooltip px-2 py-1 text-sm text-on-tooltip shadow-overlay"
      style={right ? { right: `${(1 - index / count) * 100}%` } : { left: `${((index + 1) / count) * 100}%` }}
    >
      <span className="block font-medium">{first}</span>
      {rest.join(' ')}
    </span>
  );
}

/** The hour under the pointer, or at the keyboard cursor. */
export function usePointedHour(count: number) {
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
