// Deletion of a Session with many tasks whose notifications are not delivered.
import { expect, onTestFinished, test } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import { systemClock } from '../clock.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { StoreTransaction } from '../store/store.ts';
import { a2aHooks, cleanupTimer } from './create-a2a.ts';
import { deleteConfigsOf, hasWaiting, putConfig } from './push/records.ts';
import { addRecord, hasRecordsOf, type TaskRecord } from './tasks/records.ts';

const TASKS = 250;
const SESSION = { namespace: 'n', name: 's', uid: '11111111-1111-4111-8111-111111111111' };

const recordOf = (sequence: number): TaskRecord => ({
  id: `t-${sequence}`,
  owner: 'token:ann',
  system: { namespace: 'n', name: 'system', uid: 'system' },
  contextId: 'c',
  run: { kind: 'turn', session: SESSION, sequence },
  messages: [],
  notifies: true,
  changedAt: 1,
});

test('each transaction of a deletion examines a bounded number of records, and all are deleted once their notifications are', async () => {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock, referencesOf: () => ({}) as never });
  onTestFinished(() => store.close());
  const box = createSecretBox('11'.repeat(32));
  const records = Array.from({ length: TASKS }, (_, at) => recordOf(at + 1));
  const all = (act: (tx: StoreTransaction, record: TaskRecord) => Promise<void>) =>
    store.transaction(async (tx) => {
      for (const record of records) await act(tx, record);
    });
  await all(async (tx, record) => {
    await addRecord(tx, record);
    await putConfig(tx, box, { record, config: { id: 'c', url: 'https://example.com/' }, dialect: 'v1' });
  });
  const notified = async () => (await Promise.all(records.map((record) => hasWaiting(store, record)))).filter(Boolean).length;

  const [[, hooks] = []] = a2aHooks(systemClock);
  const session = { metadata: SESSION } as unknown as Resource;
  await store.transaction((tx) => hooks?.onDeleted?.(tx, session, { name: 'ann', method: 'token' } as never) ?? Promise.resolve());
  expect(await notified()).toBe(1);

  const step = () => store.transaction((tx) => cleanupTimer.handle(tx, { key: SESSION.uid }, 5));
  const seen: unknown[] = [];
  for (let steps = 0; steps < 3; steps += 1) seen.push([await step(), await notified()]);
  expect(seen).toEqual([
    [{ againAt: 5 }, 100],
    [{ againAt: 5 }, 200],
    [{ againAt: 60_005 }, TASKS],
  ]);

  await all(deleteConfigsOf);
  for (let steps = 0; steps < 3; steps += 1) seen.push(await step());
  expect(seen.slice(3)).toEqual([{ againAt: 5 }, { againAt: 5 }, undefined]);
  expect(await hasRecordsOf(store, SESSION.uid)).toBe(false);
});
