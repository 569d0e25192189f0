// Values sealed in the console open with the private key, at their own place.
import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importPrivateKey, unseal, type SealedEntry } from '@svc/shared/sealing/sealing';
import { parse } from 'yaml';
import { afterEach, expect, test, vi } from 'vitest';
import { refusal, serve } from '../../../testing/fake-link.ts';
import { pinKey, pinnedKey } from './pinned-key.ts';
import { sealedManifest, sealingProblem, sealValues } from './seal.ts';

const vectors = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../shared/sealing/vectors.json'), 'utf8')) as {
  readonly keyId: string;
  readonly publicKeyPEM: string;
  readonly privateKeyPEM: string;
};
const pkcs8 = createPrivateKey(vectors.privateKeyPEM).export({ type: 'pkcs8', format: 'der' });
const place = { namespace: 'shop', name: 'payment' };

afterEach(() => {
  vi.unstubAllGlobals();
  localStorage.clear();
});

test('a manifest holds every entry sealed for its place, and no value', async () => {
  serve({ server: { sealingKey: () => vectors } });
  const text = await sealedManifest(place, { value: 'hunter2', 'other.key': 'Grüße\nzwei Zeilen' });
  expect(text).not.toContain('hunter2');
  expect(text).toContain('# Sealed for shop/payment');
  const { kind, metadata, spec } = parse(text) as { kind: string; metadata: object; spec: { encryptedData: Record<string, SealedEntry> } };
  expect([kind, metadata]).toEqual(['SealedSecret', place]);
  const key = await importPrivateKey(vectors.keyId, new Uint8Array(pkcs8));
  for (const [name, value] of [
    ['value', 'hunter2'],
    ['other.key', 'Grüße\nzwei Zeilen'],
  ] as const) {
    const entry = spec.encryptedData[name] as SealedEntry;
    expect(new TextDecoder().decode((await unseal(key, { ...place, key: name }, entry)) as Uint8Array)).toBe(value);
    expect(await unseal(key, { ...place, name: 'other', key: name }, entry)).toBe('ciphertext');
  }
});

test('a key other than the one of the last use seals nothing until it is trusted', async () => {
  serve({ server: { sealingKey: () => vectors } });
  pinKey('sha256:before');
  await expect(sealValues(place, { value: 'x' })).rejects.toThrow(/changed from sha256:before/);
  pinKey(vectors.keyId);
  await expect(sealValues(place, { value: 'x' })).resolves.toHaveProperty('value');
});

test('the first use pins the key', async () => {
  serve({ server: { sealingKey: () => vectors } });
  await sealValues(place, { value: 'x' });
  expect(pinnedKey()).toBe(vectors.keyId);
});

test('reports a server without a key by its message, and a key that does not fit its id', async () => {
  serve({
    server: {
      sealingKey: () => {
        throw refusal('unavailable', 'this server has no sealing key');
      },
    },
  });
  await expect(sealValues(place, { value: 'x' })).rejects.toThrow('this server has no sealing key');
  serve({ server: { sealingKey: () => ({ ...vectors, keyId: 'sha256:0000000000000000' }) } });
  await expect(sealValues(place, { value: 'x' })).rejects.toThrow('has the id');
});

test('a page that was loaded over plain HTTP names the other ways', () => {
  vi.stubGlobal('isSecureContext', false);
  expect(sealingProblem()).toContain('svcctl seal');
  vi.stubGlobal('isSecureContext', true);
  expect(sealingProblem()).toBeUndefined();
});
