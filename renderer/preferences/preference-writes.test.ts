// A server that answers late, out of order or not at all must not revert a setting while the person changes it.
import type { JsonObject } from '@svc/shared/json';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PreferenceWrites } from './preference-writes.ts';

interface Answer {
  readonly resolve: (whole: JsonObject) => void;
  readonly reject: (error: unknown) => void;
}

/** Every call of the port waits until the test answers it. */
function setup(first?: JsonObject) {
  let shown = first;
  const reads: Answer[] = [];
  const sent: (Answer & { readonly patch: JsonObject })[] = [];
  const onKept = vi.fn();
  const onFailed = vi.fn();
  const writes = new PreferenceWrites({
    get: () => new Promise((resolve, reject) => reads.push({ resolve, reject })),
    set: (patch) => new Promise((resolve, reject) => sent.push({ patch, resolve, reject })),
    shown: () => shown,
    show: (whole) => (shown = whole),
    onKept,
    onFailed,
  });
  return { writes, reads, sent, onKept, onFailed, shown: () => shown };
}

const STORED = { theme: 'light', density: 'compact' };
const signal = new AbortController().signal;
const pass = (ms = 1_000) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('a setting is shown and sent at once; frequent changes are sent at intervals, the last value of each', async () => {
  const { writes, sent, shown } = setup(STORED);
  writes.set('theme', 'dark');
  expect(shown()).toEqual({ theme: 'dark', density: 'compact' });
  await pass(0);
  expect(sent.map(({ patch }) => patch)).toEqual([{ theme: 'dark' }]);
  sent[0]?.resolve({ theme: 'dark', density: 'compact' });
  writes.set('width', 200);
  writes.set('width', 240);
  await pass();
  expect(sent.map(({ patch }) => patch)).toEqual([{ theme: 'dark' }, { width: 240 }]);
});

test('an answer from before a change does not revert it, whether the change is in flight or already saved', async () => {
  const { writes, reads, sent } = setup(STORED);
  const before = writes.read(signal);
  writes.set('theme', 'dark');
  await pass();
  reads[0]?.resolve({ theme: 'light' });
  expect(await before).toEqual({ theme: 'dark' });
  const overtaken = writes.read(signal);
  sent[0]?.resolve({ theme: 'dark' });
  await pass();
  reads[1]?.resolve({ theme: 'light' });
  await pass();
  reads[2]?.resolve({ theme: 'dark', density: 'comfortable' });
  expect(await overtaken).toEqual({ theme: 'dark', density: 'comfortable' });
});

test('a write in flight delays the next one, and its answer leaves newer values alone', async () => {
  const { writes, sent, shown } = setup(STORED);
  writes.set('theme', 'dark');
  await pass();
  writes.set('theme', 'system');
  await pass();
  expect(sent).toHaveLength(1);
  sent[0]?.resolve({ theme: 'dark', pinned: ['elsewhere'] });
  await pass();
  expect(shown()).toEqual({ theme: 'system', pinned: ['elsewhere'] });
  expect(sent[1]?.patch).toEqual({ theme: 'system' });
});

test('a page being left sends at once', async () => {
  const { writes, sent } = setup(STORED);
  writes.set('theme', 'dark');
  await pass(0);
  writes.set('theme', 'system');
  writes.flush();
  await pass();
  expect(sent.map(({ patch }) => patch)).toEqual([{ theme: 'dark' }, { theme: 'system' }]);
});

test('a failed write is reported, and the next answer of the server is shown', async () => {
  const { writes, reads, sent, onKept, onFailed } = setup(STORED);
  writes.set('theme', 'dark');
  await pass();
  sent[0]?.reject(new Error('gone'));
  await pass();
  expect([onFailed.mock.calls.length, onKept.mock.calls.length]).toEqual([1, 0]);
  const read = writes.read(signal);
  reads[0]?.resolve({ theme: 'light' });
  expect(await read).toEqual({ theme: 'light' });
});

test('a setting made before the server has answered is shown together with its answer', async () => {
  const { writes, reads, shown } = setup();
  const read = writes.read(signal);
  writes.set('density', 'compact');
  expect(shown()).toBeUndefined();
  reads[0]?.resolve({ theme: 'dark' });
  expect(await read).toEqual({ theme: 'dark', density: 'compact' });
});

test('changes made before the first answer of the server are applied to that answer, in order', async () => {
  const { writes, reads, sent } = setup();
  const add = (name: string) => writes.change('views', (stored) => [...((stored as string[] | undefined) ?? []), name]);
  const read = writes.read(signal);
  add('mine');
  add('other');
  await pass();
  expect(sent).toEqual([]);
  reads[0]?.resolve({ theme: 'dark', views: ['stored'] });
  expect(await read).toEqual({ theme: 'dark', views: ['stored', 'mine', 'other'] });
  await pass();
  expect(sent.map(({ patch }) => patch)).toEqual([{ views: ['stored', 'mine', 'other'] }]);
});

test('a change made before the first answer is made to the answer of a write where that is the first', async () => {
  const { writes, sent, shown } = setup();
  writes.change('views', (stored) => [...((stored as string[] | undefined) ?? []), 'mine']);
  writes.set('theme', 'dark');
  await pass();
  sent[0]?.resolve({ theme: 'dark', views: ['stored'] });
  await pass();
  expect(shown()).toEqual({ theme: 'dark', views: ['stored', 'mine'] });
  expect(sent.map(({ patch }) => patch)).toEqual([{ theme: 'dark' }, { views: ['stored', 'mine'] }]);
});
