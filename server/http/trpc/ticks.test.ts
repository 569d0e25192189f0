import type { WatchItem } from '@svc/shared/api/watch';
import { expect, test } from 'vitest';
import type { WatchMessage } from '../../registry/watch/watch.ts';
import { as, setupRegistry } from '../../testing/registry-fixture.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { ticksOf } from './ticks.ts';
import { heldBy } from './worker-leases.ts';

const item = (kind: string, name: string, assignedWorker?: string): WatchItem =>
  ({
    kind,
    name,
    namespace: 'default',
    resource: { metadata: { uid: `uid-of-${name}` }, status: { phase: 'Running', assignedWorker } },
  }) as unknown as WatchItem;
const change = (seq: number, of: WatchItem): WatchMessage<WatchItem> => ({ type: 'item', seq, item: of });

/** Stream with messages from the test, until the test ends it. */
function setup() {
  const clock = createManualClock();
  const signal = new AbortController();
  const said: (readonly WatchMessage<WatchItem>[] | Error | undefined)[] = [];
  let wake: () => void = () => undefined;
  async function* stream() {
    for (;;) {
      if (said.length === 0) await new Promise<void>((resolve) => void (wake = resolve));
      const next = said.shift();
      if (next instanceof Error) throw next;
      if (next === undefined) return;
      yield next;
    }
  }
  const say = async (next: readonly WatchMessage<WatchItem>[] | Error | undefined) => {
    said.push(next);
    wake();
    await new Promise(setImmediate);
  };
  let ticks = 0;
  const held = heldBy('w1');
  const done = (async () => {
    for await (const _tick of ticksOf(stream(), held.concerns, { clock, signal: signal.signal })) ticks += 1;
  })();
  done.catch(() => undefined);
  const pass = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
  };
  return { say, pass, done, held, ticks: () => ticks };
}

test('ticks when the stream begins, and then once a second for all that concern it', async () => {
  const { say, pass, ticks } = setup();
  await say([{ type: 'synced', seq: 1 }]);
  expect(ticks()).toBe(1);
  for (let seq = 2; seq < 50; seq += 1) await say([change(seq, item('Task', `t${seq}`, 'w1'))]);
  expect(ticks()).toBe(1);
  await pass(1_000);
  expect(ticks()).toBe(2);
  await pass(10_000);
  expect(ticks()).toBe(2);
  await say([change(50, item('Worker', 'w1'))]);
  expect(ticks()).toBe(3);
});

test('changes of other workers cause no tick, a resync causes one', async () => {
  const { say, pass, held, ticks } = setup();
  await say([{ type: 'synced', seq: 1 }]);
  held.tell([]);
  await pass(1_000);
  await say([change(2, item('Task', 'other', 'w2')), change(3, item('Worker', 'w2')), change(4, item('Tool', 'w1', 'w1'))]);
  expect(ticks()).toBe(1);
  await say([{ type: 'resync', seq: 9 }]);
  expect(ticks()).toBe(2);
});

test('a run that another worker takes over is a tick, the first time', async () => {
  const { say, pass, held, ticks } = setup();
  await say([{ type: 'synced', seq: 1 }]);
  held.tell([{ uid: 'uid-of-told' }]);
  await pass(1_000);
  await say([change(2, item('Task', 'told', 'w2'))]);
  expect(ticks()).toBe(2);
  await pass(1_000);
  await say([change(3, item('Task', 'told', 'w2'))]);
  expect(ticks()).toBe(2);
  await say([change(4, item('Task', 'seen', 'w1'))]);
  await pass(1_000);
  await say([change(5, item('Task', 'seen', 'w2'))]);
  expect(ticks()).toBe(4);
});

test('every change of a Task while the runs are read for the first time causes a tick', async () => {
  const { say, pass, ticks } = setup();
  await say([{ type: 'synced', seq: 1 }]);
  await say([change(2, item('Task', 'taken', 'w2'))]);
  await pass(1_000);
  expect(ticks()).toBe(2);
});

test('ends with the stream, and fails with it', async () => {
  const ended = setup();
  await ended.say(undefined);
  await ended.done;
  const failed = setup();
  await failed.say(new Error('the store is away'));
  await expect(failed.done).rejects.toThrow('the store is away');
});

test('a reader that fails ends the stream, which waits for a change', async () => {
  const { watches, store } = await setupRegistry();
  const { signal } = new AbortController();
  const stream = watches.watchChanges(as('reader'), {}, { signal })[Symbol.asyncIterator]();
  const read = async () => {
    const ticks = ticksOf({ [Symbol.asyncIterator]: () => stream }, () => true, { clock: createManualClock(), signal });
    for await (const _tick of ticks) throw new Error('the store is away');
  };
  await expect(read()).rejects.toThrow('the store is away');
  expect(await stream.next()).toEqual({ done: true, value: undefined });
  await store.close();
});
