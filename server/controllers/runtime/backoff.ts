// How long to wait before something that failed is tried again. Pure.

export interface BackoffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** Exponents past this change nothing but would overflow. */
const DOUBLINGS_MAX = 52;

/** Doubles from `baseMs` with each failure (counted from 1) up to `maxMs`; half of it is spread by `random` in [0, 1), so that failures of one moment do not come back as one. */
export function backoffMs(failures: number, { baseMs, maxMs }: BackoffLimits, random: number): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX));
  return Math.round(full / 2 + (full / 2) * random);
}
