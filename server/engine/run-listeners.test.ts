// Run listeners over both databases: one call for each end and each suspension, in the transaction of the change.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { systemContext, type Registry } from '../registry/registry.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import { transactAgain, WriteRace } from '../store/write-race.ts';
import { keptDecisions } from '../testing/approval-deps.ts';
import { requireApprovalOf, openApprovals } from '../testing/approval-fixture.ts';
import { keptLog, storeEngines } from '../testing/background.ts';
import { dyingWorker } from '../testing/dying-worker.ts';
import { openEngine, putSystem, toTestResource, type EngineBundle, type EngineSetup } from '../testing/engine.ts';
import { silentObserver } from './observer.ts';
import { CallError } from './ports.ts';
import { createRunListeners, type RunChange, type RunListener } from './run-listeners.ts';
import { createRunService } from './runs/create-run-service.ts';
import { createTaskHooks } from './runs/task-hooks.ts';

const COLLECTION = 'test.listener';
const call = (id: string, name: string) => ({ id, name, arguments: '{}' });
const shown = (change: RunChange) => (change.kind === 'ended' ? change.how : `suspended: ${change.why}`);

/** Counts its calls in a document, through the transaction: calls that were rolled back are not in it. */
function counting(name = 'counting'): RunListener {
  return {
    name,
    async onRunChange(tx, task, change) {
      const id = `${name}/${task.metadata.name}`;
      const { changes = [] } = ((await tx.getDocument(COLLECTION, id)) ?? {}) as { changes?: string[] };
      await tx.putDocument(COLLECTION, id, { changes: [...changes, `${shown(change)} as ${String(task.status['phase'])}`] });
    },
  };
}

const changesOf = async (store: Store, name = 'task', listener = 'counting') =>
  ((await store.getDocument(COLLECTION, `${listener}/${name}`)) as { changes: string[] } | undefined)?.changes ?? [];

async function remove({ store, runListeners }: EngineBundle, name = 'task'): Promise<void> {
  const hooks = createTaskHooks({ store, clock: systemClock, runListeners });
  await transactAgain(store, async (tx) => {
    const task = await tx.deleteObject({ kind: 'Task', namespace: 'default', name }, new Date().toISOString());
    if (task) await hooks.onDeleted?.(tx, toTestResource(task), systemContext.identity);
  });
}

const cancel = ({ store, runListeners }: EngineBundle) =>
  createRunService({ store, observer: silentObserver, runListeners, registry: {} as Registry, ...keptDecisions() }).cancel(
    systemContext,
    { namespace: 'default', name: 'task' },
    'enough',
  );

describe.each(storeEngines.filter(({ skip }) => !skip))('a run listener over $name', ({ open }) => {
  async function setup(options: EngineSetup = {}, agent = {}): Promise<EngineBundle> {
    const engine = await openEngine({ runListeners: [counting()], ...options, store: await open(systemClock) });
    onTestFinished(() => engine.close());
    await putSystem(engine, { agent });
    return engine;
  }

  async function run(engine: EngineBundle, spec = {}): Promise<void> {
    await engine.put('Task', 'task', { system: 'system', ...spec });
    await engine.worker.runOnce();
    await engine.worker.drain();
  }

  test('is called once when a run succeeds', async () => {
    const engine = await setup();
    await run(engine);
    expect(await changesOf(engine.store)).toEqual(['succeeded as Succeeded']);
    await remove(engine);
    expect(await changesOf(engine.store)).toHaveLength(1);
  });

  test('is called for a suspension until the next attempt, then for the end', async () => {
    const engine = await setup({ model: () => Promise.reject(new CallError('rate_limited', 'later', { retryable: true })) });
    await run(engine, { retry: { max_attempts: 2, backoff: '0s' } });
    await engine.worker.runOnce();
    await engine.worker.drain();
    expect((await changesOf(engine.store)).at(-1)).toBe('dead_lettered as DeadLetter');
    expect((await changesOf(engine.store)).slice(0, -1)).toEqual(['suspended: retry as Pending']);
  });

  test('is called once when a Task that no worker holds is cancelled', async () => {
    const engine = await setup();
    await engine.put('Task', 'task', { system: 'system' });
    await cancel(engine);
    expect(await changesOf(engine.store)).toEqual(['cancelled as Failed']);
  });

  test('is called once when a held run is cancelled', async () => {
    let asked = () => {};
    const asking = new Promise<void>((resolve) => (asked = resolve));
    const engine = await setup({
      model: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
          asked();
        }),
    });
    engine.worker.start();
    await engine.put('Task', 'task', { system: 'system' });
    await asking;
    await cancel(engine);
    await engine.worker.drain();
    expect(await changesOf(engine.store)).toEqual(['cancelled as Failed']);
  });

  test('is called once when a Task is deleted before its run has ended', async () => {
    const engine = await setup();
    await engine.put('Task', 'task', { system: 'system' });
    await remove(engine);
    expect(await changesOf(engine.store)).toEqual(['deleted as Pending']);
  });

  test('is called once when a poisoned run is dead-lettered', async () => {
    const engine = await setup();
    await engine.put('Task', 'task', { system: 'system' });
    const worker = dyingWorker(engine.store, 'w1', { takeoversMax: 1, runListeners: engine.runListeners });
    for (const life of [0, 1, 1, 2]) await worker.dieAt(life);
    expect((await changesOf(engine.store)).at(-1)).toBe('dead_lettered as DeadLetter');
    expect((await changesOf(engine.store)).filter((change) => change.startsWith('dead'))).toHaveLength(1);
  });

  test('is called for the wait for a person, then once for the end when the time runs out', async () => {
    const setupOf: EngineSetup = {
      runListeners: [counting()],
      governance: requireApprovalOf('pay'),
      model: ({ step }) => (step === 1 ? { toolCalls: [call('1', 'pay')] } : { content: 'done' }),
    };
    const fixture = await openApprovals({ ...setupOf, store: await open(systemClock) });
    const { engine } = fixture;
    onTestFinished(() => engine.close());
    await engine.put('Tool', 'pay', { type: 'http', endpoint: 'http://tool' });
    await putSystem(engine, { agent: { tools: ['pay'] } });
    await run(engine);
    expect(await changesOf(engine.store)).toEqual(['suspended: approval as WaitingApproval']);
    await fixture.expire(await fixture.pending());
    await engine.worker.runOnce();
    await engine.worker.drain();
    expect(await changesOf(engine.store)).toEqual(['suspended: approval as WaitingApproval', 'failed as Failed']);
  });

  test('is called for a run that is released because its worker stops', async () => {
    let asked = () => {};
    const asking = new Promise<void>((resolve) => (asked = resolve));
    const engine = await setup({
      model: (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
          asked();
        }),
    });
    await engine.put('Task', 'task', { system: 'system' });
    await engine.worker.runOnce();
    await asking;
    await engine.worker.stop();
    expect(await changesOf(engine.store)).toEqual(['suspended: released as Running']);
  });

  test('is called again, and its first call rolled back, when it loses a race', async () => {
    let calls = 0;
    const base = counting();
    const racing: RunListener = {
      name: 'counting',
      async onRunChange(tx, task, change) {
        calls += 1;
        await base.onRunChange(tx, task, change);
        if (calls === 1) throw new WriteRace(undefined);
      },
    };
    const engine = await setup({ runListeners: [racing] });
    await run(engine);
    expect([calls, await changesOf(engine.store)]).toEqual([2, ['succeeded as Succeeded']]);
  });

  test('does not keep a run from ending when it is broken; the listeners beside it are called', async () => {
    const { log, lines } = keptLog();
    const broken: RunListener = {
      name: 'broken',
      async onRunChange(tx: StoreTransaction) {
        await tx.putDocument(COLLECTION, 'broken', {});
        throw new TypeError('a bug');
      },
    };
    const engine = await setup();
    const runListeners = createRunListeners([broken, counting('other'), { ...broken, name: 'broken too' }], log);
    await engine.put('Task', 'task', { system: 'system' });
    await remove({ ...engine, runListeners });
    expect(await engine.store.getObject({ kind: 'Task', namespace: 'default', name: 'task' })).toBeUndefined();
    expect(await changesOf(engine.store, 'task', 'other')).toEqual(['deleted as Pending']);
    expect(await engine.store.getDocument(COLLECTION, 'broken')).toBeUndefined();
    const driven = await setup({ runListeners: [broken, counting('other')] });
    await run(driven);
    expect(await changesOf(driven.store, 'task', 'other')).toEqual(['succeeded as Succeeded']);
    expect(lines.map(({ level, fields }) => [level, fields['listener']])).toEqual([
      ['error', 'broken'],
      ['error', 'broken too'],
    ]);
  });
});
