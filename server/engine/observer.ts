// Port for observers of the engine: metrics, traces, logs. They only listen; a run never waits for them.
import type { Claim } from '../store/store.ts';
import type { Entry } from './core/entries.ts';
import type { RunState } from './core/state.ts';

export interface RunObserver {
  /** A claim was opened. `waitedMs`: since the Task could first have been taken. */
  claimed(claim: Claim, waitedMs: number): void;
  /** These entries of the claim's run are durable now; called in journal order. `state` is the run after them; `appendMs` is how long the append took. */
  recorded(claim: Claim, entries: readonly Entry[], context: { readonly state: RunState; readonly appendMs: number }): void;
  /** The claim was taken over by another worker, or expired: the last writes of its run were dropped. */
  leaseLost(claim: Claim): void;
}

export const silentObserver: RunObserver = { claimed: () => undefined, recorded: () => undefined, leaseLost: () => undefined };
