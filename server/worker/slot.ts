// One claimed Task in a worker's hands: its claim and the ways to reach its run.
import type { Clock } from '../clock.ts';
import type { DriveControl } from '../engine/shell/drive.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import type { Claim } from '../store/store.ts';

export interface Slot {
  readonly claim: Claim;
  readonly control: DriveControl;
  /** Its run was taken over and has made no progress since. */
  inDoubt: boolean;
  /** Its end is written and waits for the commit: another run may be claimed in its place. */
  leaving: boolean;
  /** The lease is held until then, by this worker's clock. */
  leaseUntil: number;
  /** When the lease was last renewed, and how much CPU time the process had used by then. */
  renewed: { readonly at: number; readonly cpuMs: number };
  readonly signal: () => void;
  /** Stops the run at once. */
  readonly lose: () => void;
}

export interface Lease {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** CPU time of this process, in milliseconds. */
  readonly cpuMs: () => number;
  /** Renews all leases of this worker. Never rejects. */
  readonly renew: () => Promise<unknown>;
}

export function createSlot(claim: Claim, stop: Pick<DriveControl, 'stopping' | 'stopBy' | 'onProven' | 'onLeaving'>, lease: Lease): Slot {
  const lost = new AbortController();
  const listeners = new Set<() => void>();
  /** A signal arrived while there was no listener. */
  let pending = false;
  const slot: Slot = {
    claim,
    inDoubt: claim.takeovers > 0,
    leaving: false,
    leaseUntil: claim.leaseUntil,
    renewed: { at: lease.clock.now(), cpuMs: lease.cpuMs() },
    control: {
      ...stop,
      onProven() {
        slot.inDoubt = false;
        stop.onProven();
      },
      onLeaving() {
        slot.leaving = true;
        stop.onLeaving();
      },
      lost: lost.signal,
      async checkLease() {
        if (leaseLeft(slot, lease) > 0) return;
        await lease.renew();
        if (leaseLeft(slot, lease) <= 0) slot.lose();
      },
      onSignal(listener) {
        listeners.add(listener);
        if (pending) listener();
        pending = false;
        return () => listeners.delete(listener);
      },
    },
    signal() {
      pending = listeners.size === 0;
      listeners.forEach((listener) => listener());
    },
    lose: () => lost.abort(new LeaseLost(claim.key, claim.fence)),
  };
  return slot;
}

/** Clocks of machines may differ by this much, or by a tenth of the lease where that is less. */
const CLOCK_SKEW_MAX_MS = 2_000;

/** Milliseconds for which the lease is valid by every clock. */
function leaseLeft({ leaseUntil }: Slot, { clock, leaseMs }: Lease): number {
  return leaseUntil - Math.min(CLOCK_SKEW_MAX_MS, leaseMs / 10) - clock.now();
}

/**
 * Stops the run before its lease could be expired by another clock, whether or not the store answers. One found past its end, after a sleep of
 * the machine, is renewed unless another worker has it. Resolves when `ended` is aborted or the run is stopped.
 */
export async function guardLease(slot: Slot, lease: Lease, ended: AbortSignal): Promise<void> {
  const { lost, checkLease } = slot.control;
  while (!ended.aborted && !lost.aborted) {
    const left = leaseLeft(slot, lease);
    if (left > 0) await lease.clock.sleep(left, ended).catch(() => undefined);
    else if (slot.leaseUntil < lease.clock.now()) await checkLease();
    else slot.lose();
  }
}
