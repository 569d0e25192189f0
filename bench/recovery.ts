// Taking over a long run: reading and folding its journal, and the time from the claim to the next call, at 1,000 and 10,000 entries.
import { once } from 'node:events';
import { foldJournal } from '../server/engine/shell/fold-journal.ts';
import type { Store } from '../server/store/store.ts';
import { openEngine, putSystem, type EngineBundle, type ModelScript } from '../server/testing/engine.ts';
import { storeEngines, type StoreEngine } from './engines.ts';
import { compared, percentile, type Row } from './row.ts';

const LONG_ENTRIES = 10_000;
const SHORT_ENTRIES = 1_000;
/** A model step with one tool call: requested and completed, of both. */
const ENTRIES_PER_STEP = 4;
const SAMPLES = 15;
const WARM_UP = 10;
/** Size of a tool's answer, about that of a web page's extract. */
const ANSWER = 'x'.repeat(400);

interface Interrupted {
  readonly uid: string;
  readonly entries: number;
}

/** A model that calls a tool at every step until the journal is long enough, and then never answers. */
function hangingModel(entries: number, onHang: () => void): ModelScript {
  const steps = Math.floor(entries / ENTRIES_PER_STEP);
  return ({ step }, signal) => {
    if (step < steps) return { toolCalls: [{ id: `c${step}`, name: 'echo', arguments: `{"n":${step}}` }] };
    onHang();
    return new Promise((_, reject) => void once(signal, 'abort').then(() => reject(signal.reason as Error)));
  };
}

/** Nothing here is for a recorder of calls to keep. */
function quiet(engine: EngineBundle): EngineBundle {
  engine.modelCalls.push = () => 0;
  engine.toolCalls.push = () => 0;
  return engine;
}

/** Runs the Task up to its last step and stops the worker there, so that the run waits for the next one. */
async function interrupt(store: Store, entries: number): Promise<Interrupted> {
  let hangs: () => void = () => undefined;
  const hung = new Promise<void>((resolve) => (hangs = resolve));
  const engine = quiet(await openEngine({ store, model: hangingModel(entries, () => hangs()), tool: () => ANSWER }));
  await engine.put('Tool', 'echo', { type: 'http', risk_level: 'low' });
  await putSystem(engine, { agent: { tools: ['echo'], tool_use_behavior: 'run_llm_again', limits: { max_steps: entries } } });
  engine.worker.start();
  const { metadata } = await engine.put('Task', 'long', { system: 'system' });
  await hung;
  await engine.worker.stop();
  const { lastSeq } = await foldJournal(store, metadata.uid);
  return { uid: metadata.uid, entries: lastSeq };
}

async function foldMs(store: Store, uid: string): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < WARM_UP; n += 1) await foldJournal(store, uid);
  for (let n = 0; n < SAMPLES; n += 1) {
    const began = performance.now();
    await foldJournal(store, uid);
    taken.push(performance.now() - began);
  }
  return percentile(taken, 50);
}

/** From the start of another worker to its first model call, by a run that waits; it is interrupted again there. */
async function resumeMs(store: Store): Promise<number> {
  const taken: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    let called: () => void = () => undefined;
    const calledAt = new Promise<number>((resolve) => (called = () => resolve(performance.now())));
    const engine = quiet(await openEngine({ store, model: hangingModel(0, called), worker: { id: `worker-${n + 2}` } }));
    const began = performance.now();
    engine.worker.start();
    taken.push((await calledAt) - began);
    await engine.worker.stop();
  }
  return percentile(taken, 50);
}

async function measure(engine: StoreEngine, entries: number): Promise<{ fold: number; resume: number; entries: number }> {
  return engine.withStore(async (store) => {
    const run = await interrupt(store, entries);
    return { fold: await foldMs(store, run.uid), resume: await resumeMs(store), entries: run.entries };
  });
}

async function recoveryRows(engine: StoreEngine): Promise<Row[]> {
  const short = await measure(engine, SHORT_ENTRIES);
  const long = await measure(engine, LONG_ENTRIES);
  const perEntry = ({ fold, entries }: { fold: number; entries: number }) => (fold * 1000) / entries;
  const name = `recovery on ${engine.name}`;
  return [
    { name: `${name}: fold of ${long.entries} entries`, value: long.fold, unit: 'ms', note: 'target under 200' },
    compared({
      name: `${name}: fold, one entry of ${long.entries}`,
      value: perEntry(long),
      unit: 'µs',
      reference: perEntry(short),
      referenceName: `one of ${short.entries}`,
    }),
    {
      name: `${name}: worker start to the next model call, ${long.entries} entries`,
      value: long.resume,
      unit: 'ms',
      note: 'claim, fold, and the conversation built again',
    },
  ];
}

export async function benchRecovery(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of await storeEngines('recovery')) rows.push(...(await recoveryRows(engine)));
  return rows;
}
