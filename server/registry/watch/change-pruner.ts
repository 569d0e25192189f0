// Keeps the change log at its retained length. Watchers whose cursor falls off the end get a resync, so pruning loses nobody anything.
import type { Clock } from '../../clock.ts';
import type { Store } from '../../store/store.ts';
import { createWakeUp } from '../../wake-up.ts';

const PRUNE_INTERVAL_MS = 60_000;

export interface ChangePrunerOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** The newest changes to keep. */
  readonly keepNewest: number;
  /** Told about rounds that failed; the next one tries again. */
  readonly reportError: (error: unknown) => void;
}

export interface ChangePruner {
  /** Idempotent. */
  start(): void;
  /** Resolves when a round that is under way has ended. Idempotent; safe when never started. */
  stop(): Promise<void>;
  /** Prunes once; returns how many changes were dropped. */
  runOnce(): Promise<number>;
}

export function createChangePruner({ store, clock, keepNewest, reportError }: ChangePrunerOptions): ChangePruner {
  const runOnce = () => store.pruneChanges({ keepNewest });
  const tick = () => runOnce().then(() => undefined);
  const loop = createWakeUp({ clock, tick, pollMs: PRUNE_INTERVAL_MS, retryMs: PRUNE_INTERVAL_MS, onError: reportError });
  return { start: loop.start, stop: loop.stop, runOnce };
}
