// One claimed Task in a worker's hands: its claim and the ways to reach its run.
import type { DriveControl } from '../engine/drive.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import type { Claim } from '../store/store.ts';

export interface Slot {
  readonly claim: Claim;
  readonly control: DriveControl;
  /** The lease is held until then, as far as this worker knows. */
  leaseUntil: number;
  readonly signal: () => void;
  /** Stops the run at once. */
  readonly lose: () => void;
}

export function createSlot(claim: Claim, stop: Pick<DriveControl, 'stopping' | 'stopBy'>): Slot {
  const lost = new AbortController();
  const listeners = new Set<() => void>();
  return {
    claim,
    leaseUntil: claim.leaseUntil,
    control: {
      ...stop,
      lost: lost.signal,
      onSignal(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    signal: () => listeners.forEach((listener) => listener()),
    lose: () => lost.abort(new LeaseLost(claim.key, claim.fence)),
  };
}
