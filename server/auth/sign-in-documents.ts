// Browser sign-ins as documents, found by the SHA-256 of the key that the browser holds, with indexes by expiry and by name. The key itself is not stored.
import { createHash, randomBytes } from 'node:crypto';
import { Collection } from '../store/collection.ts';
import { dropExpiry, indexExpiry, type ExpiringDocuments } from '../store/expiring-documents.ts';
import type { Store, StoreReader, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

/** Stored names, older than the word sign-in: another name would sign everybody out. */
const STORED_NAME = 'auth.session';
const SIGN_INS = new Collection<StoredSignIn>(STORED_NAME);
/** Index of sign-ins by the name of their identity, in lower case. */
const OWNERS = new Collection('auth.session.owner');
const KEY_BYTES = 32;
/** Sign-ins of one name that one transaction removes. */
const REMOVED_MAX = 500;

export const SIGN_IN_EXPIRY: ExpiringDocuments = {
  collections: [STORED_NAME],
  index: 'auth.session.expiry',
  onRemoved: (tx, id, document) => dropOwner(tx, id, document as unknown as StoredSignIn),
};

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
  /** Name of its identity. This and the following fields are absent in sign-ins of older versions. */
  readonly name?: string;
  /** Milliseconds since the epoch. */
  readonly created_at?: number;
  readonly client_address?: string;
  readonly user_agent?: string;
}

export interface ListedSignIn {
  readonly id: string;
  readonly stored: StoredSignIn;
}

export function generateSignInKey(): string {
  return randomBytes(KEY_BYTES).toString('base64url');
}

/** Whether a text can be what `generateSignInKey` made. */
export function isSignInKey(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Id of a sign-in, which may be shown: it leads to no key. */
export function signInId(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

export const findSignIn = (store: Pick<Store, 'getDocument'>, id: string): Promise<StoredSignIn | undefined> => SIGN_INS.get(store, id);

export function insertSignIn(store: Documents, key: string, stored: StoredSignIn): Promise<void> {
  return transactAgain(store, async (tx) => {
    const id = signInId(key);
    await put(tx, id, stored);
    if (stored.name !== undefined) await OWNERS.put(tx, ownerEntry(stored.name, id), {});
  });
}

/** Sign-ins in the order of their ids, those of one name or all; expired ones included until they are swept. */
export async function listSignIns(
  reader: StoreReader,
  { name, after, limit }: { readonly name?: string | undefined; readonly after: string; readonly limit: number },
): Promise<ListedSignIn[]> {
  if (name === undefined) {
    const page = await SIGN_INS.list(reader, after, limit);
    return page.map(({ id, document }) => ({ id, stored: document }));
  }
  const listed: ListedSignIn[] = [];
  for (const id of await idsOf(reader, { name, after, limit })) {
    const stored = await findSignIn(reader, id);
    if (stored !== undefined) listed.push({ id, stored });
  }
  return listed;
}

/** Removes the sign-ins of a name but one. Only a first batch is removed: the same transaction must remove the credential, and the others expire. */
export async function removeSignInsOf(tx: StoreTransaction, name: string, except?: string): Promise<void> {
  for (const id of await idsOf(tx, { name, after: '', limit: REMOVED_MAX })) {
    if (id === except) continue;
    await SIGN_INS.remove(tx, id);
    await OWNERS.remove(tx, ownerEntry(name, id));
  }
}

/** Makes a sign-in stand for another credential of the same source. False when it has ended. */
export async function relinkSignIn(tx: StoreTransaction, id: string, source: StoredSignIn['source']): Promise<boolean> {
  const stored = await findSignIn(tx, id);
  if (stored === undefined || !(await SIGN_INS.remove(tx, id))) return false;
  await SIGN_INS.put(tx, id, { ...stored, source });
  return true;
}

/** Sets a new expiry; false when the sign-in has ended, or when a concurrent request renewed it. */
export function extendSignIn(store: Documents, key: string, { was, expiresAt }: { was: StoredSignIn; expiresAt: number }) {
  const id = signInId(key);
  return transactAgain(store, async (tx) => {
    // The row goes to one transaction only, on both databases: a sign-in that was ended meanwhile is not put back, and a link that was replaced stays replaced.
    const stored = await findSignIn(tx, id);
    if (stored?.expires_at !== was.expires_at || !(await SIGN_INS.remove(tx, id))) return false;
    await dropExpiry(tx, SIGN_IN_EXPIRY, { id, expiresAt: was.expires_at });
    await put(tx, id, { ...stored, expires_at: expiresAt });
    return true;
  });
}

/** True when there was one to end; `note` writes in the same transaction. */
export async function endSignIn(store: Documents, id: string, note: (tx: StoreTransaction) => Promise<void>): Promise<boolean> {
  let ended = false;
  for (let round = 0; round < END_ROUNDS_MAX; round += 1) {
    const deleted = await transactAgain(store, async (tx) => {
      const stored = await findSignIn(tx, id);
      if (stored === undefined || !(await SIGN_INS.remove(tx, id))) return false;
      await dropOwner(tx, id, stored);
      await note(tx);
      return true;
    });
    if (deleted) ended = true;
    if ((await findSignIn(store, id)) === undefined) break;
  }
  return ended;
}

async function put(tx: StoreTransaction, id: string, stored: StoredSignIn): Promise<void> {
  await SIGN_INS.put(tx, id, stored);
  await indexExpiry(tx, SIGN_IN_EXPIRY, { id, expiresAt: stored.expires_at });
}

const ownerPrefix = (name: string): string => `${name.toLowerCase()}/`;
const ownerEntry = (name: string, id: string): string => `${ownerPrefix(name)}${id}`;

async function idsOf(reader: StoreReader, { name, after, limit }: { name: string; after: string; limit: number }): Promise<string[]> {
  const prefix = ownerPrefix(name);
  return (await OWNERS.listUnder(reader, prefix, { after, limit })).map(({ id }) => id.slice(prefix.length));
}

async function dropOwner(tx: StoreTransaction, id: string, { name }: StoredSignIn): Promise<void> {
  if (name !== undefined) await OWNERS.remove(tx, ownerEntry(name, id));
}
