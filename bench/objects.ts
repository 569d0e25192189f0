// Objects of the size and shape that Tasks have, and stores filled with them.
import { systemClock, timestamp } from '../server/clock.ts';
import type { Store, StoredObject } from '../server/store/store.ts';

const SEED_BATCH = 1_000;
/** Brings an object to about 1.5 KB, as a Task with its trace summary has. */
export const FILLER = 'x'.repeat(1_000);

export const now = timestamp(systemClock.now());

export function makeObject(i: number, kind = 'Task'): StoredObject {
  const name = `bench-${String(i).padStart(7, '0')}`;
  return {
    kind,
    namespace: 'default',
    name,
    uid: `00000000-0000-7000-8000-${String(i).padStart(12, '0')}`,
    resourceVersion: 1,
    generation: 1,
    labels: { app: `app-${i % 10}` },
    annotations: {},
    createdAt: timestamp(1_700_000_000_000 + i),
    updatedAt: now,
    spec: { system: 'pipeline', input: { text: FILLER } },
    status: { phase: 'Pending' },
  };
}

/** Runs `put` for `from <= i < to`, many in one transaction. */
export async function seed(store: Store, [from, to]: readonly [number, number], put: Put): Promise<void> {
  for (let start = from; start < to; start += SEED_BATCH) {
    await store.transaction(async (tx) => {
      for (let i = start; i < Math.min(to, start + SEED_BATCH); i += 1) await put(tx, i);
    });
  }
}

type Put = (tx: Parameters<Parameters<Store['transaction']>[0]>[0], i: number) => Promise<void>;
