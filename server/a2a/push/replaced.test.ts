// Configurations that are replaced while a notification waits or is on its way.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { overlay } from '../../overlay.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { Collection } from '../../store/collection.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { StoredObject } from '../../store/store.ts';
import type { AgentTask } from '../model.ts';
import { addRecord, keyOf, readRecord, type TaskRecord } from '../tasks/records.ts';
import { pushTimer, type DeliveryDeps } from './deliver.ts';
import { createPushMethods } from './methods.ts';
import { addNotifications, PUSH_QUEUE, readNotification, replaceNotification } from './records.ts';

const record: TaskRecord = {
  id: 'task',
  owner: 'bearer:partner',
  system: { namespace: 'default', name: 'echo', uid: 'system-uid' },
  contextId: 'context',
  run: { kind: 'task', task: { namespace: 'default', name: 'run', uid: '00000000-0000-4000-8000-000000000001' } },
  messages: [],
  changedAt: 1,
};
const task = { id: 'task', state: 'input-required', timestamp: '2026-01-01T00:00:00Z' } as unknown as AgentTask;
const system = { kind: 'AgentSystem', ...record.system, spec: { agents: ['echo'], a2a: { enabled: true } } } as unknown as StoredObject;
const box = createSecretBox('11'.repeat(32));

async function setup() {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock, referencesOf: () => ({}) as never });
  onTestFinished(() => store.close());
  const deps = { store, clock: systemClock, secretBox: box, allowPrivate: false, permittedBy: '' };
  const { read } = createPushMethods(deps, { find: () => Promise.resolve(record) });
  const put = (url: string) =>
    store.transaction(async (tx) => read({ id: 'c', url }, 'v1').write(tx, (await readRecord(tx, keyOf(record.run))) ?? record));
  await store.transaction((tx) => addRecord(tx, record));
  await put('https://wrong.example/');
  await store.transaction(async (tx) => addNotifications(tx, record, { task, now: systemClock.now() }));
  const [waiting] = await new Collection('a2a-push-queue').listUnder(store, '', { limit: 1 });
  return { store, deps, put, key: waiting!.id };
}

test('a waiting notification is delivered at once to a corrected address', async () => {
  const { store, put, key } = await setup();
  const { notification } = (await readNotification(store, box, key))!;
  const later = Date.now() + 900_000;
  await store.transaction(async (tx) => {
    await replaceNotification(tx, key, { ...notification, failures: 12 });
    const { namespace, name } = record.system;
    await tx.enqueueWork({ queue: PUSH_QUEUE, key, namespace, name, rank: 0, notBefore: later, requirements: {} });
  });
  await put('https://right.example/');
  expect((await store.getWorkItem(PUSH_QUEUE, key))?.notBefore).toBe(0);
  expect((await readNotification(store, box, key))?.notification.failures).toBe(0);
});

test('a notification that fails while its address is corrected is repeated at once', async () => {
  const { store, deps, put, key } = await setup();
  const identity = { method: 'bearer', name: 'partner', role: 'writer' };
  const egress = {
    async send() {
      await put('https://right.example/');
      throw new Error('no connection');
    },
  };
  const task = { ...record.run, kind: 'Task', status: { phase: 'Running' } } as unknown as StoredObject;
  const known = overlay(store, { getObject: ({ kind }) => Promise.resolve(kind === 'Task' ? task : system) });
  const log = { info: () => undefined, warn: () => undefined };
  const timer = pushTimer({
    ...deps,
    store: known,
    egress,
    log,
    random: () => 0.5,
    principal: async () => identity,
  } as unknown as DeliveryDeps);
  const conclude = await timer.prepare(key);
  expect(await store.transaction((tx) => conclude(tx, 5_000))).toEqual({ againAt: 5_000 });
});
