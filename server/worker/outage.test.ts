// Worker whose store is unavailable for a while: it pauses and continues, and repeats nothing that was done.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import { readEntries } from '../engine/views/read-journal.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { Store } from '../store/store.ts';
import { openEngine, putSystem, type EngineSetup } from '../testing/engine.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { faultyStore, type Fault } from '../testing/faulty-store.ts';

const call = (id: string, name: string) => ({ id, name, arguments: '{}' });
const model: NonNullable<EngineSetup['model']> = ({ step }) => (step === 1 ? { toolCalls: [call('a', 'pay')] } : { content: 'paid' });

async function setup(options: EngineSetup = {}) {
  const real = await openSqliteStore({ path: ':memory:', clock: systemClock });
  const faulty = faultyStore(real);
  const engine = await openEngine({
    model,
    ...options,
    store: faulty.store,
    worker: { leaseMs: 3_000, heartbeatMs: 1_000, ...options.worker },
  });
  onTestFinished(async () => {
    faulty.fault = () => undefined;
    await engine.worker.stop();
    await real.close();
  });
  await engine.put('Tool', 'pay', { type: 'http', risk_level: 'critical' });
  await putSystem(engine, { agent: { tools: ['pay'] } });
  const task = await engine.put('Task', 'task', { system: 'system' });
  return { engine, faulty, real, uid: task.metadata.uid };
}

async function journalTypes(store: Store, stream: string): Promise<string[]> {
  const types: string[] = [];
  for await (const { entry } of readEntries(store, stream)) types.push(entry.type);
  return types;
}

const CLEAN = [
  'run.claimed',
  'run.started',
  'agent.started',
  'model.requested',
  'model.completed',
  'tool.requested',
  'tool.completed',
  'model.requested',
  'model.completed',
  'agent.completed',
  'run.completed',
];

describe('a store that is away for one write', () => {
  // The transactions of a run after its claim: answer with tool call, tool result, last answer.
  const places = [1, 2, 3].flatMap((write) => (['before', 'after', 'late'] as const).map((fault): [number, Fault] => [write, fault]));

  test.each(places)('write %i, away %s the commit: recorded once, and no call is repeated', async (write, fault) => {
    const { engine, faulty, real, uid } = await setup();
    await engine.worker.runOnce();
    const first = faulty.transactions() + write;
    faulty.fault = (transaction) => (transaction === first ? fault : undefined);
    expect((await engine.until('task')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
    expect(await journalTypes(real, uid)).toEqual(CLEAN);
    expect([engine.modelCalls.length, engine.toolCalls.length]).toEqual([2, 1]);
  });
});

test('a claim whose answer was lost is repeated when its lease has ended', async () => {
  const { engine, faulty, real, uid } = await setup({ worker: { leaseMs: 300, heartbeatMs: 100 } });
  const claim = faulty.transactions() + 1;
  faulty.fault = (transaction) => (transaction === claim ? 'after' : undefined);
  engine.worker.start();
  expect((await engine.until('task')).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
  expect((await journalTypes(real, uid)).filter((type) => type === 'run.claimed')).toHaveLength(2);
  expect([engine.modelCalls.length, engine.toolCalls.length]).toEqual([2, 1]);
});

test('a call that ends while the store is away is recorded when it is back', async () => {
  let pay: () => void = () => undefined;
  const { engine, faulty, real, uid } = await setup({ tool: () => new Promise((resolve) => (pay = () => resolve('ok'))) });
  await engine.worker.runOnce();
  await expect.poll(() => engine.toolCalls.length, { interval: 2 }).toBe(1);
  let tries = 0;
  faulty.fault = () => ((tries += 1) <= 3 ? 'before' : undefined);
  pay();
  expect((await engine.until('task')).status).toMatchObject({ phase: 'Succeeded' });
  expect(tries).toBeGreaterThan(3);
  expect(await journalTypes(real, uid)).toEqual(CLEAN);
});

test('an outage longer than the lease stops the run before another worker can take it over; afterwards the call needs an approval', async () => {
  const clock = createManualClock();
  let abortedAt = 0;
  const { engine, faulty, real, uid } = await setup({
    clock,
    tool: (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          abortedAt = clock.now();
          reject(signal.reason as Error);
        }),
      ),
    worker: { leaseMs: 400, heartbeatMs: 100, stopGraceMs: 0 },
  });
  engine.worker.start();
  await expect.poll(() => engine.toolCalls.length, { interval: 2 }).toBe(1);
  faulty.fault = () => 'before';
  const { leaseUntil = 0 } = (await real.getWorkItem('task', uid)) ?? {};
  const time = setInterval(() => clock.advance(10), 2);
  onTestFinished(() => clearInterval(time));
  await expect.poll(() => abortedAt, { interval: 2 }).toBeGreaterThan(0);
  expect(abortedAt).toBeLessThan(leaseUntil);
  await engine.worker.drain();
  faulty.fault = () => undefined;
  await engine.until('task', ['WaitingApproval']);
  expect(engine.toolCalls).toHaveLength(1);
});

test('outages longer than the lease do not count against the run, however many they are', async () => {
  const never: NonNullable<EngineSetup['model']> = (_, signal) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const { engine, faulty, real, uid } = await setup({
    model: never,
    worker: { leaseMs: 200, heartbeatMs: 50, stopGraceMs: 0, cpuMs: () => 0 },
  });
  for (let outage = 1; outage <= 5; outage += 1) {
    await expect.poll(() => engine.worker.runOnce(), { interval: 20 }).toBe(1);
    faulty.fault = () => 'before';
    await engine.worker.drain();
    await expect(engine.worker.runOnce()).rejects.toMatchObject({ code: 'unavailable' });
    faulty.fault = () => undefined;
  }
  await expect.poll(() => engine.worker.runOnce(), { interval: 20 }).toBe(1);
  expect(await real.getWorkItem(TASK_QUEUE, uid)).toMatchObject({ fence: 6, takeovers: 0 });
});

describe('a worker that was suspended past its lease during a model call, before its timers detect it', () => {
  type Found = Awaited<ReturnType<typeof setup>>;
  async function suspended(meanwhile: (found: Found, now: number) => unknown) {
    let jumpMs = 0;
    const clock = { ...systemClock, now: () => Date.now() + jumpMs };
    const stand: NonNullable<EngineSetup['model']> = async (request, signal, options) => {
      if (request.step === 1) {
        jumpMs += 10_000;
        await meanwhile(found, clock.now());
      }
      return model(request, signal, options);
    };
    const found = await setup({ model: stand, clock });
    await found.engine.worker.runOnce();
    await found.engine.worker.drain();
    return found;
  }

  test('renews the lease and continues the run', async () => {
    const { engine, real, uid } = await suspended(() => undefined);
    expect(await journalTypes(real, uid)).toEqual(CLEAN);
    expect([engine.modelCalls.length, engine.toolCalls.length]).toEqual([2, 1]);
  });

  test('starts no call of a run that another worker has taken over', async () => {
    const capabilities = { gpu: false, supportedModels: [], secrets: true };
    const query = { queue: TASK_QUEUE, owner: 'heir', leaseMs: 3_000, limit: 1, capabilities };
    const { engine } = await suspended(({ real }, now) => real.transaction((tx) => tx.claimWork({ ...query, now })));
    expect(engine.toolCalls).toEqual([]);
  });

  test('starts no call when the store is lost together with the answer of the model', async () => {
    const { engine } = await suspended(({ faulty }) => {
      const answer = faulty.transactions() + 1;
      faulty.fault = (transaction) => (transaction > answer ? 'before' : undefined);
    });
    expect(engine.toolCalls).toEqual([]);
  });
});

test.each(['before', 'after'])('a machine that sleeps %s the transaction of a claim leaves the worker its runs', async (moment) => {
  let jumpMs = 0;
  const answers: (() => void)[] = [];
  const { engine, real, uid } = await setup({
    clock: { ...systemClock, now: () => Date.now() + jumpMs },
    model: () => new Promise((resolve) => answers.push(() => resolve({ content: 'kept' }))),
  });
  await engine.worker.runOnce();
  await expect.poll(() => answers.length, { interval: 2 }).toBe(1);
  const next = await engine.put('Task', 'next', { system: 'system' });
  const transaction = real.transaction.bind(real);
  vi.spyOn(real, 'transaction').mockImplementationOnce(async (work) => {
    if (moment === 'before') jumpMs += 10_000;
    const result = await transaction(work);
    if (moment === 'after') jumpMs += 10_000;
    return result;
  });
  await engine.worker.runOnce();
  await engine.worker.runOnce();
  for (const key of [uid, next.metadata.uid]) expect(await real.getWorkItem(TASK_QUEUE, key)).toMatchObject({ fence: 1, takeovers: 0 });
  await expect.poll(() => answers.length, { interval: 2 }).toBe(2);
  for (const answer of answers) answer();
  await engine.worker.drain();
  for (const name of ['task', 'next']) expect((await engine.read(name)).status).toMatchObject({ phase: 'Succeeded', attempts: 1 });
});

test('a claimed run is resumed under the same claim once its journal can be read', async () => {
  const { engine, faulty, real, uid } = await setup({
    model: ({ step }, signal) =>
      step === 1
        ? { toolCalls: [call('a', 'pay')] }
        : new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  });
  engine.worker.start();
  await expect.poll(() => engine.modelCalls.length, { interval: 2 }).toBe(2);
  await engine.worker.stop();
  const heir = await openEngine({ model, store: faulty.store, worker: { id: 'worker-2' } });
  onTestFinished(() => heir.worker.stop());
  let reads = 0;
  faulty.fault = (transaction) => (transaction === 0 && (reads += 1) <= 2 ? 'before' : undefined);
  expect(await heir.worker.runOnce()).toBe(1);
  expect((await heir.until('task')).status).toMatchObject({ phase: 'Succeeded' });
  expect(reads).toBeGreaterThan(2);
  expect((await journalTypes(real, uid)).filter((type) => type === 'run.claimed')).toHaveLength(2);
});

test('a resumption whose answer was lost is not recorded twice', async () => {
  const { engine, faulty, real, uid } = await setup();
  let first = true;
  const stall: NonNullable<EngineSetup['model']> = ({ step }, signal, options) =>
    step === 2 && first
      ? new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
      : model({ step } as never, signal, options);
  await engine.worker.stop();
  const stopped = await openEngine({ model: stall, store: faulty.store, worker: { id: 'worker-2' } });
  stopped.worker.start();
  await expect.poll(() => stopped.modelCalls.length, { interval: 2 }).toBe(2);
  await stopped.worker.stop();
  first = false;
  const heir = await openEngine({ model: stall, store: faulty.store, worker: { id: 'worker-3' } });
  onTestFinished(() => heir.worker.stop());
  const begin = faulty.transactions() + 2;
  faulty.fault = (transaction) => (transaction === begin ? 'after' : undefined);
  await heir.worker.runOnce();
  expect((await heir.until('task')).status).toMatchObject({ phase: 'Succeeded' });
  expect((await journalTypes(real, uid)).filter((type) => type === 'run.claimed')).toHaveLength(2);
  expect(heir.modelCalls.map(({ step }) => step)).toEqual([2]);
});
