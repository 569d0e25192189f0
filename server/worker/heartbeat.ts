// Renews the leases of running Tasks during calls of any length, and makes their runs check for signals whose notice may be lost.
// That a run stops when its lease is not renewed is the slot's own affair.
import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { WriteRace } from '../store/write-race.ts';
import type { Logger } from '../log/log.ts';
import type { Slot } from './slot.ts';

export interface HeartbeatOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leaseMs: number;
  readonly everyMs: number;
  readonly slots: () => readonly Slot[];
  /** CPU time of this process, in milliseconds. */
  readonly cpuMs: () => number;
}

export interface Heartbeat {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** One renewal of all leases; false when the store would not. Never rejects. */
  readonly runOnce: () => Promise<boolean>;
}

/** Wait after a heartbeat that failed, for as long as the leases last. */
const RETRY_MS = 1_000;

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { store, clock, log, everyMs } = options;
  const stopped = new AbortController();
  let loop: Promise<void> | undefined;
  let failing = false;

  const runOnce = async (): Promise<boolean> => {
    // A lost run is claimed again once its lease ends in the store.
    const slots = options.slots().filter(({ control }) => !control.lost.aborted);
    if (slots.length === 0) return true;
    try {
      const renewed = { at: clock.now(), cpuMs: options.cpuMs() };
      await renew(store, slots, renewed.at + options.leaseMs);
      for (const slot of slots) if (!slot.control.lost.aborted) slot.renewed = renewed;
    } catch (error) {
      // An outage is one line of the log, not one for each try.
      if (!failing) log.warn({ err: error, tasks: slots.length }, 'leases could not be renewed; trying again');
      failing = true;
      return false;
    }
    if (failing) log.info({ tasks: slots.length }, 'leases are renewed again');
    failing = false;
    for (const slot of slots) slot.signal();
    return true;
  };
  const run = async (): Promise<void> => {
    for (let renewed = true; !stopped.signal.aborted;) {
      await clock.sleep(renewed ? everyMs : Math.min(everyMs, RETRY_MS), stopped.signal).catch(() => undefined);
      if (!stopped.signal.aborted) renewed = await runOnce();
    }
  };
  return {
    start: () => void (loop ??= run()),
    async stop() {
      stopped.abort();
      await loop;
    },
    runOnce,
  };
}

/** All at once; or one by one, when a transaction that stands still holds one of them: that must not cost the others their leases. */
async function renew(store: Store, slots: readonly Slot[], leaseUntil: number): Promise<void> {
  try {
    return await renewTogether(store, slots, leaseUntil);
  } catch (error) {
    if (!(error instanceof WriteRace) || slots.length === 1) throw error;
  }
  const failures: unknown[] = [];
  for (const slot of slots) await renewTogether(store, [slot], leaseUntil).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

async function renewTogether(store: Store, slots: readonly Slot[], leaseUntil: number): Promise<void> {
  const claims = slots.map(({ claim }) => claim);
  const kept = new Set(await store.transaction((tx) => tx.renewWork(claims, leaseUntil)));
  for (const slot of slots) {
    if (kept.has(slot.claim.key)) slot.leaseUntil = leaseUntil;
    else slot.lose();
  }
}
