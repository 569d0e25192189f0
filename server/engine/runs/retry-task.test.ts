// Retries through the real registry: names of the new Tasks, and keys of requests that were sent twice.
import { expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { systemClock, timestamp } from '../../clock.ts';
import { createRegistry } from '../../registry/create-registry.ts';
import { systemContext, type Registry } from '../../registry/registry.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { StoredObject } from '../../store/store.ts';
import { retryTask, type RetryOptions } from './retry-task.ts';

const KEY = { kind: 'Task', namespace: 'default', name: 'bill' };

function failed(annotations: StoredObject['annotations'] = {}): StoredObject {
  const at = timestamp(systemClock.now());
  const fixed = { uid: 'bill', resourceVersion: 1, generation: 1, labels: {}, createdAt: at, updatedAt: at };
  return { ...KEY, ...fixed, annotations, spec: { system: 'desk', input: { amount: '1' } }, status: { phase: 'Failed', completedAt: at } };
}

async function setup() {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  let uids = 0;
  const rest = { secretBox: createSecretBox(), crdConflictPolicy: 'reject', kubernetesIsolation: false, versionsMax: 100 } as const;
  const registry = createRegistry({ store, clock: systemClock, hooks: new Map(), newUid: () => `uid-${(uids += 1)}`, ...rest });
  await store.transaction((tx) => tx.insertObject(failed()));
  const retry = async (options: RetryOptions = {}, task = failed()) => {
    const { metadata, spec } = await retryTask(registry, systemContext, { task, ...options });
    return { name: metadata.name, annotations: metadata.annotations, input: spec['input'] };
  };
  return { store, retry };
}

test('each retry makes a new Task, and a repeated idempotency key returns the Task of its first request', async () => {
  const { store, retry } = await setup();
  const names = async (...options: readonly RetryOptions[]) => {
    const found: string[] = [];
    for (const each of options) found.push((await retry(each)).name);
    return found;
  };
  expect(await names({}, {}, { key: 'a' }, { key: 'b', input: { amount: '2' } }, { key: 'a' }, { key: 'b' }, {})).toEqual(
    ['retry-1', 'retry-2', 'retry-3', 'retry-4', 'retry-3', 'retry-4', 'retry-5'].map((name) => `bill-${name}`),
  );
  expect(await retry({ key: 'b' })).toMatchObject({ name: 'bill-retry-4', input: { amount: '2' } });
  await store.close();
});

test('the key of a Task is not that of its retries', async () => {
  const { store, retry } = await setup();
  const { annotations } = await retry({}, failed({ 'svc.dev/retry-key': 'a', team: 'x' }));
  expect(annotations).toEqual({ team: 'x', 'svc.dev/retry-of': 'default/bill' });
  await store.close();
});

test('a retry in another namespace names its Task and the creators, without marks of the service', async () => {
  const { store, retry } = await setup();
  const task = { ...failed({ team: 'x', 'svc.dev/note': 'y' }), createdBy: 'ann', labels: { tier: 'a', 'svc.dev/experiment': 'e' } };
  const { name } = await retry({ toNamespace: 'staging', key: 'a' }, task);
  const made = await store.getObject({ kind: 'Task', namespace: 'staging', name });
  expect(made).toMatchObject({
    name: 'bill-retry-1',
    labels: { tier: 'a' },
    alsoBy: ['ann'],
    spec: { system: 'desk', input: { amount: '1' } },
  });
  expect(made?.annotations).toEqual({ team: 'x', 'svc.dev/retry-of': 'default/bill', 'svc.dev/retry-key': 'a' });
  expect(await retry({ toNamespace: 'staging', key: 'a' }, task)).toMatchObject({ name });
  await store.close();
});

test('a retry with a version of the system is a trial, and stays in its namespace from then on', async () => {
  const { store, retry } = await setup();
  const { name } = await retry({ systemGeneration: 2 });
  const made = await store.getObject({ kind: 'Task', namespace: 'default', name });
  expect(made?.spec).toMatchObject({ trial: { versions: [{ kind: 'AgentSystem', name: 'desk', generation: 2 }] } });
  const trial = { ...failed(), spec: { ...failed().spec, trial: made?.spec['trial'] ?? null } };
  await expect(retry({ toNamespace: 'staging' }, trial)).rejects.toMatchObject({ code: 'invalid', details: [{ path: 'to_namespace' }] });
  const again = await retry({ systemGeneration: 0 }, trial);
  expect((await store.getObject({ kind: 'Task', namespace: 'default', name: again.name }))?.spec).not.toHaveProperty('trial');
  await store.close();
});

test('a conflict other than a taken name ends a retry at once', async () => {
  let posts = 0;
  const post = () => {
    posts += 1;
    return Promise.reject(new ServiceError('conflict', 'a rule forbids it'));
  };
  const get = () => Promise.reject(new ServiceError('not_found', 'no such Task'));
  await expect(retryTask({ post, get } as unknown as Registry, systemContext, { task: failed() })).rejects.toThrow('a rule forbids it');
  expect(posts).toBe(1);
});
