// Records of deleted Memories whose entries are still to be removed: written with the deletion, so that no crash and no outage of a backend loses one.
import { createHash } from 'node:crypto';
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import type { NamespacedName } from '@svc/shared/resource';
import { trimEnd } from '@svc/shared/trim-end';
import { Collection } from '../store/collection.ts';
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

/** Where a provider keeps entries, as a text: equal for two spellings of one URL. */
export function placeOf({ provider, endpoint = '' }: MemorySpec): string {
  if (!URL.canParse(endpoint)) return `${provider} ${endpoint}`;
  const url = new URL(endpoint);
  url.hash = '';
  url.pathname = trimEnd(url.pathname, '/');
  return `${provider} ${url.href}`;
}

const ERASURES = new Collection<Erasure>('memory-erasures');
const PAGE = 100;

/** Specs by which earlier entries of a living Memory are found: its earlier places. */
const EARLIER = new Collection<Pick<Erasure, 'spec'>>('memory-earlier-places');
/** Earlier places that are remembered for each Memory. */
const EARLIER_MAX = 10;

type Owner = Pick<Erasure, 'namespace' | 'name' | 'uid' | 'spec'>;

/** One id for each storage place that a Memory has had. Names hold no slash. */
const idOf = ({ namespace, name, uid, spec }: Owner): string =>
  `${namespace}/${name}/${uid}/${createHash('sha256').update(placeOf(spec)).digest('hex')}`;

/** For a Memory that is kept elsewhere from now on: entries at `spec` stay there, and are removed when it is deleted. */
export async function recordEarlierPlace(tx: StoreTransaction, { namespace, name, uid, spec }: Owner): Promise<void> {
  const known = await earlierPlaces(tx, { namespace, name, uid });
  if (known.length < EARLIER_MAX) await EARLIER.put(tx, idOf({ namespace, name, uid, spec }), { spec });
}

/** For a deleted Memory: an erasure for each place that it had. */
export async function recordErasures(tx: StoreTransaction, erasure: Erasure): Promise<void> {
  for (const { id, document } of await earlierPlaces(tx, erasure)) {
    await EARLIER.remove(tx, id);
    await ERASURES.put(tx, id, { ...erasure, ...document });
  }
  await ERASURES.put(tx, idOf(erasure), erasure);
}

const earlierPlaces = (tx: StoreReader, { namespace, name, uid }: Omit<Owner, 'spec'>) =>
  EARLIER.listUnder(tx, `${namespace}/${name}/${uid}/`, { limit: EARLIER_MAX });

export interface PendingErasure extends Erasure {
  readonly id: string;
}

export const forgetErasure = (tx: StoreTransaction, { id }: PendingErasure): Promise<boolean> => ERASURES.remove(tx, id);

/** Erasures of earlier Memories of this name. */
export async function erasuresOf(
  store: Pick<StoreReader, 'listDocuments'>,
  { namespace, name }: NamespacedName,
): Promise<PendingErasure[]> {
  const rows = await ERASURES.listUnder(store, `${namespace}/${name}/`, { limit: PAGE });
  return rows.map(({ id, document }) => ({ ...document, id }));
}

/** Names of all Memories with an erasure. */
export async function* erasedPlaces(store: Pick<Store, 'listDocuments'>): AsyncGenerator<NamespacedName> {
  for await (const { document } of ERASURES.all(store, PAGE)) yield document;
}
