// The wait before something that failed is retried: it doubles with each failure up to a limit. Pure.

/** `none`: the doubled wait itself. `full`: uniform between 0 and it. `equal`: uniform between half of it and all of it. */
export type BackoffJitter = 'none' | 'full' | 'equal';

export interface BackoffRule {
  /** Wait after the first failure. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  readonly jitter: BackoffJitter;
}

export interface BackoffMoment {
  /** Failures in a row so far, from 1. */
  readonly failures: number;
  /** Uniform in [0, 1); spreads the retries of failures that happened at one moment. */
  readonly random: number;
  /** A wait that the other side demands: a floor, capped by `maxBackoffMs` like everything. */
  readonly retryAfterMs?: number | undefined;
}

/** Larger exponents leave the range of exact integers. */
const DOUBLINGS_MAX = 52;

/** Milliseconds, an integer. */
export function backoffMs(rule: BackoffRule, { failures, random, retryAfterMs = 0 }: BackoffMoment): number {
  const full = Math.min(rule.maxBackoffMs, rule.backoffMs * 2 ** Math.min(failures - 1, DOUBLINGS_MAX));
  const wait = { none: full, full: full * random, equal: full / 2 + (full / 2) * random }[rule.jitter];
  return Math.round(Math.max(wait, Math.min(retryAfterMs, rule.maxBackoffMs)));
}
