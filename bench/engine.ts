// The engine alone, in-process over durable SQLite with a model that answers at once: what the product itself costs per task and per step.
import { setTimeout } from 'node:timers/promises';
import type { Store } from '../server/store/store.ts';
import { openEngine, putSystem, type EngineSetup } from '../server/testing/engine.ts';
import { compared, percentile, type Row } from './row.ts';
import { withStore } from './with-store.ts';

const TASKS = 1_500;
const WARM_UP = 200;
const STARTS = 300;
const IDLE_MS = 3;
const STEPS = 1_000;
const STEP_RUNS = 3;
/** Steps on either side of the one that is measured. */
const WINDOW = 8;

async function withEngine<T>(setup: EngineSetup, work: (engine: Awaited<ReturnType<typeof openEngine>>) => Promise<T>): Promise<T> {
  return withStore(async (store) => {
    const engine = await openEngine({ ...setup, store });
    try {
      return await work(engine);
    } finally {
      await engine.worker.stop();
    }
  });
}

/** Durable commits per second, one after the other: what the disk allows at concurrency 1. */
async function commitsPerSecond(): Promise<number> {
  return withStore(async (store) => {
    const count = 300;
    const began = performance.now();
    for (let n = 0; n < count; n += 1) await store.transaction((tx) => tx.putDocument('bench', String(n), { n }));
    return (count * 1000) / (performance.now() - began);
  });
}

/** Calls back with the name of each Task that succeeds, from the change log. */
function followSuccesses(store: Store, onSuccess: (name: string) => void): () => void {
  let after = 0;
  let reading = Promise.resolve();
  const read = async () => {
    for (const change of await store.readChanges({ after, limit: 1_000 })) {
      after = change.seq;
      if (change.fact?.type === 'task.succeeded') onSuccess(change.name);
    }
  };
  return store.onCommit(() => {
    reading = reading.then(read);
  });
}

/** `concurrency` callers, each of which creates a Task, waits for its end, and creates the next. */
async function tasksPerSecond(concurrency: number): Promise<number> {
  return withEngine({ worker: { maxConcurrentTasks: () => concurrency } }, async (engine) => {
    await putSystem(engine, { agent: {} });
    engine.worker.start();
    const waiting = new Map<string, () => void>();
    const unsubscribe = followSuccesses(engine.store, (name) => waiting.get(name)?.());
    let next = 0;
    const run = async (until: number) => {
      while (next < until) {
        const name = `task-${(next += 1)}`;
        const ended = new Promise<void>((resolve) => waiting.set(name, resolve));
        await engine.put('Task', name, { system: 'system', input: { topic: 'sea' } });
        await ended;
        waiting.delete(name);
      }
    };
    const runAll = (until: number) => Promise.all(Array.from({ length: concurrency }, () => run(until)));
    await runAll(WARM_UP);
    const began = performance.now();
    await runAll(WARM_UP + TASKS);
    unsubscribe();
    return (TASKS * 1000) / (performance.now() - began);
  });
}

/** From the acknowledged create to the first model call, on an otherwise idle engine. */
async function startLatencies(): Promise<number[]> {
  const started = new Map<string, number>();
  const model: EngineSetup['model'] = ({ messages }) => {
    started.set(messages.at(-1)?.content ?? '', performance.now());
    return { content: 'done' };
  };
  return withEngine({ model }, async (engine) => {
    await putSystem(engine, { agent: {} });
    engine.worker.start();
    const latencies: number[] = [];
    for (let n = 0; n < STARTS; n += 1) {
      const accepted = await engine.put('Task', `task-${n}`, { system: 'system', input: { n: String(n) } }).then(() => performance.now());
      await engine.until(`task-${n}`);
      // The claim that follows a run's end would share its commit with the next creation.
      await setTimeout(IDLE_MS);
      latencies.push((started.get(`n: ${n}`) ?? accepted) - accepted);
    }
    return latencies.slice(STARTS / 10);
  });
}

/** One run of 1,000 steps, each a tool call: the time from one model call to the next. */
async function stepTimes(): Promise<number[]> {
  const at: number[] = [];
  const model: EngineSetup['model'] = ({ step }) => {
    at[step] = performance.now();
    return step < STEPS + WINDOW + 2 ? { toolCalls: [{ id: `c${step}`, name: 'echo', arguments: `{"n":${step}}` }] } : { content: 'done' };
  };
  return withEngine({ model }, async (engine) => {
    engine.modelCalls.push = () => 0;
    await engine.put('Tool', 'echo', { type: 'http', risk_level: 'low' });
    await putSystem(engine, { agent: { tools: ['echo'], limits: { max_steps: STEPS + 100 } } });
    engine.worker.start();
    await engine.put('Task', 'warm', { system: 'system' });
    await engine.until('warm');
    await engine.put('Task', 'long', { system: 'system' });
    await engine.until('long');
    return at;
  });
}

function medianStep(runs: readonly (readonly number[])[], step: number): number {
  const times: number[] = [];
  for (const at of runs) {
    for (let n = Math.max(1, step - WINDOW); n <= step + WINDOW; n += 1) times.push((at[n + 1] ?? 0) - (at[n] ?? 0));
  }
  return percentile(times, 50);
}

export async function benchEngine(): Promise<Row[]> {
  const commits = await commitsPerSecond();
  const one = await tasksPerSecond(1);
  const sixteen = await tasksPerSecond(16);
  const latencies = await startLatencies();
  const runs: number[][] = [];
  for (let n = 0; n < STEP_RUNS; n += 1) runs.push(await stepTimes());
  const step10 = medianStep(runs, 10);
  const step1000 = medianStep(runs, STEPS);
  const referenceName = 'durable commits/s, one by one';
  return [
    compared({ name: 'engine: tasks, concurrency 1', value: one, unit: 'tasks/s', reference: commits, referenceName }),
    compared({ name: 'engine: tasks, concurrency 16', value: sixteen, unit: 'tasks/s', reference: commits, referenceName }),
    { name: 'engine: accepted to first model call, p50', value: percentile(latencies, 50), unit: 'ms' },
    { name: 'engine: accepted to first model call, p99', value: percentile(latencies, 99), unit: 'ms' },
    { name: 'engine: model step with a tool call, at step 10', value: step10, unit: 'ms' },
    compared({ name: 'engine: the same at step 1,000', value: step1000, unit: 'ms', reference: step10, referenceName: 'step 10' }),
  ];
}
