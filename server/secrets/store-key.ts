// The note of which key seals a store: its id, and a sealed part that only holders of the key can write. Every write of sealed values follows it.
import { isObject } from '@svc/shared/json';
import { ServiceError } from '@svc/shared/errors';
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import type { SecretBox } from './secret-box.ts';

const COLLECTION = 'secret-encryption';
const ID = 'key';
const LOCK = 'lock';
const IDENTITY = { namespace: COLLECTION, name: ID, key: 'probe' };

/** Authenticated facts about the store. */
export interface StoreNote {
  /** Id of the decision key; null: none was made yet; undefined: not known. */
  readonly decisionKey: string | null | undefined;
  /** Keys that values may still be sealed with, during a rotation. */
  readonly previous: readonly string[];
}

export interface StoreKey {
  /** The key that new values are sealed with. */
  readonly keyId: string;
  /** Undefined when this process has no key that opens it, or when it was tampered with. */
  readonly note: StoreNote | undefined;
}

/** Undefined in a store that no process with a key has used. */
export async function readStoreKey(reader: Pick<StoreReader, 'getDocument'>, box: SecretBox): Promise<StoreKey | undefined> {
  const document = await reader.getDocument(COLLECTION, ID);
  if (!document) return undefined;
  const keyId = String(document['keyId']);
  return { keyId, note: box.has(keyId) ? openNote(box, String(document['probe'])) : undefined };
}

export async function writeStoreKey(
  tx: StoreTransaction,
  box: SecretBox,
  { keyId, note }: { keyId: string; note: StoreNote },
): Promise<void> {
  const probe = box.seal(IDENTITY, Buffer.from(JSON.stringify(note)).toString('base64'), keyId);
  await tx.putDocument(COLLECTION, ID, { keyId, probe });
}

/** Until the transaction ends the store's key stays as it is. */
export async function lockStoreKey(tx: StoreTransaction, box: SecretBox): Promise<StoreKey | undefined> {
  await tx.putDocument(COLLECTION, LOCK, {});
  return readStoreKey(tx, box);
}

/** The key to seal with in this transaction; undefined: plaintext. Throws `unavailable` when this process lacks the store's key. */
export async function lockSealingKey(tx: StoreTransaction, box: SecretBox): Promise<string | undefined> {
  await tx.putDocument(COLLECTION, LOCK, {});
  return readSealingKey(tx, box);
}

/** Same as lockSealingKey, for a transaction that already holds a lock which a rotation takes as well. */
export async function readSealingKey(reader: StoreReader, box: SecretBox): Promise<string | undefined> {
  const stored = await readStoreKey(reader, box);
  if (stored === undefined) return box.keyId;
  if (stored.note !== undefined) return stored.keyId;
  throw new ServiceError('unavailable', otherKeySentence(stored.keyId, box));
}

/** Says, without a key, which key is missing. */
export function otherKeySentence(storeKeyId: string, { keyId }: Pick<SecretBox, 'keyId'>): string {
  const own = keyId === undefined ? 'this process has no --secret-encryption-key' : `this process has key ${keyId}`;
  return `Secrets in this database are encrypted with key ${storeKeyId}, but ${own}; every process on one database needs the same key`;
}

function openNote(box: SecretBox, probe: string): StoreNote | undefined {
  try {
    return parseNote(Buffer.from(box.open(IDENTITY, probe), 'base64').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A note of a version that kept none is the word "probe". */
function parseNote(text: string): StoreNote {
  const value: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  const { decisionKey, previous } = isObject(value) ? value : {};
  return {
    decisionKey: typeof decisionKey === 'string' || decisionKey === null ? decisionKey : undefined,
    previous: Array.isArray(previous) ? previous.map(String) : [],
  };
}
