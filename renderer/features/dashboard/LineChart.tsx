// Lines over hours. An hour without a value is a gap in the line, and a value between two gaps is a dot.
import { INK, type Tone } from '../../ui/status/tone.ts';
import { HourPlot, type HourPlotProps } from './HourPlot.tsx';

interface Line {
  readonly id: string;
  readonly tone: Tone;
  readonly values: readonly (number | undefined)[];
}

export interface LineChartProps extends Omit<HourPlotProps, 'children'> {
  readonly lines: readonly Line[];
  readonly top: number;
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

export function LineChart({ lines, top, ...plot }: LineChartProps) {
  return (
    <HourPlot {...plot}>
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
    </HourPlot>
  );
}
