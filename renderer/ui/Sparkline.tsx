// A trend the size of a word.
import { cn } from './cn.ts';
import { sparklinePaths } from './sparkline-path.ts';
import { INK, type Tone } from './tone.ts';

export interface SparklineProps {
  readonly values: readonly number[];
  /** Description of the trend: "Runs per hour, last 24 hours, highest 42". */
  readonly label: string;
  readonly tone?: Tone;
  readonly className?: string;
}

const SIZE = { width: 120, height: 28 };

export function Sparkline({ values, label, tone = 'accent', className }: SparklineProps) {
  const { line, area } = sparklinePaths(values, SIZE);
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      preserveAspectRatio="none"
      className={cn('h-7 w-full overflow-visible', INK[tone], className)}
    >
      <path d={area} fill="currentColor" opacity={0.1} />
      <path d={line} fill="none" stroke="currentColor" strokeWidth={1.5} vectorEffect="non-scaling-stroke" strokeLinejoin="round" />
    </svg>
  );
}
