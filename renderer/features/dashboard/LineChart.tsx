// Lines over hours. An hour without a value is a gap in the line, and a value between two gaps is a dot.
import { cn } from '../../ui/cn.ts';
import { INK, type Tone } from '../../ui/status/tone.ts';
import { HourNote, usePointedHour } from './StackedBars.tsx';

interface Line {
  readonly id: string;
  readonly tone: Tone;
  readonly values: readonly (number | undefined)[];
}

export interface LineChartProps {
  readonly label: string;
  readonly lines: readonly Line[];
  readonly top: number;
  readonly describe: (index: number) => string;
  readonly className?: string;
}

/** The pieces of a line, each a run of hours that have a value. Pure. */
function pieces(values: readonly (number | undefined)[]): { readonly x: number; readonly value: number }[][] {
  const all: { x: number; value: number }[][] = [];
  values.forEach((value, index) => {
    if (value === undefined) return;
    const last = all.at(-1);
    if (last && values[index - 1] !== undefined) last.push({ x: index + 0.5, value });
    else all.push([{ x: index + 0.5, value }]);
  });
  return all;
}

/** A piece as an SVG path; a single value becomes a line of no length, which a round cap shows as a dot. Pure. */
function pathOf(piece: readonly { readonly x: number; readonly value: number }[], top: number): string {
  const points = piece.map(({ x, value }) => `${x} ${(1 - Math.min(1, value / top)).toFixed(4)}`);
  return points.length === 1 ? `M${points[0]}h0.001` : `M${points.join('L')}`;
}

export function LineChart({ label, lines, top, describe, className }: LineChartProps) {
  const count = lines[0]?.values.length ?? 0;
  const hours = usePointedHour(count);
  return (
    <div
      role="img"
      aria-label={label}
      tabIndex={0}
      {...hours.events}
      className={cn('relative rounded-sm focus-visible:outline-2 focus-visible:outline-offset-2 focus-visible:outline-focus', className)}
    >
      <svg aria-hidden viewBox={`0 0 ${count} 1`} preserveAspectRatio="none" className="absolute inset-0 size-full overflow-visible">
        {hours.at !== undefined && (
          <rect x={hours.at} y={0} width={1} height={1} className="text-neutral" fill="currentColor" opacity={0.12} />
        )}
        {lines.map(({ id, tone, values }) =>
          pieces(values).map((piece) => (
            <path
              key={`${id}${piece[0]?.x}`}
              d={pathOf(piece, top)}
              fill="none"
              stroke="currentColor"
              strokeWidth={piece.length === 1 ? 5 : 2}
              strokeLinecap="round"
              strokeLinejoin="round"
              vectorEffect="non-scaling-stroke"
              className={INK[tone]}
            />
          )),
        )}
      </svg>
      {hours.at !== undefined && <HourNote index={hours.at} count={count} text={describe(hours.at)} />}
    </div>
  );
}
