// Which demands of the queue have Tasks that carry a note. Kept in the store, so that the next leader withdraws what this one wrote.
import { createHash } from 'node:crypto';
import { demandOf } from '../../store/demand.ts';
import type { StoreReader, StoreTransaction, WorkRequirements } from '../../store/store.ts';

const COLLECTION = 'placement';
const PAGE_SIZE = 200;

/** A demand's text may be longer than an id. */
const idOf = (demand: WorkRequirements): string => createHash('sha256').update(demandOf(demand)).digest('hex');

export async function listNotedDemands(store: StoreReader): Promise<WorkRequirements[]> {
  const found: WorkRequirements[] = [];
  let after = '';
  for (;;) {
    const page = await store.listDocuments(COLLECTION, after, PAGE_SIZE);
    found.push(...page.map(({ document }) => document['demand'] as WorkRequirements));
    const last = page.at(-1);
    if (!last || page.length < PAGE_SIZE) return found;
    after = last.id;
  }
}

export function recordNotedDemand(tx: StoreTransaction, demand: WorkRequirements): Promise<void> {
  return tx.putDocument(COLLECTION, idOf(demand), { demand });
}

export async function forgetNotedDemand(tx: StoreTransaction, demand: WorkRequirements): Promise<void> {
  await tx.deleteDocument(COLLECTION, idOf(demand));
}
