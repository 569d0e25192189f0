// Records of deleted Memories whose entries are still to be removed: written with the deletion, so that no crash and no outage of a backend loses one.
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import type { Store, StoreReader, StoreTransaction } from '../store/store.ts';

export interface Erasure {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The spec at the deletion. */
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

/** Names hold no slash. */
const idOf = ({ namespace, name, uid }: Pick<Erasure, 'namespace' | 'name' | 'uid'>): string => `${namespace}/${name}/${uid}`;

export const recordErasure = (tx: StoreTransaction, erasure: Erasure): Promise<void> =>
  tx.putDocument(COLLECTION, idOf(erasure), { ...erasure });

export const forgetErasure = (tx: StoreTransaction, erasure: Erasure): Promise<boolean> => tx.deleteDocument(COLLECTION, idOf(erasure));

/** Erasures of earlier Memories of this name. */
export async function erasuresOf(store: Pick<StoreReader, 'listDocuments'>, { namespace, name }: Place): Promise<Erasure[]> {
  const start = `${namespace}/${name}/`;
  const documents = await store.listDocuments(COLLECTION, start, PAGE);
  return documents.filter(({ id }) => id.startsWith(start)).map(({ document }) => document as unknown as Erasure);
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
