// Excerpts of a text that keep surrogate pairs whole. Pure.

const isHigh = (unit: string) => /[\ud800-\udbff]/.test(unit);

/** The beginning, of `max` units at most. */
export function beginningOf(text: string, max: number): string {
  if (text.length <= max) return text;
  return text.slice(0, isHigh(text.charAt(max - 1)) ? max - 1 : max);
}

/** The end, of `max` units at most. */
export function endOf(text: string, max: number): string {
  const from = text.length - max;
  if (from <= 0) return text;
  return text.slice(isHigh(text.charAt(from - 1)) ? from + 1 : from);
}
