// Which Task a cancel, a retry or a question about its agents reaches: a name may refer to a newer Task by the time the request arrives.
import { afterEach, expect, test } from 'vitest';
import { systemContext, type Registry } from '../../registry/registry.ts';
import { keptDecisions } from '../../testing/approval-deps.ts';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import { systemClock } from '../../clock.ts';
import type { StoredObject } from '../../store/store.ts';
import { createRunService } from './create-run-service.ts';
import { createTaskHooks } from './task-hooks.ts';
import { silentObserver } from '../observer.ts';
import { noRunListeners } from '../run-listeners.ts';
import { CallError } from '../ports.ts';
import type { OpenRecord } from '../run-record.ts';
import { TASK_QUEUE } from '../task-queue.ts';

let engine: EngineBundle | undefined;
afterEach(async () => {
  await engine?.close();
  engine = undefined;
});

test.each(['cancel', 'retry'] as const)(
  'a %s that is meant for a Task of before does not reach the one of its name now',
  async (action) => {
    engine = await openEngine();
    await putSystem(engine, { agent: {} });
    const { metadata } = await engine.put('Task', 'task', { system: 'system' });
    const posted: unknown[] = [];
    const registry = { post: (_: unknown, write: unknown) => Promise.resolve({ resource: posted.push(write) }) } as unknown as Registry;
    const runs = createRunService({
      store: engine.store,
      observer: silentObserver,
      runListeners: noRunListeners,
      registry,
      ...keptDecisions(),
    });
    if (action === 'retry') await runs.cancel(systemContext, { namespace: 'default', name: 'task', uid: metadata.uid }, undefined);
    const before = await engine.read('task');
    const ask = (uid: string) => runs[action](systemContext, { namespace: 'default', name: 'task', uid }, undefined);
    await expect(ask('another')).rejects.toMatchObject({ code: 'conflict', details: [{ path: 'metadata.uid' }] });
    expect(await engine.read('task')).toEqual(before);
    expect(posted).toEqual([]);
    await ask(metadata.uid);
    expect([(await engine.read('task')).status['reason'], posted.length]).toEqual(['cancelled', action === 'retry' ? 1 : 0]);
  },
);

test('a Task that is cancelled before its first claim names no worker, and its canceller', async () => {
  engine = await openEngine();
  await putSystem(engine, { agent: {} });
  await engine.put('Task', 'task', { system: 'system' });
  const runs = createRunService({
    store: engine.store,
    observer: silentObserver,
    runListeners: noRunListeners,
    registry: {} as Registry,
    ...keptDecisions(),
  });
  await runs.cancel(systemContext, { namespace: 'default', name: 'task' }, undefined);
  const { status } = await engine.read('task');
  expect(status).not.toHaveProperty('assignedWorker');
  expect(status).toMatchObject({ cancelledBy: systemContext.identity.name });
});

test('a Task that is cancelled while it waits for its next attempt keeps the worker that had it last', async () => {
  engine = await openEngine({ model: () => Promise.reject(new CallError('rate_limited', 'later', { retryable: true })) });
  await putSystem(engine, { agent: {} });
  const { metadata } = await engine.put('Task', 'task', { system: 'system', retry: { max_attempts: 2, backoff: '1h' } });
  await engine.worker.runOnce();
  await engine.worker.drain();
  const { assignedWorker } = (await engine.read('task')).status;
  expect(assignedWorker).toEqual(expect.any(String));
  expect((await engine.store.getWorkItem(TASK_QUEUE, metadata.uid))?.owner).toBeUndefined();
  const runs = createRunService({
    store: engine.store,
    observer: silentObserver,
    runListeners: noRunListeners,
    registry: {} as Registry,
    ...keptDecisions(),
  });
  await runs.cancel(systemContext, { namespace: 'default', name: 'task' }, undefined);
  expect((await engine.read('task')).status).toMatchObject({ reason: 'cancelled', assignedWorker });
});

const runsOf = ({ store, runListeners }: EngineBundle) =>
  createRunService({ store, observer: silentObserver, runListeners, registry: {} as Registry, ...keptDecisions() });

test('the record of a run receives what a cancel without a worker writes', async () => {
  const recorded: string[] = [];
  const openRecord: OpenRecord = () =>
    Promise.resolve({
      onEntries: (_tx, { entries }) => Promise.resolve(void recorded.push(...entries.map(({ type }) => type))),
      committed: () => undefined,
      beginText: () => ({ push: () => undefined, end: () => undefined }),
      settle: () => Promise.resolve(),
      close: () => undefined,
    });
  engine = await openEngine({ openRecord });
  await putSystem(engine, { agent: {} });
  await engine.put('Task', 'task', { system: 'system' });
  await runsOf(engine).cancel(systemContext, { namespace: 'default', name: 'task' }, undefined);
  expect(recorded).toEqual(['cancel.requested', 'run.failed']);
});

test.each<[string, Pick<Partial<StoredObject>, 'spec' | 'status'>]>([
  ['mode template', { spec: { system: 'system', mode: 'template' } }],
  ['phase Succeeded', { status: { phase: 'Succeeded' } }],
])('a running Task is cancelled after a write of %s', async (_, written) => {
  let started: () => void = () => undefined;
  const called = new Promise<void>((resolve) => (started = resolve));
  engine = await openEngine({
    model: (_request, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new CallError('canceled', 'aborted', { retryable: false })));
        started();
      }),
  });
  await putSystem(engine, { agent: {} });
  const { metadata } = await engine.put('Task', 'task', { system: 'system' });
  await engine.worker.runOnce();
  await called;
  await engine.store.transaction(async (tx) => {
    const task = await tx.getObjectForUpdate({ kind: 'Task', namespace: 'default', name: 'task' });
    if (task) await tx.updateObject({ ...task, ...written, resourceVersion: task.resourceVersion + 1 }, task);
  });
  await runsOf(engine).cancel(systemContext, { namespace: 'default', name: 'task' }, undefined);
  await engine.worker.drain();
  expect((await engine.read('task')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
  expect(await engine.store.getWorkItem(TASK_QUEUE, metadata.uid)).toBeUndefined();
});

test('a Task between its attempts stays in the queue when its mode becomes template', async () => {
  engine = await openEngine({ model: () => Promise.reject(new CallError('rate_limited', 'later', { retryable: true })) });
  await putSystem(engine, { agent: {} });
  const { metadata } = await engine.put('Task', 'task', { system: 'system', retry: { max_attempts: 2, backoff: '1h' } });
  await engine.worker.runOnce();
  await engine.worker.drain();
  const { store, runListeners } = engine;
  const previous = await engine.read('task');
  const task = {
    ...previous,
    metadata: { ...previous.metadata, generation: 2 },
    spec: { ...previous.spec, mode: 'template' },
  };
  const { onUpdated } = createTaskHooks({ store, clock: systemClock, runListeners });
  await store.transaction((tx) => onUpdated?.(tx, task, { previous, by: systemContext.identity }) ?? Promise.resolve());
  expect(await store.getWorkItem(TASK_QUEUE, metadata.uid)).toMatchObject({ owner: undefined, notBefore: expect.any(Number) });
});
