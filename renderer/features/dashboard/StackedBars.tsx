// Bars per hour, stacked by outcome.
import { INK, type Tone } from '../../ui/status/tone.ts';
import { HourPlot, type HourPlotProps } from './HourPlot.tsx';

interface Stack {
  readonly id: string;
  readonly tone: Tone;
  readonly values: readonly number[];
}

export interface StackedBarsProps extends Omit<HourPlotProps, 'children'> {
  readonly stacks: readonly Stack[];
  readonly top: number;
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

export function StackedBars({ stacks, top, ...plot }: StackedBarsProps) {
  return (
    <HourPlot {...plot}>
      {barParts(stacks, top).map((parts, index) =>
        parts.map(({ id, tone, y, height }) => (
          <rect key={`${index}${id}`} x={index + GAP / 2} y={y} width={1 - GAP} height={height} className={INK[tone]} fill="currentColor" />
        )),
      )}
    </HourPlot>
  );
}
