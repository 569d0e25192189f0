// The key that signs decisions: one pair per store, made by the first server, its private half encrypted as Secrets are.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { DecisionPublicKey } from '@svc/shared/decision-record';
import { ServiceError } from '@svc/shared/errors';
import { timestamp, type Clock } from '../clock.ts';
import type { SealedPart } from '../secrets/sealed-part.ts';
import { sealedKeyId, type SecretBox } from '../secrets/secret-box.ts';
import { lockSealingKey } from '../secrets/store-key.ts';
import type { Store, StoreReader, StoreTransaction } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { keyIdOf, readPublicKey, type VerifyingKey } from './decision-crypto.ts';
import { readRecords } from './decision-documents.ts';

const COLLECTION = 'decision.key';
const ID = 'key';
const MAKING = 'making';
const IDENTITY = { namespace: COLLECTION, name: ID, key: 'private' };

export interface SigningKey {
  readonly keyId: string;
  readonly key: KeyObject;
}

export interface DecisionKeys {
  /** Makes the pair when the store has none. Not inside another transaction. */
  make(): Promise<void>;
  /** Why `signing` would throw; undefined when it would not. */
  problem(reader: StoreReader): Promise<string | undefined>;
  /** Throws `unavailable` when there is none or this process cannot open it. */
  signing(reader: StoreReader): Promise<SigningKey>;
  /** Throws `unavailable` when there is none. */
  verifying(): Promise<VerifyingKey>;
  published(): Promise<DecisionPublicKey>;
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

export function createDecisionKeys({ store, secretBox, clock }: DecisionKeyOptions): DecisionKeys {
  // The pair of a store never changes, so what was read once stays true.
  let signing: SigningKey | undefined;
  let verifying: VerifyingKey | undefined;
  return {
    make: () => makeKey({ store, secretBox, clock }),
    async problem(reader) {
      const opened = openKey(await readKey(reader), secretBox);
      return opened instanceof ServiceError ? opened.message : undefined;
    },
    async signing(reader) {
      if (signing) return signing;
      const opened = openKey(await readKey(reader), secretBox);
      if (opened instanceof ServiceError) throw opened;
      return (signing = opened);
    },
    verifying: async () => (verifying ??= readPublicKey((await readKey(store)).public_key_pem)),
    async published() {
      const { key_id, public_key_pem, created_at } = await readKey(store);
      return { key_id, algorithm: 'Ed25519', public_key_pem, created_at };
    },
  };
}

async function makeKey({ store, secretBox, clock }: DecisionKeyOptions): Promise<void> {
  if (await store.getDocument(COLLECTION, ID)) return;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const pair = {
    key_id: keyIdOf(publicKey),
    public_key_pem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    created_at: timestamp(clock.now()),
  };
  const der = privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  await transactAgain(store, async (tx) => {
    // Until this transaction ends no other server makes one: the first one made is the store's for good.
    await tx.putDocument(COLLECTION, MAKING, {});
    if (await tx.getDocument(COLLECTION, ID)) return;
    const private_key = secretBox.seal(IDENTITY, der, await lockSealingKey(tx, secretBox));
    await tx.putDocument(COLLECTION, ID, { ...pair, private_key });
  });
}

/** The decision key as a sealed part of the store. */
export function storedDecisionKey(secretBox: SecretBox): SealedPart {
  const read = async (reader: StoreReader) => (await reader.getDocument(COLLECTION, ID)) as unknown as KeyDocument | undefined;
  return {
    async sealedWith(reader) {
      const document = await read(reader);
      return document && sealedKeyId(document.private_key);
    },
    isAdoptable: async (reader) => (await readRecords(reader, { after: 0, limit: 1 })).length === 0,
    async adopt(tx: StoreTransaction, keyId) {
      const document = await read(tx);
      if (!document || sealedKeyId(document.private_key) !== undefined) return;
      await tx.putDocument(COLLECTION, ID, { ...document, private_key: secretBox.seal(IDENTITY, document.private_key, keyId) });
    },
  };
}

async function readKey(reader: StoreReader): Promise<KeyDocument> {
  const document = await reader.getDocument(COLLECTION, ID);
  if (!document) throw new ServiceError('unavailable', 'this database has no decision key yet; a server makes it when it starts');
  return document as unknown as KeyDocument;
}

function openKey({ key_id: keyId, private_key: sealed }: KeyDocument, box: SecretBox): SigningKey | ServiceError {
  try {
    const der = Buffer.from(box.open(IDENTITY, sealed), 'base64');
    return { keyId, key: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
  } catch (cause) {
    return new ServiceError(
      'unavailable',
      `decisions cannot be signed: this process's --secret-encryption-key does not open decision key ${keyId}; ` +
        'start it with the key that the database was set up with',
      { cause },
    );
  }
}
