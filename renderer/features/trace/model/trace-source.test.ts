import type { TracePage } from '@svc/shared/api/runs';
import { expect, test } from 'vitest';
import { traceFixture } from '../../../testing/trace-fixture.ts';
import { readTrace, type FollowHandlers, type SourceState, type TracePort } from './trace-source.ts';
import { TraceStore } from './trace-store.ts';

const ENTRIES = traceFixture({ entries: 30, live: true });

function setup({ pageSize = 10, max }: { readonly pageSize?: number; readonly max?: number } = {}) {
  const store = new TraceStore('report', max);
  const states: SourceState[] = [];
  const follows: { readonly after: string | undefined; readonly handlers: FollowHandlers; ended: boolean }[] = [];
  const page = (): Promise<TracePage> => {
    const more = pageSize < 20 ? { continue: `${pageSize}.0` } : {};
    return Promise.resolve({ name: 't', items: ENTRIES.slice(0, pageSize), ...more });
  };
  const port: TracePort = {
    page,
    follow: (after, handlers) => {
      const started = { after, handlers, ended: false };
      follows.push(started);
      return () => (started.ended = true);
    },
  };
  const stop = readTrace({ port, store, onState: (state) => states.push(state), schedule: (publish) => (publish(), () => undefined) });
  const following = async () => {
    await expect.poll(() => follows).toHaveLength(1);
    return follows[0]?.handlers as FollowHandlers;
  };
  return { store, states, follows, stop, following };
}

test('continues after the first page', async () => {
  const { store, follows, following, states } = setup();
  const handlers = await following();
  expect(follows[0]?.after).toBe('10.0');
  handlers.onBatch({ id: '30.0', entries: ENTRIES.slice(10) });
  handlers.onEnd();
  expect(store.entries).toEqual(ENTRIES);
  expect(states.map(({ phase }) => phase)).toEqual(['loading', 'following', 'ended']);
});

test('a last page that names no place is not shown twice when the stream restarts', async () => {
  const { store, following } = setup({ pageSize: 20 });
  const handlers = await following();
  handlers.onBatch({ id: '12.0', entries: ENTRIES.slice(0, 12) });
  handlers.onBatch({ id: '25.0', entries: ENTRIES.slice(12, 25) });
  handlers.onBatch({ id: '30.0', entries: ENTRIES.slice(25) });
  expect(store.entries).toEqual(ENTRIES);
});

test('stops at the bound and reports that there is more', async () => {
  const { store, following, follows, states } = setup({ max: 15 });
  const handlers = await following();
  handlers.onBatch({ id: '30.0', entries: ENTRIES.slice(10) });
  expect([store.entries.length, store.full, follows[0]?.ended]).toEqual([15, true, true]);
  expect(states.at(-1)).toEqual({ phase: 'ended' });
});

test('reports a final failure of the stream, and keeps the loaded entries', async () => {
  const { store, following, states } = setup();
  const handlers = await following();
  handlers.onError(new Error('gone'));
  expect(states.at(-1)).toMatchObject({ phase: 'failed' });
  expect(store.entries).toHaveLength(10);
});

test('receives nothing after it was stopped', async () => {
  const { store, following, stop, states } = setup();
  const handlers = await following();
  stop();
  handlers.onBatch({ id: '30.0', entries: ENTRIES.slice(10) });
  handlers.onEnd();
  expect([store.entries.length, states.at(-1)?.phase]).toEqual([10, 'following']);
});
