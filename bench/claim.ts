// What taking one item off the queue costs when 100 and when 100,000 wait: it must not grow with the queue.
import { systemClock } from '../server/clock.ts';
import type { Store } from '../server/store/store.ts';
import { storeEngines, type StoreEngine } from './engines.ts';
import { seed } from './objects.ts';
import { compared, percentile, type Row } from './row.ts';

const SAMPLES = 300;
const SMALL = 100;
const LARGE = 100_000;

export const capabilities = { gpu: false, supportedModels: [], secrets: true };

/** Ready items, and as many that wait for a time or for another machine: claims must step over none of them. */
function seedWork(store: Store, range: readonly [number, number]): Promise<void> {
  return seed(store, range, async (tx, i) => {
    const item = { queue: 'task', namespace: 'default', requirements: {}, rank: i, notBefore: 0 };
    await tx.enqueueWork({ ...item, key: `ready-${i}`, name: `ready-${i}` });
    await tx.enqueueWork({ ...item, key: `later-${i}`, name: `later-${i}`, notBefore: Number.MAX_SAFE_INTEGER });
    await tx.enqueueWork({ ...item, key: `gpu-${i}`, name: `gpu-${i}`, rank: -i, requirements: { gpu: true } });
  });
}

/** Median microseconds of one claim within its transaction; the item is given back. */
async function claimTime(store: Store): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    await store.transaction(async (tx) => {
      const began = performance.now();
      const query = { queue: 'task', owner: 'bench', now: systemClock.now(), leaseMs: 60_000, limit: 1, capabilities };
      const [claim] = await tx.claimWork(query);
      taken.push((performance.now() - began) * 1000);
      if (claim) await tx.releaseWork(claim, { notBefore: 0 });
    });
  }
  return percentile(taken, 50);
}

async function claimRow({ prefix, withStore }: StoreEngine): Promise<Row> {
  return withStore(async (store) => {
    await seedWork(store, [0, SMALL]);
    await claimTime(store);
    const small = await claimTime(store);
    await seedWork(store, [SMALL, LARGE]);
    await claimTime(store);
    return compared({
      name: `${prefix}: claim of one item, 100 k ready`,
      value: await claimTime(store),
      unit: 'µs',
      reference: small,
      referenceName: '100 ready',
      note: 'beside as many not due and as many for other machines; aim: ratio within 1.5',
    });
  });
}

export async function benchClaim(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of await storeEngines('claim')) rows.push(await claimRow(engine));
  return rows;
}
