// The line and the area of a small chart. Pure.

export interface SparklinePaths {
  readonly line: string;
  readonly area: string;
}

/** Scales from zero (or the lowest value, when that is negative) to the highest. One value gives a flat line; none gives nothing. */
export function sparklinePaths(values: readonly number[], size: { readonly width: number; readonly height: number }): SparklinePaths {
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
