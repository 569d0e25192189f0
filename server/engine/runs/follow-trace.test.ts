// Ticks of a growing journal: soon after a commit that concerns it, at most once a second, and at intervals for missed notices. Pages of the trace.
import { expect, test } from 'vitest';
import type { CommitNotice, Store } from '../../store/store.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { agentSnapshot, runSnapshot, simulate } from '../../testing/simulate-run.ts';
import { toJournal } from '../core/entries.ts';
import { createTraceLooks, followGrowth, followTrace, readTracePage } from './follow-trace.ts';
import { formatCursor, parseCursor } from '../views/trace-cursor.ts';
import { traceOf } from '../views/trace.ts';

function setup() {
  const clock = createManualClock();
  const listeners = new Set<(notice: CommitNotice) => void>();
  const store = {
    onCommit: (listener: (notice: CommitNotice) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  } as unknown as Store;
  const end = new AbortController();
  const ticks: number[] = [];
  const began = clock.now();
  const done = (async () => {
    for await (const _tick of followGrowth({ store, clock, stream: 'run' }, end.signal)) ticks.push(clock.now() - began);
  })();
  const commit = (stream: string) => {
    const none = new Set<string>();
    for (const listener of listeners) listener({ head: 1, queues: none, signalled: none, journals: new Set([stream]), events: none });
  };
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, ticks, commit, end, done, turn, listeners };
}

test('ticks for its own journal, and not again within a second', async () => {
  const { clock, ticks, commit, turn, end, done, listeners } = setup();
  await turn();
  commit('another');
  commit('run');
  commit('run');
  await turn();
  expect(ticks).toEqual([0]);
  commit('run');
  clock.advance(999);
  await turn();
  expect(ticks).toEqual([0]);
  clock.advance(1);
  await turn();
  expect(ticks).toEqual([0, 1000]);
  end.abort();
  await done;
  expect(listeners.size).toBe(0);
});

test('ticks at intervals for a commit without a notice', async () => {
  const { clock, ticks, turn, end, done } = setup();
  await turn();
  clock.advance(5000);
  await turn();
  expect(ticks).toEqual([5000]);
  end.abort();
  await done;
});

test.each([1, 2, 5, 1_000])('pages of %i steps, one after the other, give each trace entry once and in order', async (limit) => {
  const agents = ['a', 'b'].map((agent) => agentSnapshot(agent));
  const nodes = { a: { routes: [{ to: 'b', labels: {}, condition: { kind: 'success' as const } }] } };
  const { journal } = simulate(runSnapshot({ agents, nodes }), { world: { model: ({ agent }) => ({ content: agent }) } });
  const stored = journal.map((entry, index) => ({ seq: index + 1, ...toJournal(entry) }));
  const store = {
    readJournal: (_: string, after: number, most: number) => Promise.resolve(stored.slice(after, after + most)),
  } as unknown as Store;
  const source = { store, clock: createManualClock(), stream: 'run' };
  const read: unknown[] = [];
  for (let page, after: string | undefined; page?.complete !== true; after = formatCursor(page.next)) {
    page = await readTracePage(source, parseCursor(after), limit);
    read.push(...page.items.map(({ entry }) => entry));
  }
  expect(read).toEqual(journal.flatMap(traceOf));
});

test('readers of one run read each of its entries once together', async () => {
  const { journal } = simulate(runSnapshot({ agents: [agentSnapshot('a')] }), { world: { model: () => ({ content: 'said' }) } });
  const stored = journal.map((entry, index) => ({ seq: index + 1, ...toJournal(entry) }));
  let [length, handedOut] = [1, 0];
  const listeners = new Set<(notice: CommitNotice) => void>();
  const store = {
    onCommit: (listener: (notice: CommitNotice) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    readJournal: (_: string, after: number) => {
      const page = stored.slice(after, length);
      handedOut += page.length;
      return Promise.resolve(page);
    },
  } as unknown as Store;
  const source = { store, clock: createManualClock(), stream: 'run' };
  const options = { isOver: () => Promise.resolve(false), looks: createTraceLooks(store) };
  const read = async () => {
    const entries: unknown[] = [];
    const { signal } = new AbortController();
    for await (const batch of followTrace(source, parseCursor(undefined), { ...options, signal }))
      entries.push(...batch.map(({ entry }) => entry));
    return entries;
  };
  const readers = Array.from({ length: 50 }, read);
  const none = new Set<string>();
  for (; length < stored.length; length += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    for (const listener of listeners) listener({ head: 1, queues: none, signalled: none, journals: new Set(['run']), events: none });
  }
  for (const listener of listeners) listener({ head: 1, queues: none, signalled: none, journals: new Set(['run']), events: none });
  const expected = journal.flatMap(traceOf);
  expect(await Promise.all(readers)).toEqual(readers.map(() => expected));
  expect(handedOut).toBe(stored.length);
});
