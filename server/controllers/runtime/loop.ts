// Background loops: their interface, and the loop that does one thing at an interval.
import type { Clock } from '../../clock.ts';
import { createWakeUp } from '../../wake-up.ts';

export interface Loop {
  /** Idempotent. */
  start(): void;
  /** Resolves when nothing of the loop runs. Idempotent; safe when never started. */
  stop(): Promise<void>;
}

export interface PeriodicLoopOptions {
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly run: () => Promise<unknown>;
  /** Receives the error of a failed round; the next round comes after the interval. */
  readonly reportError: (error: unknown) => void;
}

/** Runs at the start, then at the interval, as sweeps of expired data do. */
export function createPeriodicLoop({ clock, intervalMs, run, reportError }: PeriodicLoopOptions): Loop {
  const tick = () => run().then(() => undefined);
  return createWakeUp({ clock, tick, pollMs: intervalMs, retryMs: intervalMs, onError: reportError });
}
