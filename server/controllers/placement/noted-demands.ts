// Which demands of the queue have Tasks that carry a note. Kept in the store, so that the next leader withdraws what this one wrote.
import { createHash } from 'node:crypto';
import { demandOf } from '../../store/demand.ts';
import { Collection } from '../../store/collection.ts';
import type { StoreReader, StoreTransaction, WorkRequirements } from '../../store/store.ts';

const DEMANDS = new Collection<{ readonly demand: WorkRequirements }>('placement');
const PAGE_SIZE = 200;

/** A demand's text may be longer than an id. */
const idOf = (demand: WorkRequirements): string => createHash('sha256').update(demandOf(demand)).digest('hex');

export async function listNotedDemands(store: StoreReader): Promise<WorkRequirements[]> {
  const found: WorkRequirements[] = [];
  for await (const { document } of DEMANDS.all(store, PAGE_SIZE)) found.push(document.demand);
  return found;
}

export function recordNotedDemand(tx: StoreTransaction, demand: WorkRequirements): Promise<void> {
  return DEMANDS.put(tx, idOf(demand), { demand });
}

export async function forgetNotedDemand(tx: StoreTransaction, demand: WorkRequirements): Promise<void> {
  await DEMANDS.remove(tx, idOf(demand));
}
