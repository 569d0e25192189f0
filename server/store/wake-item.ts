// Makes a work item that waits for a moment claimable now: word has come for it.
import type { StoreTransaction } from './store.ts';
import { racing } from './write-race.ts';

/** Does nothing for an item that somebody holds, that is parked (a signal wakes it) or that may be claimed already. */
export async function wakeItem(tx: StoreTransaction, place: { readonly queue: string; readonly key: string }, now: number): Promise<void> {
  const item = await tx.getWorkItem(place.queue, place.key);
  if (!item || item.owner !== undefined || item.parked || item.notBefore <= now) return;
  const { queue, key, namespace, name, rank, requirements } = item;
  await racing(tx.enqueueWork({ queue, key, namespace, name, rank, requirements, notBefore: 0 }));
}
