// Sealed entries: the published vectors, made once and read by an independent implementation over node:crypto as well.
import { constants, createDecipheriv, createPrivateKey, privateDecrypt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSealer, importPrivateKey, unseal, type SealedEntry, type UnsealProblem } from './sealing.ts';

interface Vector {
  readonly what: string;
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
  readonly sealed: SealedEntry;
}

interface Vectors {
  readonly algorithm: string;
  readonly keyId: string;
  readonly publicKeyPEM: string;
  readonly privateKeyPEM: string;
  readonly entries: readonly (Vector & { readonly valueBase64: string })[];
  readonly refused: readonly (Vector & { readonly problem: UnsealProblem })[];
}

const vectors = JSON.parse(readFileSync(new URL('vectors.json', import.meta.url), 'utf8')) as Vectors;
const privateKey = createPrivateKey(vectors.privateKeyPEM);
const opener = importPrivateKey(vectors.keyId, new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' })));

/** The published format, written a second time. */
function openWithNode({ namespace, name, key, sealed }: Vector): Buffer {
  const wrapped = { key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  const dataKey = privateDecrypt(wrapped, Buffer.from(sealed.wrappedKey, 'base64'));
  const bytes = Buffer.from(sealed.ciphertext, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', dataKey, bytes.subarray(0, 12), { authTagLength: 16 });
  decipher.setAAD(Buffer.from(`${vectors.algorithm}\0${namespace}\0${name}\0${key}`)).setAuthTag(bytes.subarray(-16));
  return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
}

describe('sealed entries', () => {
  it.each(vectors.entries)('open to their value: $what', async (vector) => {
    const value = await unseal(await opener, vector, vector.sealed);
    expect(Buffer.from(value as Uint8Array).toString('base64')).toBe(vector.valueBase64);
    expect(openWithNode(vector).toString('base64')).toBe(vector.valueBase64);
  });

  it.each(vectors.refused)('do not open with $what', async (vector) => {
    expect(await unseal(await opener, vector, vector.sealed)).toBe(vector.problem);
  });

  it.each(['', '!', 'AAAA', '===='])('do not open with the text "%s" in a field', async (text) => {
    const [vector] = vectors.entries;
    if (!vector) throw new Error('no vector');
    expect(await unseal(await opener, vector, { ...vector.sealed, wrappedKey: text })).toBe('wrapped_key');
    expect(await unseal(await opener, vector, { ...vector.sealed, ciphertext: text })).toBe('ciphertext');
  });

  it('are sealed with a fresh key and nonce each, even when they are large', async () => {
    const sealer = await createSealer(vectors);
    const identity = { namespace: 'default', name: 'large', key: 'value' };
    const value = new Uint8Array(100_000).fill(7);
    const [first, second] = [await sealer.seal(identity, value), await sealer.seal(identity, value)];
    expect(first.ciphertext.slice(0, 16)).not.toBe(second.ciphertext.slice(0, 16));
    expect(first.wrappedKey).not.toBe(second.wrappedKey);
    expect(openWithNode({ ...identity, what: '', sealed: first }).equals(value)).toBe(true);
  });

  it.each([
    ['a key id of another key', { keyId: 'sha256:0000000000000000' }, 'has the id'],
    ['a text that is no PEM', { publicKeyPEM: 'hello' }, 'not an RSA public key'],
    ['a private key', { publicKeyPEM: vectors.privateKeyPEM }, 'not an RSA public key'],
    ['a damaged key', { publicKeyPEM: vectors.publicKeyPEM.replace('MIIC', 'AAAA') }, 'not an RSA public key'],
  ])('are not made with %s', async (_what, change, message) => {
    await expect(createSealer({ ...vectors, ...change })).rejects.toThrow(message);
  });
});
