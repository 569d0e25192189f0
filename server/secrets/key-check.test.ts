import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../store/store.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createKeyCheck, keyProblem, refuseOtherKey } from './key-check.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';
import { sealSecretSpec } from './secret-data.ts';

const first = createSecretBox('ab'.repeat(32));
const second = createSecretBox('cd'.repeat(32));
const keyless = createSecretBox();
const USABLE = { kind: 'usable' };

let store: Store;
beforeEach(async () => {
  store = await openSqliteStore({ path: ':memory:', clock: createManualClock() });
});
afterEach(() => store.close());

async function putSecret(box: SecretBox, name = 'db'): Promise<void> {
  const at = '2026-01-02T03:04:05.000Z';
  const owner = { namespace: 'default', name };
  const spec = sealSecretSpec(box, owner, { data: { value: 'c2VjcmV0' } });
  const versions = { resourceVersion: 1, generation: 1, createdAt: at, updatedAt: at };
  await store.transaction((tx) =>
    tx.insertObject({ kind: 'Secret', ...owner, uid: name, ...versions, labels: {}, annotations: {}, spec, status: {} }),
  );
}

const settle = (box: SecretBox) => createKeyCheck(store, box).settle();
const check = (box: SecretBox) => createKeyCheck(store, box).check();

describe('the start of a process', () => {
  test('with the key of the process before it goes on', async () => {
    await settle(first);
    await putSecret(first);
    expect(await settle(first)).toEqual(USABLE);
  });

  test('with another key is told both key ids, and neither key', async () => {
    await settle(first);
    await putSecret(first);
    const verdict = await settle(second);
    expect(verdict).toEqual({ kind: 'other', storeKeyId: first.keyId, ownKeyId: second.keyId });
    expect(() => refuseOtherKey(verdict)).toThrow(
      `Secrets in this database are encrypted with key ${first.keyId}, but this process has key ${second.keyId}; every process on one database needs the same key`,
    );
    expect(keyProblem(verdict)).not.toMatch(/abab|cdcd/);
  });

  test('without a key is refused once a Secret is encrypted', async () => {
    await settle(first);
    expect(await settle(keyless)).toEqual(USABLE);
    await putSecret(first);
    expect(keyProblem(await settle(keyless))).toContain('this process has no --secret-encryption-key');
  });

  test('replaces a key that no Secret is encrypted with', async () => {
    await settle(first);
    await putSecret(keyless);
    expect(await settle(second)).toEqual(USABLE);
    expect(await check(first)).toEqual({ kind: 'other', storeKeyId: second.keyId, ownKeyId: first.keyId });
  });

  test.each([
    ['the same key', first, USABLE],
    ['another key', second, { kind: 'other', storeKeyId: first.keyId, ownKeyId: second.keyId }],
    ['no key', keyless, { kind: 'other', storeKeyId: first.keyId, ownKeyId: undefined }],
  ])('on a database from before keys were noted: %s', async (_case, box, expected) => {
    await putSecret(first);
    expect(await settle(box)).toEqual(expected);
  });

  test('finds an encrypted Secret behind many that are not', async () => {
    for (let n = 0; n < 250; n += 1) await putSecret(keyless, `plain-${n}`);
    await putSecret(first, 'zz');
    expect(await settle(keyless)).toMatchObject({ kind: 'other', storeKeyId: first.keyId });
  });
});

describe('a later look', () => {
  test('sees a key that came later', async () => {
    const running = createKeyCheck(store, keyless);
    expect(await running.settle()).toEqual(USABLE);
    await settle(first);
    await putSecret(first);
    expect(await running.check()).toMatchObject({ kind: 'other', storeKeyId: first.keyId });
  });

  test('changes nothing', async () => {
    await settle(first);
    expect(await check(second)).toMatchObject({ kind: 'other' });
    expect(await check(first)).toEqual(USABLE);
  });
});

test('a probe that does not open under the noted key counts as another key', async () => {
  await settle(first);
  await putSecret(first);
  await store.transaction((tx) => tx.putDocument('secret-encryption', 'key', { keyId: first.keyId, probe: 'aes256gcm:00:AAAA' }));
  expect(await check(first)).toMatchObject({ kind: 'other' });
});
