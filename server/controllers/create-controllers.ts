// The background work of a server: what one process of all does (under the leader's lease) and what any of them does (timers).
import type { Clock } from '../clock.ts';
import type { Claim, Store } from '../store/store.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Loop } from './runtime/loop.ts';

export interface ControllersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Names this process; different in each. */
  readonly owner: string;
  /** How long leadership and timers in hand are held without being renewed. */
  readonly leaseMs: number;
  /** A Worker that has not been heard of for this long is NotReady. */
  readonly workerTimeoutMs: number;
  readonly random: () => number;
  /** Further loops that only the leader runs; each is made anew for every term. */
  readonly leaderLoops?: readonly ((claim: Claim) => Loop)[];
}

export interface Controllers extends Loop {
  /** Whether this process is the leader now. */
  readonly leading: () => boolean;
}

export function createControllers(options: ControllersOptions): Controllers {
  void options;
  return { start: () => undefined, stop: () => Promise.resolve(), leading: () => false };
}
