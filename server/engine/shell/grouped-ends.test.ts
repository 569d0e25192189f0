// Ends of runs that come together: one transaction, and no run suffers from another. Over real stores.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { systemClock } from '../../clock.ts';
import type { Store, StoreTransaction } from '../../store/store.ts';
import { storeEngines } from '../../testing/background.ts';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import { noRecord, type OpenRecord } from '../run-record.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { overlay } from '../../overlay.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];

type Transaction = <T>(work: (tx: StoreTransaction) => Promise<T>) => Promise<T>;

const withTransaction = (store: Store, around: (transaction: Transaction) => Transaction): Store =>
  overlay(store, { transaction: around((work) => store.transaction(work)) });

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  /** Five runs whose model answers all of them at the same moment, when `answer` is called. */
  async function fiveRuns(around: (transaction: Transaction) => Transaction = (same) => same, openRecord: OpenRecord = noRecord) {
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const store = withTransaction(await open(systemClock), around);
    const engine = await openEngine({ store, model: () => answered.then(() => ({ content: 'done' })), openRecord });
    onTestFinished(() => engine.close());
    await putSystem(engine, { agent: {} });
    for (const name of NAMES) await engine.put('Task', name, { system: 'system' });
    engine.worker.start();
    await expect.poll(() => engine.modelCalls.length, { interval: 2 }).toBe(NAMES.length);
    return { engine, answer };
  }

  const phasesOf = async ({ read }: EngineBundle) => Promise.all(NAMES.map(async (name) => (await read(name)).status['phase']));
  const endsOf = async ({ store, read }: EngineBundle, name: string) => {
    const entries = await store.readJournal((await read(name)).metadata.uid, 0, 100);
    return entries.filter(({ type }) => type === 'run.completed').length;
  };

  test('runs that end together are committed together', async () => {
    const ends: number[] = [];
    const { engine, answer } = await fiveRuns(
      (transaction) => (work) =>
        transaction(async (tx) => {
          const finish = vi.spyOn(tx, 'finishWork');
          const value = await work(tx);
          ends.push(finish.mock.calls.length);
          return value;
        }),
    );
    answer();
    await engine.worker.drain();
    expect(await phasesOf(engine)).toEqual(NAMES.map(() => 'Succeeded'));
    expect(ends.filter((count) => count > 0)).toEqual([NAMES.length]);
  });

  test('ends of recorded runs are committed together, and one by one after a record has failed', async () => {
    let fails = true;
    const committed: string[] = [];
    const ends: number[] = [];
    const openRecord: OpenRecord = (_tx, { name }) =>
      Promise.resolve({
        async onEntries(tx, { entries }) {
          if (!entries.some(({ type }) => type === 'run.completed')) return;
          await tx.putDocument('ends', name, {});
          const failure = fails && name === 'c';
          if (failure) fails = false;
          if (failure) throw new ServiceError('conflict', 'the record of this run fails once');
        },
        committed: () => committed.push(name),
        beginText: () => ({ push: () => undefined, end: () => undefined }),
        settle: () => Promise.resolve(),
        close: () => undefined,
      });
    const { engine, answer } = await fiveRuns(
      (transaction) => (work) =>
        transaction(async (tx) => {
          const finish = vi.spyOn(tx, 'finishWork');
          try {
            return await work(tx);
          } finally {
            if (finish.mock.calls.length > 0) ends.push(finish.mock.calls.length);
          }
        }),
      openRecord,
    );
    committed.length = 0;
    answer();
    await engine.worker.drain();
    expect(await phasesOf(engine)).toEqual(NAMES.map(() => 'Succeeded'));
    expect(ends).toEqual([NAMES.length, ...NAMES.map(() => 1)]);
    expect((await engine.store.listDocuments('ends', '', 10)).map(({ id }) => id)).toEqual(NAMES);
    expect(committed.sort()).toEqual(NAMES);
  });

  test('runs that end in one commit still end when one of them has lost its claim', async () => {
    const { engine, answer } = await fiveRuns();
    const { metadata } = await engine.read('c');
    await engine.store.transaction((tx) => tx.dropWork(TASK_QUEUE, metadata.uid));
    answer();
    await engine.worker.drain();
    expect(await phasesOf(engine)).toEqual(['Succeeded', 'Succeeded', 'Running', 'Succeeded', 'Succeeded']);
    expect(await endsOf(engine, 'c')).toBe(0);
  });

  test('runs end only once when the answer to their common commit is lost', async () => {
    let lose = false;
    const { engine, answer } = await fiveRuns((transaction) => async (work) => {
      const value = await transaction(work);
      if (!lose) return value;
      lose = false;
      throw new ServiceError('unavailable', 'the connection was lost during a commit');
    });
    lose = true;
    answer();
    await engine.worker.drain();
    expect(await phasesOf(engine)).toEqual(NAMES.map(() => 'Succeeded'));
    expect(await Promise.all(NAMES.map((name) => endsOf(engine, name)))).toEqual(NAMES.map(() => 1));
  });
});
