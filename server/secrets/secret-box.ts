// Encryption of Secret values at rest: AES-256-GCM under the server's keys, bound to the object and entry they belong to.
// Independent of the store and of kinds; without a key values stay base64 plaintext.
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { invariant, ServiceError } from '@svc/shared/errors';

/** Where a value lives. A ciphertext moved to another identity does not open. */
interface SecretIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export interface SecretBox {
  /** Names the newest key without revealing it; undefined when no key is configured. */
  readonly keyId: string | undefined;
  /** Whether this box holds the key of this id. */
  has(keyId: string): boolean;
  /** The form in which a base64 value is stored: an envelope, or the value itself when no key is configured. `keyId` names the key to use, the newest by default. */
  seal(identity: SecretIdentity, value: string, keyId?: string): string;
  /** The base64 value behind what is stored. Throws `unavailable` when no configured key opens it, or when it is plaintext although there is a key. */
  open(identity: SecretIdentity, stored: string): string;
  /** A code that authenticates a text that stays readable; undefined when no key is configured. */
  authenticate(identity: SecretIdentity, text: string, keyId?: string): string | undefined;
  /** Whether a key of this box made the code for this identity and text. */
  isAuthentic(identity: SecretIdentity, text: string, code: unknown): boolean;
}

/** `:` is not a base64 character, so an envelope is never mistaken for a plaintext value. */
const ENVELOPE_PREFIX = 'aes256gcm:';
const CODE_PREFIX = 'hmacsha256:';
const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const KEY_ID_HEX_DIGITS = 16;

/** Parses a 256-bit key: 64 hex digits or 44 base64 characters. Throws `invalid`, without repeating the text. */
export function parseSecretKey(text: string): Buffer {
  const trimmed = text.trim();
  if (/^[0-9a-fA-F]{64}$/.test(trimmed)) return Buffer.from(trimmed, 'hex');
  const decoded = /^[A-Za-z0-9+/]{43}=$/.test(trimmed) ? Buffer.from(trimmed, 'base64') : undefined;
  if (decoded?.length === KEY_BYTES) return decoded;
  throw new ServiceError(
    'invalid',
    `--secret-encryption-key must be 256 bits as 64 hex digits or 44 base64 characters (it has ${trimmed.length} characters); make one with: openssl rand -hex 32`,
  );
}

/** A box for the configured key texts, newest first, or one that stores plaintext when there is none. */
export function createSecretBox(...keyTexts: readonly string[]): SecretBox {
  const keys = keyTexts.map(parseSecretKey).map(sealingKey);
  return keys[0] === undefined ? plainBox : keyedBox(keys[0], new Map(keys.map((key) => [key.id, key])));
}

const plainBox: SecretBox = {
  keyId: undefined,
  has: () => false,
  seal: (_identity, value) => value,
  open: (identity, stored) => {
    const envelope = readEnvelope(stored);
    if (!envelope) return stored;
    throw cannotOpen(
      identity,
      `was encrypted with key ${envelope.keyId}, and this server has no secret encryption key; configure that key`,
    );
  },
  authenticate: () => undefined,
  isAuthentic: () => false,
};

interface SealingKey {
  readonly id: string;
  readonly key: Buffer;
  /** Derived from `key`, for codes. */
  readonly codeKey: Buffer;
}

function sealingKey(key: Buffer): SealingKey {
  return { id: keyIdOf(key), key, codeKey: Buffer.from(hkdfSync('sha256', key, '', 'svc authentication codes', KEY_BYTES)) };
}

function keyedBox(newest: SealingKey, keys: ReadonlyMap<string, SealingKey>): SecretBox {
  const named = (keyId = newest.id): SealingKey => {
    const found = keys.get(keyId);
    invariant(found, 'a value is sealed with a key that the box has');
    return found;
  };
  return {
    keyId: newest.id,
    has: (keyId) => keys.has(keyId),
    seal(identity, value, keyId) {
      const { id, key } = named(keyId);
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(additionalData(identity));
      const sealed = Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${ENVELOPE_PREFIX}${id}:${sealed.toString('base64')}`;
    },
    open(identity, stored) {
      const envelope = readEnvelope(stored);
      if (!envelope)
        throw cannotOpen(identity, `is stored unencrypted although this server encrypts what it writes; write the Secret again (${ADOPT})`);
      const key = keys.get(envelope.keyId)?.key;
      if (key) return decrypt(key, identity, envelope.sealed);
      const own = keys.size === 1 ? `key is ${newest.id}` : `keys are ${[...keys.keys()].join(', ')}`;
      throw cannotOpen(
        identity,
        `was encrypted with key ${envelope.keyId}, but this server's ${own}; configure the key it was written with`,
      );
    },
    authenticate: (identity, text, keyId) => codeOf(named(keyId), identity, text),
    isAuthentic(identity, text, code) {
      const keyId = typeof code === 'string' ? code.slice(CODE_PREFIX.length, CODE_PREFIX.length + KEY_ID_HEX_DIGITS) : '';
      const key = keys.get(keyId);
      if (!key) return false;
      const [expected, given] = [Buffer.from(codeOf(key, identity, text)), Buffer.from(String(code))];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
  };
}

/** How an operator takes over what was stored before the key was set. */
export const ADOPT = 'or accept the stored values unsealed with: svcd rotate-secrets --adopt-unsealed';

function codeOf({ id, codeKey }: SealingKey, identity: SecretIdentity, text: string): string {
  const code = createHmac('sha256', codeKey).update(additionalData(identity)).update('\0').update(text, 'utf8').digest('base64');
  return `${CODE_PREFIX}${id}:${code}`;
}

function decrypt(key: Buffer, identity: SecretIdentity, sealed: Buffer): string {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(additionalData(identity)).setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch (cause) {
    throw cannotOpen(identity, 'does not decrypt: what is stored was damaged or belongs to another object; write the Secret again', cause);
  }
}

function readEnvelope(stored: string): { keyId: string; sealed: Buffer } | undefined {
  if (!stored.startsWith(ENVELOPE_PREFIX)) return undefined;
  const separator = stored.indexOf(':', ENVELOPE_PREFIX.length);
  return { keyId: stored.slice(ENVELOPE_PREFIX.length, separator), sealed: Buffer.from(stored.slice(separator + 1), 'base64') };
}

/** The id of the key that a stored value is encrypted with; undefined for one that is not encrypted. */
export function sealedKeyId(stored: string): string | undefined {
  return readEnvelope(stored)?.keyId;
}

function additionalData({ namespace, name, key }: SecretIdentity): Buffer {
  return Buffer.from([namespace, name, key].join('\0'), 'utf8');
}

function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('svc secret encryption key id\0').update(key).digest('hex').slice(0, KEY_ID_HEX_DIGITS);
}

function cannotOpen({ namespace, name, key }: SecretIdentity, why: string, cause?: unknown): ServiceError {
  return new ServiceError('unavailable', `entry "${key}" of Secret ${namespace}/${name} ${why}`, { cause });
}
