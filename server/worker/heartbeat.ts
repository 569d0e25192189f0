// Renews the leases of running Tasks, however long a single call takes, and stops the runs whose lease is gone.
import type { Clock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/log.ts';
import type { Slot } from './slot.ts';

export interface HeartbeatOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly leaseMs: number;
  readonly everyMs: number;
  readonly slots: () => readonly Slot[];
}

export interface Heartbeat {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  /** One renewal of all leases. */
  readonly runOnce: () => Promise<void>;
}

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { store, clock } = options;
  const stopped = new AbortController();
  let loop: Promise<void> | undefined;

  const runOnce = async (): Promise<void> => {
    const slots = options.slots();
    if (slots.length === 0) return;
    try {
      await renew(store, slots, clock.now() + options.leaseMs);
    } catch (error) {
      options.log.warn({ err: error }, 'leases could not be renewed');
    }
    // A lease that has run out may be another worker's by now: go no further, whether or not the store can be asked.
    for (const slot of slots) if (slot.leaseUntil <= clock.now()) slot.lose();
  };
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await clock.sleep(options.everyMs, stopped.signal).catch(() => undefined);
      if (!stopped.signal.aborted) await runOnce();
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

async function renew(store: Store, slots: readonly Slot[], leaseUntil: number): Promise<void> {
  const kept = new Set(
    await store.transaction((tx) =>
      tx.renewWork(
        slots.map(({ claim }) => claim),
        leaseUntil,
      ),
    ),
  );
  for (const slot of slots) {
    if (kept.has(slot.claim.key)) slot.leaseUntil = leaseUntil;
    else slot.lose();
  }
}
