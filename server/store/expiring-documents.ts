// Documents with an expiry, and the index by expiry that lets a sweep read only what is due. Independent of any owner of such documents.
import type { Store, StoreTransaction } from './store.ts';
import { transactAgain } from './write-race.ts';

export interface ExpiringDocuments {
  /** Collections of the documents, each of which has `expires_at` in milliseconds since the epoch. */
  readonly collections: readonly string[];
  /** Collection of the index. */
  readonly index: string;
  /** Removes what else belongs to a document, in the transaction that removes it. */
  readonly onRemoved?: (tx: StoreTransaction, id: string, document: Readonly<Record<string, unknown>>) => Promise<void>;
}

export interface Expiry {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const SWEEP_PAGE = 200;
const TIME_DIGITS = 15;

/** Adds an index entry. A document that gets more time has several; a sweep acts on none of them before the time of the document. */
export function indexExpiry(tx: StoreTransaction, { index }: ExpiringDocuments, expiry: Expiry): Promise<void> {
  return tx.putDocument(index, entryId(expiry), {});
}

export async function dropExpiry(tx: StoreTransaction, { index }: ExpiringDocuments, expiry: Expiry): Promise<void> {
  await tx.deleteDocument(index, entryId(expiry));
}

/** Removes expired documents; returns how many index entries it removed. */
export async function sweepExpired(
  store: Pick<Store, 'transaction' | 'listDocuments'>,
  documents: ExpiringDocuments,
  now: number,
): Promise<number> {
  let swept = 0;
  for (;;) {
    const page = await store.listDocuments(documents.index, '', SWEEP_PAGE);
    const due = page.map(({ id }) => id).filter((id) => Number(id.slice(0, TIME_DIGITS)) <= now);
    if (due.length > 0) await transactAgain(store, (tx) => removeDue(tx, documents, { due, now }));
    swept += due.length;
    if (due.length < SWEEP_PAGE) return swept;
  }
}

async function removeDue(
  tx: StoreTransaction,
  { collections, index, onRemoved }: ExpiringDocuments,
  { due, now }: { readonly due: readonly string[]; readonly now: number },
): Promise<void> {
  for (const entry of due) {
    const id = entry.slice(TIME_DIGITS + 1);
    for (const collection of collections) {
      const document = await tx.getDocument(collection, id);
      // A document that was given more time has a later entry.
      if (!document || Number(document['expires_at']) > now) continue;
      await tx.deleteDocument(collection, id);
      await onRemoved?.(tx, id, document);
    }
    await tx.deleteDocument(index, entry);
  }
}

function entryId({ id, expiresAt }: Expiry): string {
  return `${String(Math.ceil(expiresAt)).padStart(TIME_DIGITS, '0')}/${id}`;
}
