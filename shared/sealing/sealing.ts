// Format of sealed entries: RSA-OAEP-SHA256 wraps a fresh AES-256-GCM key, bound to namespace, name and entry key. WebCrypto, so that browser, svcctl and
// server share it. vectors.json holds test vectors for other implementations.
import { isBase64 } from '../base64.ts';

export const SEALING_ALGORITHM = 'rsa-oaep-sha256+aes-256-gcm';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DATA_KEY_BYTES = 32;
const KEY_ID_HEX_DIGITS = 16;
const OAEP = { name: 'RSA-OAEP', hash: 'SHA-256' } as const;

/** Public half of the sealing key, as `GET /v1/sealing-key/public` answers. */
export interface SealingPublicKey {
  /** `sha256:` and the first 16 hex digits of the SHA-256 of the SPKI DER. */
  readonly keyId: string;
  readonly algorithm: typeof SEALING_ALGORITHM;
  /** SPKI as PEM. */
  readonly publicKeyPEM: string;
}

/** Place of an entry. A ciphertext that is moved to another place does not open. */
export interface SealedIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** One entry of `spec.encryptedData`. */
export interface SealedEntry {
  readonly keyId: string;
  /** Base64 of the wrapped AES key. */
  readonly wrappedKey: string;
  /** Base64 of the 12-byte nonce, the ciphertext and the 16-byte tag. */
  readonly ciphertext: string;
}

type Key = Parameters<typeof crypto.subtle.encrypt>[1];

/** Opens or refuses sealed entries. */
export interface SealingPrivateKey {
  readonly keyId: string;
  readonly key: Key;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** In pieces: an argument list has a limit. */
function base64Of(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 8_192) pieces.push(String.fromCharCode(...bytes.subarray(at, at + 8_192)));
  return btoa(pieces.join(''));
}

function additionalData({ namespace, name, key }: SealedIdentity): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode([SEALING_ALGORITHM, namespace, name, key].join('\0'));
}

/** DER of a public key in PEM form; undefined for anything else. */
function derOf(pem: string): Uint8Array<ArrayBuffer> | undefined {
  const lines = pem.trim().split(/\r?\n/);
  const body = lines.slice(1, -1).join('');
  const framed = lines[0] === '-----BEGIN PUBLIC KEY-----' && lines.at(-1) === '-----END PUBLIC KEY-----';
  return framed && isBase64(body) ? bytesOf(body) : undefined;
}

export async function sealingKeyId(spki: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', spki));
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `sha256:${hex.slice(0, KEY_ID_HEX_DIGITS)}`;
}

/** Id of a public key in PEM form; rejects with an Error for another text. */
export async function sealingKeyIdOfPem(publicKeyPEM: string): Promise<string> {
  const spki = derOf(publicKeyPEM);
  if (!spki) throw new Error(NO_KEY);
  return sealingKeyId(spki);
}

const NO_KEY = 'the sealing key is not an RSA public key in PEM form (BEGIN PUBLIC KEY)';

/** Seals values for one server. Rejects with an Error, in one sentence, for text that is not a public key, or a key that has another id. */
export async function createSealer({ keyId, publicKeyPEM }: Pick<SealingPublicKey, 'keyId' | 'publicKeyPEM'>) {
  const spki = derOf(publicKeyPEM);
  const key = spki && (await crypto.subtle.importKey('spki', spki, OAEP, false, ['encrypt']).catch(() => undefined));
  if (!spki || !key) throw new Error(NO_KEY);
  const actual = await sealingKeyId(spki);
  if (actual !== keyId) throw new Error(`the sealing key has the id ${actual}, not ${keyId}: fetch it again from the server`);
  return {
    keyId,
    async seal(identity: SealedIdentity, value: Uint8Array<ArrayBuffer>): Promise<SealedEntry> {
      const rawKey = crypto.getRandomValues(new Uint8Array(DATA_KEY_BYTES));
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
      const dataKey = await crypto.subtle.importKey('raw', rawKey, 'AES-GCM', false, ['encrypt']);
      const gcm = { name: 'AES-GCM', iv: nonce, additionalData: additionalData(identity) };
      const sealed = new Uint8Array(await crypto.subtle.encrypt(gcm, dataKey, value));
      const wrapped = new Uint8Array(await crypto.subtle.encrypt('RSA-OAEP', key, rawKey));
      rawKey.fill(0);
      const ciphertext = new Uint8Array(nonce.length + sealed.length);
      ciphertext.set(nonce);
      ciphertext.set(sealed, nonce.length);
      return { keyId, wrappedKey: base64Of(wrapped), ciphertext: base64Of(ciphertext) };
    },
  };
}

export type Sealer = Awaited<ReturnType<typeof createSealer>>;

/** `pkcs8` is the DER of the private half. */
export async function importPrivateKey(keyId: string, pkcs8: Uint8Array<ArrayBuffer>): Promise<SealingPrivateKey> {
  return { keyId, key: await crypto.subtle.importKey('pkcs8', pkcs8, OAEP, false, ['decrypt']) };
}

/** Why an entry does not open; it never holds a value. */
export type UnsealProblem = 'other_key' | 'wrapped_key' | 'ciphertext';

/** The value of an entry, or why it does not open. */
export async function unseal(
  { keyId, key }: SealingPrivateKey,
  identity: SealedIdentity,
  entry: SealedEntry,
): Promise<Uint8Array<ArrayBuffer> | UnsealProblem> {
  if (entry.keyId !== keyId) return 'other_key';
  if (!isBase64(entry.wrappedKey)) return 'wrapped_key';
  const rawKey = await crypto.subtle.decrypt('RSA-OAEP', key, bytesOf(entry.wrappedKey)).catch(() => undefined);
  if (rawKey?.byteLength !== DATA_KEY_BYTES) return 'wrapped_key';
  const sealed = isBase64(entry.ciphertext) ? bytesOf(entry.ciphertext) : new Uint8Array();
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return 'ciphertext';
  const dataKey = await crypto.subtle.importKey('raw', rawKey, 'AES-GCM', false, ['decrypt']);
  const gcm = { name: 'AES-GCM', iv: sealed.subarray(0, NONCE_BYTES), additionalData: additionalData(identity) };
  const value = await crypto.subtle.decrypt(gcm, dataKey, sealed.subarray(NONCE_BYTES)).catch(() => undefined);
  return value ? new Uint8Array(value) : 'ciphertext';
}
