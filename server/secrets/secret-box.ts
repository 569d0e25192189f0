// Encryption of Secret values at rest: AES-256-GCM under one server key, bound to the object and entry they belong to.
// Knows no store and no kind; without a key values stay base64 plaintext (SPEC "Secret" rule 4).
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';

/** Where a value lives. A ciphertext moved to another identity does not open. */
export interface SecretIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

export interface SecretBox {
  /** Names the key without revealing it; undefined when no key is configured. */
  readonly keyId: string | undefined;
  /** The form in which a base64 value is stored: an envelope, or the value itself when no key is configured. */
  seal(identity: SecretIdentity, value: string): string;
  /** The base64 value behind what is stored. Throws `unavailable` when the configured key cannot open it. */
  open(identity: SecretIdentity, stored: string): string;
}

/** `:` is no base64 character, so an envelope is never mistaken for a plaintext value. */
const ENVELOPE_PREFIX = 'aes256gcm:';
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

/** A box for the configured key text, or one that stores plaintext when there is none. */
export function createSecretBox(keyText?: string): SecretBox {
  return keyText === undefined ? plainBox : keyedBox(parseSecretKey(keyText));
}

const plainBox: SecretBox = {
  keyId: undefined,
  seal: (_identity, value) => value,
  open: (identity, stored) => {
    const envelope = readEnvelope(stored);
    if (!envelope) return stored;
    throw cannotOpen(
      identity,
      `was encrypted with key ${envelope.keyId}, and this server has no secret encryption key; configure that key`,
    );
  },
};

function keyedBox(key: Buffer): SecretBox {
  const keyId = keyIdOf(key);
  return {
    keyId,
    seal(identity, value) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(additionalData(identity));
      const sealed = Buffer.concat([nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${ENVELOPE_PREFIX}${keyId}:${sealed.toString('base64')}`;
    },
    open(identity, stored) {
      const envelope = readEnvelope(stored);
      if (!envelope) return stored;
      if (envelope.keyId !== keyId) {
        throw cannotOpen(
          identity,
          `was encrypted with key ${envelope.keyId}, but this server's key is ${keyId}; configure the key it was written with`,
        );
      }
      return decrypt(key, identity, envelope.sealed);
    },
  };
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
