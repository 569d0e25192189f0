// A trend the size of a word.
import { cn } from '../cn.ts';
import { INK } from './tone.ts';

export interface SparklineProps {
  readonly values: readonly number[];
  /** Description of the trend: "Runs per hour, last 24 hours, highest 42". */
  readonly label: string;
  readonly className?: string;
}

const SIZE = { width: 120, height: 28 };

export function Sparkline({ values, label, className }: SparklineProps) {
  const { line, area } = sparklinePaths(values, SIZE);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      preserveAspectRatio="none"
      className={cn('h-7 w-full overflow-visible', INK.accent, className)}
    >
      <path d={area} fill="currentColor" opacity={0.1} />
      <path d={line} fill="none" stroke="currentColor" strokeWidth={1.5} vectorEffect="non-scaling-stroke" strokeLinejoin="round" />
    </svg>
  );
}

interface SparklinePaths {
  readonly line: string;
  readonly area: string;
}

/** Scales from zero (or the lowest value, when that is negative) to the highest. One value gives a flat line; none gives nothing. */
function sparklinePaths(values: readonly number[], size: { readonly width: number; readonly height: number }): SparklinePaths {
  const finite = values.map((value) => (Number.isFinite(value) ? value : 0));
  if (finite.length === 0) return { line: '', area: '' };
  const low = Math.min(0, ...finite);
  const span = Math.max(...finite) - low || 1;
  const drawn = finite.length === 1 ? [finite[0] ?? 0, finite[0] ?? 0] : finite;
  const inset = 1;
  const round = (value: number) => Math.round(value * 100) / 100;
  const points = drawn.map((value, index) => {
    const x = (index / (drawn.length - 1)) * size.width;
    const y = size.height - inset - ((value - low) / span) * (size.height - 2 * inset);
    return `${round(x)} ${round(y)}`;
  });
  const line = `M${points.join('L')}`;
  return { line, area: `${line}L${size.width} ${size.height}L0 ${size.height}Z` };
}
