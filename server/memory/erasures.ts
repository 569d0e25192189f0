// Records of deleted Memories whose entries are still to be removed: written with the deletion, so that no crash and no outage of a backend loses one.
import { createHash } from 'node:crypto';
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import type { Store, StoreReader, StoreTransaction } from '../store/store.ts';

export interface Erasure {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The spec at the deletion, or one before it with another provider or endpoint. */
  readonly spec: MemorySpec;
  /** Milliseconds since the epoch. */
  readonly deletedAt: number;
}

interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** Where a provider keeps entries, as a text: equal for two spellings of one URL. */
export function placeOf({ provider, endpoint = '' }: MemorySpec): string {
  if (!URL.canParse(endpoint)) return `${provider} ${endpoint}`;
  const url = new URL(endpoint);
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '');
  return `${provider} ${url.href}`;
}

const COLLECTION = 'memory-erasures';
const PAGE = 100;

/** Specs by which earlier entries of a living Memory are found: its earlier places. */
const EARLIER = 'memory-earlier-places';
/** Earlier places that are remembered for each Memory. */
const EARLIER_MAX = 10;

type Owner = Pick<Erasure, 'namespace' | 'name' | 'uid' | 'spec'>;

/** One for each place of a Memory. Names hold no slash. */
const idOf = ({ namespace, name, uid, spec }: Owner): string =>
  `${namespace}/${name}/${uid}/${createHash('sha256').update(placeOf(spec)).digest('hex')}`;

/** For a Memory that is kept elsewhere from now on: entries at `spec` stay there, and are removed when it is deleted. */
export async function recordEarlierPlace(tx: StoreTransaction, { namespace, name, uid, spec }: Owner): Promise<void> {
  const known = await earlierPlaces(tx, { namespace, name, uid });
  if (known.length < EARLIER_MAX) await tx.putDocument(EARLIER, idOf({ namespace, name, uid, spec }), { spec });
}

/** For a deleted Memory: an erasure for each place that it had. */
export async function recordErasures(tx: StoreTransaction, erasure: Erasure): Promise<void> {
  for (const { id, spec } of await earlierPlaces(tx, erasure)) {
    await tx.deleteDocument(EARLIER, id);
    await tx.putDocument(COLLECTION, id, { ...erasure, spec });
  }
  await tx.putDocument(COLLECTION, idOf(erasure), { ...erasure });
}

async function earlierPlaces(
  tx: Pick<StoreReader, 'listDocuments'>,
  { namespace, name, uid }: Pick<Erasure, 'namespace' | 'name' | 'uid'>,
): Promise<{ readonly id: string; readonly spec: MemorySpec }[]> {
  const start = `${namespace}/${name}/${uid}/`;
  const documents = await tx.listDocuments(EARLIER, start, EARLIER_MAX);
  return documents.filter(({ id }) => id.startsWith(start)).map(({ id, document }) => ({ id, spec: document['spec'] as MemorySpec }));
}

export interface PendingErasure extends Erasure {
  readonly id: string;
}

export const forgetErasure = (tx: StoreTransaction, { id }: PendingErasure): Promise<boolean> => tx.deleteDocument(COLLECTION, id);

/** Erasures of earlier Memories of this name. */
export async function erasuresOf(store: Pick<StoreReader, 'listDocuments'>, { namespace, name }: Place): Promise<PendingErasure[]> {
  const start = `${namespace}/${name}/`;
  const documents = await store.listDocuments(COLLECTION, start, PAGE);
  return documents.filter(({ id }) => id.startsWith(start)).map(({ id, document }) => ({ ...(document as unknown as Erasure), id }));
}

/** Names of all Memories with an erasure. */
export async function* erasedPlaces(store: Pick<Store, 'listDocuments'>): AsyncGenerator<Place> {
  for (let after = ''; ;) {
    const page = await store.listDocuments(COLLECTION, after, PAGE);
    for (const { document } of page) yield document as unknown as Place;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    after = last.id;
  }
}
