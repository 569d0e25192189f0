// Browser sign-ins as documents, found by the SHA-256 of the key that the browser holds, and an index of them by expiry. The key itself is not stored.
import { createHash, randomBytes } from 'node:crypto';
import { dropExpiry, indexExpiry, type ExpiringDocuments } from '../store/expiring-documents.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

/** Stored names, older than the word sign-in: another name would sign everybody out. */
const SIGN_INS = 'auth.session';
const KEY_BYTES = 32;

export const SIGN_IN_EXPIRY: ExpiringDocuments = { collections: [SIGN_INS], index: 'auth.session.expiry' };

/** A concurrent renewal can put the sign-in back, once an hour at most. */
const END_ROUNDS_MAX = 5;

/** How long a sign-in lasts without a request. */
export const SIGN_IN_MS = 24 * 60 * 60_000;
/** A sign-in is renewed when this much of its time has passed: one write an hour, however many requests. */
export const RENEW_AFTER_MS = 60 * 60_000;

type Documents = Pick<Store, 'transaction' | 'getDocument'>;

export interface StoredSignIn {
  /** Link to the credential that the sign-in was made with, by the id of its identity source. */
  readonly source: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly expires_at: number;
}

export function generateSignInKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** Whether a text can be what `generateSignInKey` made. */
export function isSignInKey(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

const idOf = (key: string): string => createHash('sha256').update(key, 'utf8').digest('hex');

export async function findSignIn(store: Pick<Store, 'getDocument'>, key: string): Promise<StoredSignIn | undefined> {
  return (await store.getDocument(SIGN_INS, idOf(key))) as StoredSignIn | undefined;
}

export function insertSignIn(store: Documents, key: string, stored: StoredSignIn): Promise<void> {
  return transactAgain(store, (tx) => put(tx, idOf(key), stored));
}

/** Sets a new expiry; false when the sign-in has ended, or when a concurrent request renewed it. */
export function extendSignIn(store: Documents, key: string, { was, expiresAt }: { was: StoredSignIn; expiresAt: number }) {
  const id = idOf(key);
  return transactAgain(store, async (tx) => {
    // The row goes to one transaction only, on both databases: a sign-in that was ended meanwhile is not put back.
    if (!(await tx.deleteDocument(SIGN_INS, id))) return false;
    await dropExpiry(tx, SIGN_IN_EXPIRY, { id, expiresAt: was.expires_at });
    await put(tx, id, { ...was, expires_at: expiresAt });
    return true;
  });
}

/** True when there was one to end; `note` writes in the same transaction. */
export async function endSignIn(store: Documents, key: string, note: (tx: StoreTransaction) => Promise<void>): Promise<boolean> {
  const id = idOf(key);
  let ended = false;
  for (let round = 0; round < END_ROUNDS_MAX; round += 1) {
    const deleted = await transactAgain(store, async (tx) => {
      if (!(await tx.deleteDocument(SIGN_INS, id))) return false;
      await note(tx);
      return true;
    });
    if (deleted) ended = true;
    if ((await store.getDocument(SIGN_INS, id)) === undefined) break;
  }
  return ended;
}

async function put(tx: StoreTransaction, id: string, stored: StoredSignIn): Promise<void> {
  await tx.putDocument(SIGN_INS, id, { ...stored });
  await indexExpiry(tx, SIGN_IN_EXPIRY, { id, expiresAt: stored.expires_at });
}
