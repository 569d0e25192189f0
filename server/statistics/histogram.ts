// Durations as counts per size class, each class 20 % wider than the one before: enough for quantiles within 10 %, and sums of histograms. Pure.

/** Count by class; classes without any are absent. */
export type Histogram = Readonly<Record<string, number>>;

const RATIO = 1.2;
/** About 30 years: what is longer counts as this. */
const CLASS_MAX = 150;

/** Class 0 holds up to 1 ms, class n what is above 1.2^(n-1) and up to 1.2^n. */
function classOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(CLASS_MAX, Math.ceil(Math.log(ms) / Math.log(RATIO)));
}

/** Its geometric middle. */
function valueOf(sizeClass: number): number {
  return sizeClass === 0 ? 1 : Math.round(RATIO ** (sizeClass - 0.5));
}

export function withDuration(histogram: Histogram, ms: number): Histogram {
  return addHistograms(histogram, { [classOf(ms)]: 1 });
}

export function addHistograms(a: Histogram, b: Histogram): Histogram {
  const sum: Record<string, number> = { ...a };
  for (const [sizeClass, count] of Object.entries(b)) sum[sizeClass] = (sum[sizeClass] ?? 0) + count;
  return sum;
}

/** The duration that a part of all, 0 to 1, does not exceed; undefined when there are none. */
export function quantile(histogram: Histogram, part: number): number | undefined {
  const classes = Object.entries(histogram)
    .map(([sizeClass, count]): [number, number] => [Number(sizeClass), count])
    .sort(([a], [b]) => a - b);
  const rank = Math.max(1, Math.ceil(part * classes.reduce((sum, [, count]) => sum + count, 0)));
  let seen = 0;
  for (const [sizeClass, count] of classes) {
    seen += count;
    if (seen >= rank) return valueOf(sizeClass);
  }
  return undefined;
}
