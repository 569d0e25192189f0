// Cost of claiming one item with 100 and with 100,000 in the queue: it must not grow with the queue.
import { systemClock } from '../server/clock.ts';
import type { Store } from '../server/store/store.ts';
import { storeEngines, type StoreEngine } from './engines.ts';
import { seed } from './objects.ts';
import { compared, percentile, type Row } from './row.ts';

const SAMPLES = 300;
const WARM_UP = 100;
const SMALL = 100;
const LARGE = 100_000;

export const capabilities = { gpu: false, supportedModels: [], secrets: true };

/** Ready items, and as many that wait for a time or for another machine: claims must not step over those. */
function seedWork(store: Store, range: readonly [number, number]): Promise<void> {
  return seed(store, range, async (tx, i) => {
    const item = { queue: 'task', namespace: 'default', requirements: {}, rank: i, notBefore: 0 };
    await tx.enqueueWork({ ...item, key: `ready-${i}`, name: `ready-${i}` });
    await tx.enqueueWork({ ...item, key: `later-${i}`, name: `later-${i}`, notBefore: Number.MAX_SAFE_INTEGER });
    await tx.enqueueWork({ ...item, key: `gpu-${i}`, name: `gpu-${i}`, rank: -i, requirements: { gpu: true } });
  });
}

/** Microseconds of one claim within its transaction; the item is released. */
async function claimUs(store: Store): Promise<number> {
  return store.transaction(async (tx) => {
    const began = performance.now();
    const query = { queue: 'task', owner: 'bench', now: systemClock.now(), leaseMs: 60_000, limit: 1, capabilities };
    const [claim] = await tx.claimWork(query);
    const taken = (performance.now() - began) * 1000;
    if (!claim) throw new Error('nothing was claimable');
    await tx.releaseWork(claim, { notBefore: 0 });
    return taken;
  });
}

/** Medians of both stores, which take turns, so that what else the machine does falls on both. */
async function claimTimes(small: Store, large: Store): Promise<{ small: number; large: number }> {
  const taken: { small: number[]; large: number[] } = { small: [], large: [] };
  for (let i = 0; i < WARM_UP + SAMPLES; i += 1) {
    const [few, many] = [await claimUs(small), await claimUs(large)];
    if (i < WARM_UP) continue;
    taken.small.push(few);
    taken.large.push(many);
  }
  return { small: percentile(taken.small, 50), large: percentile(taken.large, 50) };
}

async function claimRow({ prefix, withStore }: StoreEngine): Promise<Row> {
  const { small, large } = await withStore((few) =>
    withStore(async (many) => {
      await seedWork(few, [0, SMALL]);
      await seedWork(many, [0, LARGE]);
      return claimTimes(few, many);
    }),
  );
  return compared({
    name: `${prefix}: claim of one item, 100 k ready`,
    value: large,
    unit: 'µs',
    reference: small,
    referenceName: '100 ready',
    note: 'beside as many not due and as many for other machines; aim: ratio within 1.5',
  });
}

export async function benchClaim(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of await storeEngines('claim')) rows.push(await claimRow(engine));
  return rows;
}
