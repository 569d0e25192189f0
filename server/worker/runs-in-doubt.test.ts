// Handling of runs that other workers lost: the last chance runs apart, and the log says when a lost lease was not the fault of a run.
import { describe, expect, onTestFinished, test } from 'vitest';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import { dyingWorker } from '../testing/dying-worker.ts';
import { openEngine, putSystem, waitFor, type EngineBundle, type EngineSetup } from '../testing/engine.ts';
import type { WorkerOptions } from './worker.ts';

const never = (_: unknown, signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

async function setup(options: EngineSetup = {}): Promise<EngineBundle> {
  const engine = await openEngine(options);
  onTestFinished(() => engine.close());
  return engine;
}

/** Workers lose everything that is there this often. */
async function lose({ store }: EngineBundle, times: number): Promise<void> {
  for (let life = 0; life < times; life += 1) await dyingWorker(store, 'gone').dieAt(life);
}

const namesIn = (calls: EngineBundle['modelCalls']) => calls.map(({ messages }) => String(messages.at(-1)?.content)).sort();

describe('a run on its last chance', () => {
  test('is held alone until it makes progress, then others are claimed beside it', async () => {
    let answer: () => void = () => undefined;
    const engine = await setup({
      model: ({ messages }) => {
        const held = String(messages.at(-1)?.content).includes('suspect');
        return held ? new Promise((resolve) => (answer = () => resolve({ content: 'done' }))) : { content: 'done' };
      },
    });
    await putSystem(engine, { agent: {} });
    await engine.put('Task', 'suspect', { system: 'system', input: { who: 'suspect' } });
    await lose(engine, 3);
    engine.worker.start();
    await waitFor(engine.store, async () => (engine.modelCalls.length > 0 ? true : undefined));
    await engine.put('Task', 'other', { system: 'system', input: { who: 'other' } });
    expect(await engine.worker.runOnce()).toBe(0);
    expect(namesIn(engine.modelCalls)).toEqual([expect.stringContaining('suspect')]);
    answer();
    expect((await engine.until('suspect')).status).toMatchObject({ phase: 'Succeeded' });
    expect((await engine.until('other')).status).toMatchObject({ phase: 'Succeeded' });
  });

  test('waits while its worker holds another run in doubt', async () => {
    const engine = await setup({ model: never });
    await putSystem(engine, { agent: {} });
    await engine.put('Task', 'one', { system: 'system' });
    await lose(engine, 1);
    expect(await engine.worker.runOnce()).toBe(1);
    const two = await engine.put('Task', 'two', { system: 'system' });
    await lose(engine, 3);
    expect(await engine.worker.runOnce()).toBe(0);
    expect(await engine.store.getWorkItem(TASK_QUEUE, two.metadata.uid)).toMatchObject({ owner: undefined, requirements: { alone: true } });
  });
});

describe('a lease that a living worker loses', () => {
  const loses = async (options: Partial<WorkerOptions>) => {
    const engine = await setup({ model: never, worker: { leaseMs: 100, heartbeatMs: 1_000_000, stopGraceMs: 0, ...options } });
    await putSystem(engine, { agent: {} });
    const { metadata } = await engine.put('Task', 'task', { system: 'system' });
    await engine.worker.runOnce();
    await engine.worker.drain();
    const capabilities = { gpu: false, supportedModels: [], secrets: true };
    const query = { queue: TASK_QUEUE, owner: 'heir', now: Date.now() + 1_000, leaseMs: 1_000, limit: 1, capabilities };
    const [claim] = await engine.store.transaction((tx) => tx.claimWork(query));
    expect(claim).toMatchObject({ key: metadata.uid, takeover: true });
    return claim?.takeovers;
  };

  test('does not count against its run when the process stood still or its store was away', async () => {
    expect(await loses({ cpuMs: () => 0 })).toBe(0);
  });

  test('counts when the process was busy all the time', async () => {
    let cpu = 0;
    expect(await loses({ cpuMs: () => (cpu += 1_000_000) })).toBe(1);
  });

  test('is none when the worker stops: it releases the run', async () => {
    const engine = await setup({ model: never, worker: { stopGraceMs: 0 } });
    await putSystem(engine, { agent: {} });
    const { metadata } = await engine.put('Task', 'task', { system: 'system' });
    await lose(engine, 1);
    await engine.worker.runOnce();
    await engine.worker.stop();
    expect(await engine.store.getWorkItem(TASK_QUEUE, metadata.uid)).toMatchObject({ owner: undefined, takeovers: 1 });
  });
});

test('a new process commits its first claims before it opens them, so that one which kills it leaves a trace', async () => {
  const engine = await setup({ worker: { waryTasks: 1 } });
  await putSystem(engine, { agent: {} });
  const claimed: (string | undefined)[] = [];
  const { metadata } = await engine.put('Task', 'first', { system: 'system' });
  const unsubscribe = engine.store.onCommit(({ journals }) => {
    if (!journals.has(metadata.uid)) void engine.store.getWorkItem(TASK_QUEUE, metadata.uid).then((item) => claimed.push(item?.owner));
  });
  await engine.worker.runOnce();
  unsubscribe();
  expect(claimed).toEqual(['worker-1']);
  expect((await engine.until('first')).status).toMatchObject({ phase: 'Succeeded' });
});
