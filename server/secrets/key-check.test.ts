import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import type { Store } from '../store/store.ts';
import { storeEngines } from '../testing/background.ts';
import { createKeyCheck, keyProblem, refuseOtherKey, requireKey } from './key-check.ts';
import { createSecretBox, sealedKeyId, type SecretBox } from './secret-box.ts';
import { openSecretSpec, sealSecretSpec } from './secret-data.ts';
import { lockSealingKey } from './store-key.ts';
import { storedSecrets } from './stored-secrets.ts';

const FIRST = 'ab'.repeat(32);
const SECOND = 'cd'.repeat(32);
const first = createSecretBox(FIRST);
const second = createSecretBox(SECOND);
const both = createSecretBox(SECOND, FIRST);
const keyless = createSecretBox();
const USABLE = { kind: 'usable' };
const OTHER = { kind: 'other', storeKeyId: first.keyId, ownKeyId: second.keyId };

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  let store: Store;
  beforeEach(async () => {
    store = await open(systemClock);
  });
  afterEach(() => store.close());

  async function putSecret(box: SecretBox, name = 'db'): Promise<void> {
    const at = '2026-01-02T03:04:05.000Z';
    const owner = { namespace: 'default', name };
    const spec = sealSecretSpec(box, owner, { data: { value: 'c2VjcmV0' } });
    const versions = { resourceVersion: 1, generation: 1, createdAt: at, updatedAt: at };
    const object = { kind: 'Secret', ...owner, uid: name, ...versions, labels: {}, annotations: {}, spec, status: {} };
    await store.transaction((tx) => tx.insertObject(object));
  }

  const read = (name = 'db') => store.getObject({ kind: 'Secret', namespace: 'default', name });
  const storedValue = async (name?: string) => String(((await read(name))?.spec['data'] as Record<string, string>)['value']);
  const checkOf = (box: SecretBox) => createKeyCheck({ store, box, parts: [storedSecrets(box)] });
  const settle = (box: SecretBox, takeOver = false) => checkOf(box).settle({ takeOver });
  const check = (box: SecretBox) => checkOf(box).check();
  const sealingKey = (box: SecretBox) => store.transaction((tx) => lockSealingKey(tx, box));

  describe('start of a process', () => {
    test('accepts the key of the previous process', async () => {
      await settle(first);
      await putSecret(first);
      expect(await settle(first)).toEqual(USABLE);
    });

    test('names both key ids, and neither key, when its key differs', async () => {
      await settle(first);
      await putSecret(first);
      const verdict = await settle(second);
      expect(verdict).toEqual(OTHER);
      expect(() => refuseOtherKey(verdict)).toThrow(
        `Secrets in this database are encrypted with key ${first.keyId}, but this process has key ${second.keyId}; every process on one database needs the same key`,
      );
      expect(keyProblem(verdict)).not.toMatch(/abab|cdcd/);
    });

    test.each([
      ['another key', second],
      ['no key', keyless],
    ])('is refused with %s although no Secret is stored', async (_case, box) => {
      await settle(first);
      expect(await settle(box)).toEqual({ ...OTHER, ownKeyId: box.keyId });
    });

    test('accepts the store’s key behind a newer one, and seals with the store’s key', async () => {
      await settle(first);
      expect(await settle(both)).toEqual(USABLE);
      expect(await sealingKey(both)).toBe(first.keyId);
    });

    test('replaces a lost key only with the option for it', async () => {
      await settle(first);
      await putSecret(first);
      expect(await settle(second, true)).toEqual(USABLE);
      expect([await sealingKey(second), await settle(second), await check(first)]).toEqual([
        second.keyId,
        USABLE,
        { kind: 'other', storeKeyId: second.keyId, ownKeyId: first.keyId },
      ]);
    });

    test('without a key takes nothing over', async () => {
      await settle(first);
      expect(await settle(keyless, true)).toEqual({ ...OTHER, ownKeyId: undefined });
    });

    test.each([
      ['the same key', first, USABLE],
      ['another key', second, OTHER],
      ['no key', keyless, { ...OTHER, ownKeyId: undefined }],
    ])('on a database without a note of its key judges %s by the Secrets', async (_case, box, expected) => {
      await putSecret(first);
      expect(await settle(box)).toEqual(expected);
    });

    test('finds an encrypted Secret behind many that are not', async () => {
      for (let n = 0; n < 250; n += 1) await putSecret(keyless, `plain-${n}`);
      await putSecret(first, 'zz');
      expect(await settle(keyless)).toMatchObject({ kind: 'other', storeKeyId: first.keyId });
    });

    test('with the first key seals stored values, and changes no version', async () => {
      await putSecret(keyless);
      const before = await read();
      const { head } = await store.changeBounds();
      expect(await settle(keyless)).toEqual(USABLE);
      expect(await settle(first)).toEqual(USABLE);
      expect(sealedKeyId(await storedValue())).toBe(first.keyId);
      const after = await read();
      expect({ ...after, spec: {} }).toEqual({ ...before, spec: {} });
      expect(openSecretSpec(first, after!, after!.spec)).toEqual(before?.spec);
      expect((await store.changeBounds()).head).toBe(head);
    });

    test('leaves an unsealed value refused where others are sealed', async () => {
      await settle(first);
      await putSecret(first);
      await putSecret(keyless, 'planted');
      // The note is gone too, as after a deletion by somebody with the database.
      await store.transaction((tx) => tx.deleteDocument('secret-encryption', 'key'));
      expect(await settle(first)).toEqual(USABLE);
      const planted = await read('planted');
      expect(() => openSecretSpec(first, planted!, planted!.spec)).toThrow(/Secret default\/planted is stored unencrypted although/);
    });
  });

  describe('later check', () => {
    test('detects a key that was set later', async () => {
      const running = checkOf(keyless);
      expect(await running.settle()).toEqual(USABLE);
      await settle(first);
      expect(await running.check()).toEqual({ kind: 'other', storeKeyId: first.keyId, ownKeyId: undefined });
      await expect(requireKey(running)).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining(first.keyId!) });
    });

    test('changes nothing', async () => {
      await settle(first);
      expect(await check(second)).toEqual(OTHER);
      expect(await check(first)).toEqual(USABLE);
    });
  });

  test('processes without the store’s key write no Secret', async () => {
    await settle(first);
    for (const box of [second, keyless]) await expect(sealingKey(box)).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('notes that do not open under their key count as another key', async () => {
    await settle(first);
    for (const probe of ['aes256gcm:00:AAAA', 'cHJvYmU=', 7])
      await store
        .transaction((tx) => tx.putDocument('secret-encryption', 'key', { keyId: first.keyId, probe }))
        .then(async () => expect(await check(first)).toMatchObject({ kind: 'other' }));
  });

  test('notes of an earlier version are still read', async () => {
    const identity = { namespace: 'secret-encryption', name: 'key', key: 'probe' };
    const probe = first.seal(identity, Buffer.from('probe').toString('base64'));
    await store.transaction((tx) => tx.putDocument('secret-encryption', 'key', { keyId: first.keyId, probe }));
    expect([await check(first), await settle(first), await check(second)]).toEqual([USABLE, USABLE, OTHER]);
  });
});
