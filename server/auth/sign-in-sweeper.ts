// Removes expired sign-ins. Runs on the leader.
import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { createWakeUp } from '../wake-up.ts';
import { sweepSignIns } from './sign-in-documents.ts';

const SWEEP_INTERVAL_MS = 10 * 60_000;

export interface SignInSweeperOptions {
  readonly store: Pick<Store, 'transaction' | 'getDocument' | 'listDocuments'>;
  readonly clock: Clock;
  /** Told about rounds that failed; the next one tries again. */
  readonly reportError: (error: unknown) => void;
}

export interface SignInSweeper {
  /** Idempotent. */
  start(): void;
  /** Resolves when a round that is under way has ended. Idempotent; safe when never started. */
  stop(): Promise<void>;
}

export function createSignInSweeper({ store, clock, reportError }: SignInSweeperOptions): SignInSweeper {
  const tick = () => sweepSignIns(store, clock.now()).then(() => undefined);
  return createWakeUp({ clock, tick, pollMs: SWEEP_INTERVAL_MS, retryMs: SWEEP_INTERVAL_MS, onError: reportError });
}
