// Replays a run's journal to an observer, as an engine would report it while recording.
import type { Entry } from '../engine/core/entries.ts';
import { applyEntry } from '../engine/core/apply-entry.ts';
import { newRunState } from '../engine/core/state.ts';
import type { RunObserver } from '../engine/observer.ts';
import type { Claim } from '../store/store.ts';

export function testClaim(claim: Partial<Claim> = {}): Claim {
  return {
    queue: 'task',
    key: '00000000-0000-7000-8000-000000000001',
    namespace: 'default',
    name: 'task',
    owner: 'worker-1',
    fence: 1,
    claimedAt: 0,
    leaseUntil: 0,
    notBefore: 0,
    takeover: false,
    takeovers: 0,
    requirements: {},
    ...claim,
  };
}

export interface Observing {
  readonly claim?: Claim;
  /** Entries that another worker recorded before: folded, not reported. */
  readonly before?: readonly Entry[];
  /** Entries of one write; default: all of them. */
  readonly writeMax?: number;
}

/** Folds and reports `entries` write by write. */
export function observeRun(observer: RunObserver, entries: readonly Entry[], options: Observing = {}): void {
  const { claim = testClaim(), before = [], writeMax = entries.length } = options;
  const state = newRunState();
  for (const entry of before) applyEntry(state, entry);
  for (let at = 0; at < entries.length; at += writeMax) {
    const written = entries.slice(at, at + writeMax);
    for (const entry of written) applyEntry(state, entry);
    observer.recorded(claim, written, { state, appendMs: 2 });
  }
}
