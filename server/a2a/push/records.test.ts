// Sealed configurations and the rotation of the keys that seal them.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { rotateKeys } from '../../secrets/rotate-keys.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { TaskRecord } from '../tasks/records.ts';
import { listConfigs, putConfig, storedPushConfigs } from './records.ts';

const [OLD, NEW] = ['11'.repeat(32), '22'.repeat(32)];
const record = { run: { kind: 'turn', session: { namespace: 'n', name: 's', uid: 'u' }, sequence: 1 } } as unknown as TaskRecord;
const config = { id: 'c', url: 'https://example.com/', token: 't', scheme: 'Bearer', credentials: 'k' };

test('a rotation of the encryption key seals configurations again', async () => {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock, referencesOf: () => ({}) as never });
  onTestFinished(() => store.close());
  const old = createSecretBox(OLD);
  await store.transaction((tx) => putConfig(tx, old, { record, config, dialect: 'v1' }));
  expect(await listConfigs(store, old, record)).toEqual([config]);
  const both = createSecretBox(NEW, OLD);
  expect(await storedPushConfigs(both).sealedWith(store)).toBe(old.keyId);
  await rotateKeys({ store, box: both, others: [storedPushConfigs(both)] }, { adopt: false, onProgress: () => undefined });
  expect(await storedPushConfigs(both).sealedWith(store)).toBe(both.keyId);
  expect(await listConfigs(store, createSecretBox(NEW), record)).toEqual([config]);
  await expect(listConfigs(store, old, record)).rejects.toThrow('configure the key');
});
