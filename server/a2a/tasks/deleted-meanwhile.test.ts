// Writes for a task that is deleted between their checks and their transaction.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { overlay } from '../../overlay.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { createPushMethods } from '../push/methods.ts';
import { listConfigs } from '../push/records.ts';
import { createTaskService, type TaskServiceDeps } from './create-task-service.ts';
import { addRecord, keyOf, readRecord, type TaskRecord } from './records.ts';
import type { AgentCall } from './task-service.ts';

const UID = '00000000-0000-4000-8000-000000000001';
const record: TaskRecord = {
  id: `${UID}-1`,
  owner: 'bearer:partner',
  system: { namespace: 'default', name: 'echo', uid: 'system-uid' },
  contextId: 'context',
  run: { kind: 'task', task: { namespace: 'default', name: 'run', uid: UID } },
  messages: [],
  changedAt: 1,
};
const box = createSecretBox('11'.repeat(32));

async function openStore() {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock, referencesOf: () => ({}) as never });
  onTestFinished(() => store.close());
  return store;
}

test('a push notification configuration is refused, and not kept', async () => {
  const store = await openStore();
  const deps = { store, clock: systemClock, secretBox: box, allowPrivate: false, permittedBy: '' };
  const { read } = createPushMethods(deps, { find: () => Promise.resolve(record) });
  const config = { id: 'c', url: 'https://example.com/', authentication: { credentials: 'k' } };
  await expect(store.transaction((tx) => read(config, 'v1').write(tx, record))).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  expect(await listConfigs(store, box, record)).toEqual([]);
  expect(await readRecord(store, keyOf(record.run))).toBeUndefined();
});

/** Reads outside of a transaction find the task as it was before. */
function sendTo(store: Store) {
  const task = { kind: 'Task', namespace: 'default', name: 'run', uid: UID, status: { phase: 'Running' } } as unknown as StoredObject;
  const before = { ...record } as Record<string, unknown>;
  const stale = overlay(store, {
    getObject: () => Promise.resolve(task),
    getDocument: (collection, id) => (collection === 'a2a-tasks' ? Promise.resolve(before) : store.getDocument(collection, id)),
  });
  const tasks = createTaskService({ store: stale } as unknown as TaskServiceDeps);
  const call = { context: { identity: { method: 'bearer', name: 'partner', role: 'writer' } }, system: record.system };
  const message = { messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'more' }], taskId: record.id } as const;
  return tasks.send(call as unknown as AgentCall, { message });
}

test('a message is refused, and not kept', async () => {
  const store = await openStore();
  await expect(sendTo(store)).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
  expect(await readRecord(store, keyOf(record.run))).toBeUndefined();
});

test('a message to a task whose run is gone is refused', async () => {
  const store = await openStore();
  await store.transaction((tx) => addRecord(tx, record));
  await expect(sendTo(store)).rejects.toMatchObject({ reason: 'UNSUPPORTED_OPERATION' });
  expect((await readRecord(store, keyOf(record.run)))?.messages).toEqual([]);
});
