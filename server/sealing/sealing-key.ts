// Key pair that SealedSecrets are sealed with: one per store, made by the first server that has an encryption key, its private half encrypted as Secrets
// are. The public half is derived from the private one, so that a row put in its place is found.
import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '@svc/shared/errors';
import {
  importPrivateKey,
  SEALING_ALGORITHM,
  sealingKeyId,
  type SealingPrivateKey,
  type SealingPublicKey,
} from '@svc/shared/sealing/sealing';
import { timestamp, type Clock } from '../clock.ts';
import type { SealedPart } from '../secrets/sealed-part.ts';
import { sealedKeyId, type SecretBox } from '../secrets/secret-box.ts';
import { lockSealingKey } from '../secrets/store-key.ts';
import type { Store, StoreReader } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';

const COLLECTION = 'sealing.key';
const ID = 'active';
const IDENTITY = { namespace: COLLECTION, name: ID, key: 'private' };
const MODULUS_BITS = 4096;

interface KeyDocument {
  readonly key_id: string;
  readonly created_at: string;
  /** PKCS #8 DER as base64, in the form of the secret box. */
  readonly private_key: string;
}

interface Pair {
  readonly publicKey: SealingPublicKey;
  readonly privateKey: SealingPrivateKey;
}

/** Both readers make the pair when the store has none and there is an encryption key: that takes seconds, in another thread, once per store. */
export interface SealingKeys {
  /** Throws `unavailable`, with what to do, when there is none or this process cannot open it. */
  publicKey(): Promise<SealingPublicKey>;
  /** As publicKey. */
  privateKey(): Promise<SealingPrivateKey>;
  /** Makes another pair in place of a leaked one, or of one that no key opens. What the old one sealed has to be sealed again. */
  replace(): Promise<SealingPublicKey>;
}

export interface SealingKeyOptions {
  readonly store: Store;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
}

export function createSealingKeys(options: SealingKeyOptions): SealingKeys {
  const { store, secretBox } = options;
  let opened: Pair | undefined;
  let making: Promise<KeyDocument> | undefined;
  const make = (): Promise<KeyDocument> => (making ??= makeKey(options, { replace: false }).finally(() => (making = undefined)));
  const read = async (): Promise<Pair> => {
    const document = (await readKey(store)) ?? (await make());
    if (opened?.publicKey.keyId !== document.key_id) opened = await openPair(document, secretBox);
    return opened;
  };
  return {
    publicKey: async () => (await read()).publicKey,
    privateKey: async () => (await read()).privateKey,
    async replace() {
      await makeKey(options, { replace: true });
      return (await read()).publicKey;
    },
  };
}

const readKey = async (reader: StoreReader): Promise<KeyDocument | undefined> =>
  (await reader.getDocument(COLLECTION, ID)) as KeyDocument | undefined;

async function makeKey({ store, secretBox, clock }: SealingKeyOptions, { replace }: { readonly replace: boolean }): Promise<KeyDocument> {
  if (secretBox.keyId === undefined)
    throw new ServiceError('unavailable', 'this server has no sealing key: start it with --secret-encryption-key, and it makes one');
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: MODULUS_BITS });
  const der = privateKey.export({ type: 'pkcs8', format: 'der' });
  const key_id = await sealingKeyId(spkiOf(privateKey));
  return transactAgain(store, async (tx) => {
    // Until this transaction ends no other server makes one: the first one made stays.
    const keyId = await lockSealingKey(tx, secretBox);
    const first = await readKey(tx);
    if (first && !replace) return first;
    const private_key = secretBox.seal(IDENTITY, der.toString('base64'), keyId);
    const document: KeyDocument = { key_id, created_at: timestamp(clock.now()), private_key };
    await tx.putDocument(COLLECTION, ID, { ...document });
    return document;
  });
}

async function openPair(document: KeyDocument, box: SecretBox): Promise<Pair> {
  const privateKey = openPrivateKey(document, box);
  const spki = spkiOf(privateKey);
  const keyId = await sealingKeyId(spki);
  if (keyId !== document.key_id)
    throw new ServiceError(
      'unavailable',
      `the sealing key that is stored as ${document.key_id} has a different id, ${keyId}; restore the database`,
    );
  const publicKeyPEM = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
  return {
    publicKey: { keyId, algorithm: SEALING_ALGORITHM, publicKeyPEM },
    privateKey: await importPrivateKey(keyId, new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }))),
  };
}

const spkiOf = (privateKey: KeyObject): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createPublicKey(privateKey).export({ type: 'spki', format: 'der' }));

function openPrivateKey({ key_id, private_key }: KeyDocument, box: SecretBox): KeyObject {
  if (box.keyId !== undefined && sealedKeyId(private_key) === undefined)
    throw new ServiceError('unavailable', `sealing key ${key_id} is stored unencrypted although this server has an encryption key`);
  try {
    return createPrivateKey({ key: Buffer.from(box.open(IDENTITY, private_key), 'base64'), format: 'der', type: 'pkcs8' });
  } catch (cause) {
    const remedy = 'start it with the key that the database was set up with';
    throw new ServiceError('unavailable', `this process's --secret-encryption-key does not open sealing key ${key_id}; ${remedy}`, {
      cause,
    });
  }
}

/** The sealing key as a sealed part of the store. */
export function storedSealingKey(secretBox: SecretBox): SealedPart {
  return {
    async sealedWith(reader) {
      const document = await readKey(reader);
      return document && sealedKeyId(document.private_key);
    },
    isAdoptable: () => Promise.resolve(true),
    async reseal(tx, { keyId }) {
      const document = await readKey(tx);
      const sealedWith = document && sealedKeyId(document.private_key);
      // One that no key opens is lost, and stays as it is.
      if (!document || sealedWith === undefined || !secretBox.has(sealedWith)) return {};
      const private_key = secretBox.seal(IDENTITY, secretBox.open(IDENTITY, document.private_key), keyId);
      await tx.putDocument(COLLECTION, ID, { ...document, private_key });
      return {};
    },
  };
}
