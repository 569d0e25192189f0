// Folded runs are kept between readers: extended by what is new, apart from each other, and never more than the limit.
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../store/store.ts';
import { agentSnapshot, runSnapshot, simulate } from '../../testing/simulate-run.ts';
import { toJournal, type Entry } from '../core/entries.ts';
import { RunFolds, type FoldLimits } from './run-folds.ts';
import { createHistoryView } from './history.ts';
import { createLogLines } from './logs.ts';
import { createMetricsView } from './metrics.ts';

const ROOMY: FoldLimits = { runs: 10, bytes: 1e9 };

const journalOf = (name: string): Entry[] => {
  const agents = ['a', 'b'].map((agent) => agentSnapshot(agent));
  const nodes = { a: { routes: [{ to: 'b', labels: {}, condition: { kind: 'success' as const } }] }, b: { routes: [] } };
  return simulate(runSnapshot({ agents, nodes }), { world: { model: ({ agent }) => ({ content: `${name} by ${agent}` }) } }).journal;
};

function setup(limits = ROOMY) {
  const streams = new Map<string, Entry[]>();
  const read: string[] = [];
  const reader = {
    readJournal: (stream: string, after: number, limit: number): Promise<JournalEntry[]> => {
      const all = (streams.get(stream) ?? []).map((entry, index) => ({ seq: index + 1, ...toJournal(entry) }));
      const page = all.slice(after, after + limit);
      read.push(...page.map(({ seq }) => `${stream}:${seq}`));
      return Promise.resolve(page);
    },
  };
  const folds = new RunFolds(reader, limits);
  return { folds, streams, read, reader };
}

const freshMetrics = (entries: readonly Entry[]) => {
  const view = createMetricsView();
  entries.forEach(view.add);
  return view.result();
};

test('a run that grew is read from the last position, with the result of a full fold', async () => {
  const { folds, streams, read } = setup();
  const journal = journalOf('x');
  const half = Math.floor(journal.length / 2);
  streams.set('run', journal.slice(0, half));
  const before = await folds.read('run');
  expect(before.metrics()).toEqual(freshMetrics(journal.slice(0, half)));
  expect(before.state().end).toBeUndefined();
  streams.set('run', journal);
  const after = await folds.read('run');
  expect(after.metrics()).toEqual(freshMetrics(journal));
  expect(after.state().end).toBeDefined();
  expect(read).toEqual(journal.map((_, index) => `run:${index + 1}`));
});

test('readers at the same moment fold each entry once, and all see everything', async () => {
  const { folds, streams, read } = setup();
  const journal = journalOf('x');
  streams.set('run', journal);
  const [one, two, three] = await Promise.all(['run', 'run', 'run'].map((stream) => folds.read(stream)));
  expect(read).toHaveLength(journal.length);
  for (const fold of [one, two, three]) expect(fold?.metrics()).toEqual(freshMetrics(journal));
});

test('runs are kept apart, also a new run under the name of a deleted one', async () => {
  const { folds, streams } = setup();
  streams.set('uid-1', journalOf('old'));
  streams.set('uid-2', journalOf('new').slice(0, 4));
  const contents = async (uid: string) => [...(await folds.read(uid)).messages()].map(({ content }) => content);
  expect(await contents('uid-1')).toContain('old by a');
  expect(await contents('uid-2')).not.toContain('old by a');
});

test('the least recently used run is dropped, and folded again on its next read', async () => {
  const { folds, streams, read } = setup({ runs: 2, bytes: 1e9 });
  const journal = journalOf('x');
  for (const stream of ['a', 'b', 'c']) streams.set(stream, journal);
  await folds.read('a');
  await folds.read('b');
  await folds.read('a');
  await folds.read('c');
  read.length = 0;
  await folds.read('a');
  expect(read).toEqual([]);
  const again = await folds.read('b');
  expect(read).toHaveLength(journal.length);
  expect(again.metrics()).toEqual(freshMetrics(journal));
});

test('a run larger than all there is room for is answered and not kept', async () => {
  const { folds, streams, read } = setup({ runs: 10, bytes: 100 });
  const journal = journalOf('x');
  streams.set('run', journal);
  for (const round of [1, 2]) {
    expect((await folds.read('run')).metrics()).toEqual(freshMetrics(journal));
    expect(read).toHaveLength(round * journal.length);
  }
});

test('a run larger than all there is room for leaves the others where they are', async () => {
  const { folds, streams, read } = setup({ runs: 10, bytes: 100_000 });
  streams.set('small', journalOf('x'));
  streams.set('large', [...journalOf('x'), ...journalOf('y'.repeat(100_000))]);
  await folds.read('small');
  await folds.read('large');
  read.length = 0;
  await folds.read('small');
  expect(read).toEqual([]);
  await folds.read('large');
  expect(read).not.toEqual([]);
});

test('a store that failed in between is read again from the start', async () => {
  const { folds, streams, reader } = setup();
  const journal = journalOf('x');
  streams.set('run', journal.slice(0, 3));
  await folds.read('run');
  streams.set('run', journal);
  const { readJournal } = reader;
  reader.readJournal = () => Promise.reject(new Error('disk'));
  await expect(folds.read('run')).rejects.toThrow('disk');
  reader.readJournal = readJournal;
  expect((await folds.read('run')).metrics()).toEqual(freshMetrics(journal));
});

test('an entry of a newer version stops the state, not the records', async () => {
  const { folds, streams } = setup();
  const journal = journalOf('x');
  const newer = { type: 'run.dreamt', at: 0, data: {} } as unknown as Entry;
  streams.set('run', [...journal.slice(0, 3), newer, ...journal.slice(3)]);
  const fold = await folds.read('run');
  expect(() => fold.state()).toThrow('written by a newer version');
  expect(fold.metrics()).toEqual(freshMetrics(journal));
});

test('the history is taken up in the middle as if it had been read from the start', async () => {
  const { folds, streams } = setup();
  const claim = { type: 'run.claimed', at: 1, data: { worker: 'w-1', takeover: false } } as unknown as Entry;
  const released = { type: 'run.released', at: 2, data: { cause: 'shutdown' } } as unknown as Entry;
  const journal = [claim, ...Array.from({ length: 1_500 }, () => released)];
  streams.set('run', journal);
  const fold = await folds.read('run');
  const { seq, history } = fold.historyBefore(journal.length);
  expect(seq).toBeGreaterThan(journal.length - 1_000);
  const whole = createHistoryView();
  journal.forEach(whole.add);
  const lines = journal.slice(seq).flatMap(createLogLines(history));
  expect(lines.at(-1)?.text).toContain('released by w-1');
  expect(whole.items.at(-1)?.message).toBe('released by w-1 at a safe point');
  expect(fold.historyBefore(1)).toEqual({ seq: 0, history: createHistoryView().place() });
});
