// Objects of workers that are gone for good, in a store that one process has to itself.
import { timestamp } from '../../clock.ts';
import { partName } from '../../registry/principal.ts';
import type { ListCursor, Store } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import { REGISTERED_BY, WORKER_KIND } from './worker-object.ts';

const PAGE = 200;

/** Deletes every Worker that a worker made itself, but for the one to keep. What an administrator declared stays. */
export async function removeLeftovers(store: Store, { keep, now }: { readonly keep: string; readonly now: number }): Promise<void> {
  const by = partName('worker');
  for (let after: ListCursor | undefined; ;) {
    const page = await store.listObjects({ kind: WORKER_KIND, limit: PAGE, ...(after && { after }) });
    const gone = page.filter(({ name, annotations }) => annotations[REGISTERED_BY] !== undefined && name !== keep);
    for (const object of gone) await transactAgain(store, (tx) => tx.deleteObject(object, timestamp(now), { by }));
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) return;
  }
}
