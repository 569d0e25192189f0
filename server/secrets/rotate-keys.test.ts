// Rotation of keys over stored Secrets, on each engine: nothing is lost, nothing else changes, and it may stop anywhere.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { storeEngines } from '../testing/background.ts';
import { createKeyCheck } from './key-check.ts';
import { isRotationDue, rotateKeys, rotationSentence } from './rotate-keys.ts';
import { createSecretBox, sealedKeyId, type SecretBox } from './secret-box.ts';
import { openSecretSpec, sealSecretSpec } from './secret-data.ts';
import { lockSealingKey } from './store-key.ts';
import { storedSecrets, type ResealProgress } from './stored-secrets.ts';

const OLD = 'ab'.repeat(32);
const NEW = 'cd'.repeat(32);
const old = createSecretBox(OLD);
const both = createSecretBox(NEW, OLD);
const fresh = createSecretBox(NEW);
const USABLE = { kind: 'usable' };

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open(systemClock);
    await settle(old);
  });
  afterEach(() => store.close());

  const settle = (box: SecretBox) => createKeyCheck({ store, box, parts: [storedSecrets(box)] }).settle();
  const check = (box: SecretBox) => createKeyCheck({ store, box, parts: [storedSecrets(box)] }).check();
  const rotate = (box: SecretBox = both, options: { adopt?: boolean; onProgress?: (progress: ResealProgress) => void } = {}) =>
    rotateKeys({ store, box, others: [] }, { adopt: false, onProgress: () => undefined, ...options });

  /** Writes a Secret as the registry does, by a process that has these keys. */
  async function put(box: SecretBox, name: string, value = 'c2VjcmV0'): Promise<void> {
    const owner = { kind: 'Secret', namespace: 'default', name };
    await transactAgain(store, async (tx) => {
      const current = await tx.getObjectForUpdate(owner);
      const spec = sealSecretSpec(box, owner, { data: { value, other: 'eA==' } }, await lockSealingKey(tx, box));
      const at = new Date().toISOString();
      const meta = { labels: {}, annotations: {}, status: {}, updatedAt: at, spec };
      if (!current) return tx.insertObject({ ...owner, ...meta, uid: name, resourceVersion: 1, generation: 1, createdAt: at });
      return tx.updateObject({ ...current, ...meta, resourceVersion: current.resourceVersion + 1 });
    });
  }

  const plant = (name: string, spec: StoredObject['spec']) =>
    store.transaction((tx) =>
      tx.insertObject({
        ...{ kind: 'Secret', namespace: 'default', name, uid: name, resourceVersion: 1, generation: 1, labels: {}, annotations: {} },
        ...{ createdAt: '2026-01-02T03:04:05.000Z', updatedAt: '2026-01-02T03:04:05.000Z', spec, status: {} },
      }),
    );

  const stored = () => store.listObjects({ kind: 'Secret', limit: 1000 });
  const openedWith = async (box: SecretBox) =>
    (await stored()).map((object) => (openSecretSpec(box, object, object.spec)['data'] as Record<string, string>)['value']);
  const keysUsed = async () => new Set((await stored()).flatMap(({ spec }) => Object.values(spec['data'] as object).map(sealedKeyId)));

  test('every Secret opens with the new key alone, with no new version or change', async () => {
    for (let n = 0; n < 230; n += 1) await put(old, `s-${n}`, Buffer.from(`v-${n}`).toString('base64'));
    const before = await stored();
    const values = await openedWith(old);
    const { head } = await store.changeBounds();
    const seen: ResealProgress[] = [];
    const rotation = await rotate(both, { onProgress: (progress) => seen.push(progress) });
    expect(rotation).toEqual({ keyId: fresh.keyId, seen: 230, resealed: 230, left: [] });
    expect(seen.map((progress) => progress.resealed)).toEqual([200, 230]);
    expect(rotationSentence(rotation)).toMatch(/^Re-encrypted 230 of 230 Secrets with key \w{16}; .*Earlier keys are no longer needed\.$/);
    expect([await openedWith(fresh), await keysUsed()]).toEqual([values, new Set([fresh.keyId])]);
    const meta = (objects: StoredObject[]) => objects.map((object) => ({ ...object, spec: {} }));
    expect(meta(await stored())).toEqual(meta(before));
    expect((await store.changeBounds()).head).toBe(head);
    expect([await settle(fresh), await settle(both), (await settle(old)).kind]).toEqual([USABLE, USABLE, 'other']);
  });

  test('second runs change nothing', async () => {
    await put(old, 's');
    await rotate();
    const before = await stored();
    expect(await rotate()).toMatchObject({ seen: 1, resealed: 0, left: [] });
    expect(await stored()).toEqual(before);
  });

  test('concurrent writers lose nothing and leave nothing under the old key', async () => {
    for (let n = 0; n < 40; n += 1) await put(old, `s-${n}`);
    const writers = Array.from({ length: 40 }, (_, n) => put(both, `s-${n % 60}`, 'bmV3'));
    await Promise.all([...writers.slice(0, 20), rotate(), ...writers.slice(20)]);
    expect(await keysUsed()).toEqual(new Set([fresh.keyId]));
    expect(new Set(await openedWith(fresh))).toEqual(new Set(['bmV3']));
  });

  test('interrupted rotations still need the old key, and the next run completes them', async () => {
    for (let n = 0; n < 210; n += 1) await put(old, `s-${String(n).padStart(3, '0')}`);
    const failure = new Error('the process was killed');
    const breakOff = () => {
      throw failure;
    };
    await expect(rotate(both, { onProgress: breakOff })).rejects.toBe(failure);
    expect(await keysUsed()).toEqual(new Set([old.keyId, fresh.keyId]));
    expect(await settle(fresh)).toEqual({ kind: 'other', storeKeyId: old.keyId, ownKeyId: fresh.keyId });
    expect([await check(both), await isRotationDue({ store, box: both })]).toEqual([USABLE, true]);
    expect(await rotate()).toMatchObject({ seen: 210, resealed: 10 });
    expect([await settle(fresh), await isRotationDue({ store, box: both })]).toEqual([USABLE, false]);
  });

  test('processes with only the old key write no Secret once the rotation has begun', async () => {
    await rotate();
    await expect(put(old, 's')).rejects.toMatchObject({ code: 'unavailable' });
    await put(both, 's');
    expect(await keysUsed()).toEqual(new Set([fresh.keyId]));
  });

  test('Secrets of a lost key and unencrypted ones are left and named', async () => {
    const lost = createSecretBox('ef'.repeat(32));
    await put(old, 'kept');
    await plant('lost', sealSecretSpec(lost, { namespace: 'default', name: 'lost' }, { data: { value: 'eA==' } }));
    await plant('planted', { data: { value: 'eA==' } });
    const rotation = await rotate();
    expect(rotation).toMatchObject({ seen: 3, resealed: 1, left: ['default/lost', 'default/planted'] });
    expect(rotationSentence(rotation)).toContain(
      '2 are left as they were, because no key given opens them or they are not encrypted: default/lost',
    );
    expect((await settle(fresh)).kind).toBe('other');
    expect(await rotate(both, { adopt: true })).toMatchObject({ resealed: 1, left: ['default/lost'] });
  });

  test.each([
    ['no key', createSecretBox(), 'invalid', /--secret-encryption-key is required/],
    ['a new key alone', fresh, 'conflict', /encrypted with key \w{16}, but this process has key/],
  ])('rotation with %s is refused', async (_case, box, code, message) => {
    await put(old, 's');
    await expect(rotate(box)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await keysUsed()).toEqual(new Set([old.keyId]));
  });
});
