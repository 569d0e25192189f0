// The one-time token of a callback, and what only its holder can open. Pure but for randomness; independent of any store.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const ALGORITHM = 'aes-256-gcm';
const PURPOSE = 'tool callback: values to redact';

export function newCallbackToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Stored form of a token: its SHA-256. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** In constant time. */
export function isTokenOf(hash: string, token: string): boolean {
  return timingSafeEqual(createHash('sha256').update(token).digest(), digestOf(hash));
}

function digestOf(hash: string): Buffer {
  const digest = Buffer.from(hash, 'base64url');
  return digest.length === 32 ? digest : Buffer.alloc(32);
}

/**
 * Texts that must not appear in the reply, closed with the token: the process that receives the reply does not have them,
 * and the store alone does not reveal them.
 */
export function sealTexts(texts: readonly string[], token: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(token), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(texts), 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64');
}

/** Throws for a text that was sealed with another token. */
export function openTexts(sealed: string, token: string): string[] {
  const bytes = Buffer.from(sealed, 'base64');
  const decipher = createDecipheriv(ALGORITHM, keyOf(token), bytes.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString('utf8');
  return JSON.parse(text) as string[];
}

function keyOf(token: string): Buffer {
  return Buffer.from(hkdfSync('sha256', token, '', PURPOSE, 32));
}
