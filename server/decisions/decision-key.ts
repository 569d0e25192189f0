// The key that signs decisions: one pair per store, made by the first server, its private half encrypted as Secrets are.
// The public half is derived from the private one wherever this process can open it, so that a row put in its place is found.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CHAIN_START, type DecisionPublicKey } from '@svc/shared/decision-record';
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../clock.ts';
import type { SealedPart } from '../secrets/sealed-part.ts';
import { ADOPT, sealedKeyId, type SecretBox } from '../secrets/secret-box.ts';
import { lockStoreKey, readStoreKey, writeStoreKey, type StoreKey } from '../secrets/store-key.ts';
import type { Store, StoreReader } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { lockHead, newestRecord, writeHead } from './chain-head.ts';
import { keyIdOf, type VerifyingKey } from './decision-crypto.ts';
import { readRecords } from './decision-documents.ts';

const COLLECTION = 'decision.key';
const ID = 'key';
const MAKING = 'making';
const IDENTITY = { namespace: COLLECTION, name: ID, key: 'private' };

interface SigningKey extends VerifyingKey {
  readonly privateKey: KeyObject;
  readonly publicKeyPem: string;
  readonly createdAt: string;
}

export interface DecisionKeys {
  /** Makes the pair when the store has none. Not inside another transaction. */
  make(): Promise<void>;
  /** The pair, proven to be the store's. Throws `unavailable` when there is none, this process cannot open it, or it was tampered with. */
  pair(reader: StoreReader): Promise<SigningKey>;
}

interface KeyDocument extends Omit<DecisionPublicKey, 'algorithm'> {
  /** PKCS #8 DER as base64, in the form of the secret box. */
  readonly private_key: string;
}

export interface DecisionKeyOptions {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

/** A pair that is not to be trusted, rather than one that this process only cannot open. */
export class DecisionKeyFault extends ServiceError {
  constructor(problem: string) {
    super('unavailable', `decision records cannot be trusted: ${problem}; restore the database from a backup, ${ADOPT}`);
  }
}

export function createDecisionKeys({ store, secretBox, clock }: DecisionKeyOptions): DecisionKeys {
  // The pair of a store never changes, so what was proven once stays true.
  let pair: SigningKey | undefined;
  return {
    make: () => makeKey({ store, secretBox, clock }),
    pair: async (reader) => (pair ??= provenPair(await readKey(reader), await readStoreKey(reader, secretBox), secretBox)),
  };
}

async function makeKey({ store, secretBox, clock }: DecisionKeyOptions): Promise<void> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const key_id = keyIdOf(publicKey);
  if (await isMade(store)) return;
  await transactAgain(store, async (tx) => {
    // Until this transaction ends no other server makes one: the first one made is the store's permanent key.
    await tx.putDocument(COLLECTION, MAKING, {});
    if (await isMade(tx)) return;
    const stored = await lockStoreKey(tx, secretBox);
    if (stored?.note && stored.note.decisionKey !== null) throw missingKey(stored.note.decisionKey);
    const keyId = stored?.keyId ?? secretBox.keyId;
    const private_key = secretBox.seal(IDENTITY, der, keyId);
    await tx.putDocument(COLLECTION, ID, { key_id, public_key_pem: pem, created_at: timestamp(clock.now()), private_key });
    await writeHead(tx, secretBox, { head: CHAIN_START, keyId });
    if (stored?.note) await writeStoreKey(tx, secretBox, { keyId: stored.keyId, note: { ...stored.note, decisionKey: key_id } });
  });
}

const isMade = async (reader: StoreReader): Promise<boolean> => (await reader.getDocument(COLLECTION, ID)) !== undefined;

async function readKey(reader: StoreReader): Promise<KeyDocument> {
  const document = await reader.getDocument(COLLECTION, ID);
  if (!document) throw new ServiceError('unavailable', 'this database has no decision key yet; a server makes it when it starts');
  return document as unknown as KeyDocument;
}

function missingKey(keyId: string | undefined): DecisionKeyFault {
  return new DecisionKeyFault(`decision key ${keyId ?? 'and its note'} is missing from a database that was used with an encryption key`);
}

/** The pair, with its public half derived from the private one. */
function provenPair(document: KeyDocument, stored: StoreKey | undefined, box: SecretBox): SigningKey {
  const { key_id, public_key_pem, private_key, created_at } = document;
  const noted = stored?.note?.decisionKey;
  if (typeof noted === 'string' && noted !== key_id) throw new DecisionKeyFault(`key ${key_id} replaces decision key ${noted}`);
  if (box.keyId !== undefined && sealedKeyId(private_key) === undefined)
    throw new DecisionKeyFault(`decision key ${key_id} is stored unencrypted although this server has an encryption key`);
  const privateKey = openPrivateKey(document, box);
  const key = createPublicKey(privateKey);
  const publicKeyPem = key.export({ type: 'spki', format: 'pem' }).toString();
  if (publicKeyPem !== public_key_pem || keyIdOf(key) !== key_id)
    throw new DecisionKeyFault(`the public key that is stored as ${key_id} does not belong to the decision key`);
  return { keyId: key_id, key, privateKey, publicKeyPem, createdAt: created_at };
}

function openPrivateKey({ key_id: keyId, private_key: sealed }: KeyDocument, box: SecretBox): KeyObject {
  try {
    const der = Buffer.from(box.open(IDENTITY, sealed), 'base64');
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  } catch (cause) {
    throw new ServiceError(
      'unavailable',
      `decisions cannot be signed: this process's --secret-encryption-key does not open decision key ${keyId}; ` +
        'start it with the key that the database was set up with',
      { cause },
    );
  }
}

/** As stored, for a process that cannot open the private half: proven by nothing. */
export async function storedPublicKey(reader: StoreReader): Promise<DecisionPublicKey> {
  const { key_id, public_key_pem, created_at } = await readKey(reader);
  return { key_id, algorithm: 'Ed25519', public_key_pem, created_at };
}

/** The decision key and the note of the newest record as a sealed part of the store. */
export function storedDecisionKey(secretBox: SecretBox): SealedPart {
  const read = async (reader: StoreReader) => (await reader.getDocument(COLLECTION, ID)) as KeyDocument | undefined;
  return {
    async sealedWith(reader) {
      const document = await read(reader);
      return document && sealedKeyId(document.private_key);
    },
    isAdoptable: async (reader) => (await readRecords(reader, { after: 0, limit: 1 })).length === 0,
    async reseal(tx, { keyId, adopt }) {
      const document = await read(tx);
      if (!document) return adopt ? { decisionKey: null } : {};
      const der = readDer(document, { secretBox, adopt });
      if (der === undefined) return {};
      const { head, fault } = await lockHead(tx, secretBox);
      if (fault !== undefined && !adopt) throw new DecisionKeyFault(fault);
      await tx.putDocument(COLLECTION, ID, { ...document, private_key: secretBox.seal(IDENTITY, der, keyId) });
      await writeHead(tx, secretBox, { head: adopt ? await newestRecord(tx) : head, keyId });
      return { decisionKey: document.key_id };
    },
  };
}

/** Undefined for a key that is lost: it stays as it is. */
function readDer({ private_key, key_id }: KeyDocument, { secretBox, adopt }: { secretBox: SecretBox; adopt: boolean }): string | undefined {
  const sealedWith = sealedKeyId(private_key);
  if (sealedWith !== undefined) return secretBox.has(sealedWith) ? secretBox.open(IDENTITY, private_key) : undefined;
  if (adopt) return private_key;
  throw new DecisionKeyFault(`decision key ${key_id} is stored unencrypted although this server has an encryption key`);
}
