// Runs that lose their workers: counted, held apart, given up, over the real store. A dying worker is a claim that no process continues.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemContext, type Registry, type RequestContext, type WriteRequest } from '../../registry/registry.ts';
import type { Claim } from '../../store/store.ts';
import { keptDecisions } from '../../testing/approval-deps.ts';
import { dyingWorker } from '../../testing/dying-worker.ts';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import { createRunService } from '../runs/create-run-service.ts';
import { silentObserver } from '../observer.ts';
import { noRunListeners } from '../run-listeners.ts';
import type { OpenedRun } from './open-run.ts';
import { TASK_QUEUE } from '../task-queue.ts';

const ref = (name: string) => ({ namespace: 'default', name });

async function setup() {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  await putSystem(engine, { agent: {} });
  return {
    engine,
    service: createRunService({
      store: engine.store,
      observer: silentObserver,
      runListeners: noRunListeners,
      registry: creatingTasks(engine),
      ...keptDecisions(),
    }),
  };
}

/** Registry that only creates Tasks, as a retry does. */
function creatingTasks(engine: EngineBundle): Registry {
  const post = async (_context: RequestContext, { body }: WriteRequest) => {
    const { metadata, spec } = body as { metadata: { name: string }; spec: Readonly<Record<string, unknown>> };
    return { resource: await engine.put('Task', metadata.name, { ...spec }) };
  };
  return { post } as unknown as Registry;
}

const claimOf = (opened: OpenedRun): Claim => (opened.kind === 'open' ? opened.run.claim : opened.claim);
const namesHeld = (opened: readonly OpenedRun[]) => opened.flatMap((each) => (each.kind === 'settled' ? [] : [claimOf(each).name])).sort();
const itemOf = ({ store }: EngineBundle, uid: string) => store.getWorkItem(TASK_QUEUE, uid);

describe('a run that its workers lose without progress', () => {
  test.each([
    ['workers of different names', ['w1', 'w2', 'w3', 'w4']],
    ['a worker restarted under the same name', ['w1', 'w1', 'w1', 'w1']],
  ])('is dead-lettered as poisoned at the third takeover, by %s', async (_, owners) => {
    const { engine, service } = await setup();
    const task = await engine.put('Task', 'poison', { system: 'system' });
    const dies = async (life: number) => dyingWorker(engine.store, owners[life] ?? '').dieAt(life);
    expect(namesHeld(await dies(0))).toEqual(['poison']);
    expect(namesHeld(await dies(1))).toEqual(['poison']);
    // Released to be held alone, then claimed alone.
    expect(namesHeld(await dies(2))).toEqual([]);
    expect(namesHeld(await dies(2))).toEqual(['poison']);
    expect(await dies(3)).toMatchObject([{ kind: 'settled' }]);
    const { status } = await engine.read('poison');
    expect(status).toMatchObject({
      phase: 'DeadLetter',
      reason: 'poisoned',
      attempts: 1,
      lastError: expect.stringMatching(
        /^the run was taken over 3 times without progress: .*w\d the last of them; look at .* retry it$/,
      ) as string,
    });
    expect((status['history'] as { type: string }[]).map(({ type }) => type)).toEqual([
      'claim',
      'running',
      'takeover',
      'claim',
      'takeover',
      'deadletter',
    ]);
    const facts = (await engine.store.readChanges({ after: 0, limit: 1_000 })).flatMap(({ fact }) => fact ?? []);
    expect(facts.filter(({ type }) => type === 'task.poisoned')).toMatchObject([
      { source: 'engine', action: 'poisoned', message: status['lastError'], data: { attempt: 1, lost_by: owners[2] } },
    ]);
    expect(facts.filter(({ type }) => type === 'task.deadletter')).toHaveLength(1);
    expect(await itemOf(engine, task.metadata.uid)).toBeUndefined();
    expect(await service.explain(systemContext, ref('poison'))).toMatchObject({ reasons: [{ code: 'poisoned' }] });
  });

  test('is counted from the start again after each progress', async () => {
    const { engine } = await setup();
    const { metadata } = await engine.put('Task', 'task', { system: 'system' });
    for (const life of [0, 1]) await dyingWorker(engine.store, `w${life}`).dieAt(life);
    expect(await itemOf(engine, metadata.uid)).toMatchObject({ takeovers: 1 });
    const signal = { stream: metadata.uid, type: 'none', timestamp: new Date().toISOString(), data: {} };
    await engine.store.transaction((tx) => tx.sendSignal(TASK_QUEUE, signal));
    const [opened] = await dyingWorker(engine.store, 'w2', { takeoversMax: 9 }).dieAt(2);
    if (opened?.kind !== 'open') throw new Error('it is not open');
    await engine.store.transaction((tx) => tx.clearTakeovers(opened.run.claim));
    await dyingWorker(engine.store, 'w3').dieAt(3);
    expect(await itemOf(engine, metadata.uid)).toMatchObject({ takeovers: 1 });
  });

  test('is dead-lettered even when each worker dies before it has opened the run, and leaves no journal', async () => {
    const { engine } = await setup();
    await engine.put('Task', 'poison', { system: 'system' });
    const dies = (life: number) => dyingWorker(engine.store, `w${life}`, { wary: true }).dieAt(life, { opens: false });
    for (const life of [0, 1, 2, 2]) await dies(life);
    expect(await dyingWorker(engine.store, 'w3').dieAt(3)).toMatchObject([{ kind: 'settled' }]);
    expect((await engine.read('poison')).status).toMatchObject({ phase: 'DeadLetter', reason: 'poisoned' });
  });

  test('is dead-lettered without its journal when the process that ends it dies as well', async () => {
    const { engine } = await setup();
    const { metadata } = await engine.put('Task', 'poison', { system: 'system' });
    for (const life of [0, 1, 2, 2]) await dyingWorker(engine.store, `w${life}`).dieAt(life);
    await dyingWorker(engine.store, 'w3').dieAt(3, { opens: false });
    expect(await itemOf(engine, metadata.uid)).toMatchObject({ takeovers: 3, owner: 'w3' });
    expect(await dyingWorker(engine.store, 'w4').dieAt(4)).toMatchObject([{ kind: 'settled' }]);
    const { status } = await engine.read('poison');
    expect(status).toMatchObject({ phase: 'DeadLetter', reason: 'poisoned', attempts: 1 });
    expect(status['lastError']).toMatch(/taken over 4 times/);
  });

  test('is retried with no takeovers counted', async () => {
    const { engine, service } = await setup();
    const { metadata } = await engine.put('Task', 'poison', { system: 'system' });
    const { dieAt } = dyingWorker(engine.store, 'w');
    for (const life of [0, 1, 2, 2, 3]) await dieAt(life);
    expect((await engine.read('poison')).status).toMatchObject({ phase: 'DeadLetter', reason: 'poisoned' });
    await service.retry(systemContext, { ...ref('poison'), uid: metadata.uid });
    const retried = await engine.read('poison-retry-1');
    expect(await itemOf(engine, retried.metadata.uid)).toMatchObject({ takeovers: 0 });
    expect(namesHeld(await dieAt(4))).toEqual(['poison-retry-1']);
    expect(namesHeld(await dieAt(5))).toEqual(['poison-retry-1']);
  });

  test('can be cancelled before it is dead-lettered', async () => {
    const { engine, service } = await setup();
    await engine.put('Task', 'poison', { system: 'system' });
    for (const life of [0, 1, 2]) await dyingWorker(engine.store, `w${life}`).dieAt(life);
    expect(await service.explain(systemContext, ref('poison'))).toMatchObject({
      reasons: [{ code: 'waiting_for_worker' }, { code: 'in_doubt', message: expect.stringMatching(/taken over 2 times/) as string }, {}],
    });
    const { status } = await service.cancel(systemContext, ref('poison'), 'enough');
    expect(status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
  });

  test('is never dead-lettered without a bound', async () => {
    const { engine } = await setup();
    await engine.put('Task', 'task', { system: 'system' });
    for (let life = 0; life < 6; life += 1)
      expect(namesHeld(await dyingWorker(engine.store, 'w', { takeoversMax: 0 }).dieAt(life))).toEqual(['task']);
  });
});

describe('neighbours of a run that kills its workers', () => {
  test('are never held with it once both have one loss left, so that it alone is condemned', async () => {
    const { engine } = await setup();
    await engine.put('Task', 'poison', { system: 'system' });
    await engine.put('Task', 'long-call', { system: 'system' });
    expect(namesHeld(await dyingWorker(engine.store, 'w0').dieAt(0))).toEqual(['long-call', 'poison']);
    expect(namesHeld(await dyingWorker(engine.store, 'w1').dieAt(1))).toEqual(['long-call', 'poison']);
    expect(namesHeld(await dyingWorker(engine.store, 'w2').dieAt(2))).toEqual([]);
    const first = namesHeld(await dyingWorker(engine.store, 'w2').dieAt(2));
    const second = namesHeld(await dyingWorker(engine.store, 'w3').dieAt(2));
    expect([first.length, second.length]).toEqual([1, 1]);
    expect([...first, ...second].sort()).toEqual(['long-call', 'poison']);
    expect(namesHeld(await dyingWorker(engine.store, 'w4').dieAt(2))).toEqual([]);
  });

  test('new Tasks claimed with a run on its last chance are released', async () => {
    const { engine } = await setup();
    await engine.put('Task', 'poison', { system: 'system' });
    for (const life of [0, 1, 2]) await dyingWorker(engine.store, `w${life}`).dieAt(life);
    const { metadata } = await engine.put('Task', 'new', { system: 'system' });
    expect(namesHeld(await dyingWorker(engine.store, 'w2').dieAt(2))).toEqual(['poison']);
    expect(await itemOf(engine, metadata.uid)).toMatchObject({ owner: undefined, takeovers: 0, requirements: {} });
    expect(namesHeld(await dyingWorker(engine.store, 'w3').dieAt(2, { alone: false }))).toEqual(['new']);
  });
});
