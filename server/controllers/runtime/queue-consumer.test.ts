// Durable timers over a real store: exactly once, in several processes, through failures and lost leases.
import { ServiceError } from '@svc/shared/errors';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Store, StoreTransaction, WorkItem } from '../../store/store.ts';
import { keptLog, storeEngines, turns, type LogLine } from '../../testing/background.ts';
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createQueueConsumer, type QueueConsumer, type QueueConsumerOptions } from './queue-consumer.ts';
import { overlay } from '../../overlay.ts';

const QUEUE = 'test.timers';
const LEASE_MS = 30_000;

interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly lines: LogLine[];
  readonly consumer: (owner: string, more?: Partial<QueueConsumerOptions>) => QueueConsumer;
  readonly add: (key: string, notBefore?: number) => Promise<void>;
  /** How often each key was handled, as the store has it. */
  readonly handled: () => Promise<Record<string, number>>;
}

const DOC = 'test-handled';

async function countUp(tx: StoreTransaction, { key }: WorkItem): Promise<undefined> {
  const before = (await tx.getDocument(DOC, key)) as { times: number } | undefined;
  await tx.putDocument(DOC, key, { times: (before?.times ?? 0) + 1 });
  return undefined;
}

async function setup(open: (clock: ManualClock) => Promise<Store>): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const { log, lines } = keptLog();
  return {
    store,
    clock,
    lines,
    consumer(owner, more = {}) {
      const base = { store, clock, log, random: () => 1, queue: QUEUE, owner, leaseMs: LEASE_MS, concurrency: 4, handle: countUp };
      const made = createQueueConsumer({ ...base, ...more });
      onTestFinished(() => made.stop());
      return made;
    },
    add: (key, notBefore = 0) =>
      store.transaction((tx) =>
        tx.enqueueWork({ queue: QUEUE, key, namespace: 'default', name: key, rank: notBefore, notBefore, requirements: {} }),
      ),
    async handled() {
      const documents = await store.listDocuments(DOC, '', 1_000);
      return Object.fromEntries(documents.map(({ id, document }) => [id, document['times'] as number]));
    },
  };
}

describe.each(storeEngines.filter(({ skip }) => !skip))('a queue consumer over $name', ({ open }) => {
  it('handles an item at its moment and not before', async () => {
    const { clock, add, consumer, handled } = await setup(open);
    consumer('a').start();
    await add('later', clock.now() + 5_000);
    clock.advance(4_999);
    await turns();
    expect(await handled()).toEqual({});
    clock.advance(1);
    await expect.poll(handled, { interval: 2 }).toEqual({ later: 1 });
  });

  it('handles each item once, however many consumers there are', async () => {
    const { store, add, consumer, handled } = await setup(open);
    const keys = Array.from({ length: 60 }, (_, index) => `k${String(index).padStart(2, '0')}`);
    for (const owner of ['a', 'b', 'c']) consumer(owner).start();
    await Promise.all(keys.map((key) => add(key)));
    await expect.poll(async () => Object.keys(await handled()).length, { interval: 5 }).toBe(keys.length);
    await turns();
    expect(await handled()).toEqual(Object.fromEntries(keys.map((key) => [key, 1])));
    expect(await store.countWork(QUEUE, Infinity)).toEqual({ ready: 0, waiting: 0, claimed: 0, parked: 0 });
  });

  it('tries a failing item again with doubling waits, while the others are handled', async () => {
    const { clock, store, add, consumer, handled, lines } = await setup(open);
    const tried: number[] = [];
    const began = clock.now();
    const handle = (tx: StoreTransaction, item: WorkItem): Promise<undefined> => {
      if (item.key !== 'bad') return countUp(tx, item);
      tried.push(clock.now() - began);
      return countUp(tx, item).then(() => Promise.reject(new Error('not today')));
    };
    consumer('a', { handle, concurrency: 1 }).start();
    for (const key of ['bad', 'good', 'fine']) await add(key);
    await expect.poll(handled, { interval: 2 }).toEqual({ good: 1, fine: 1 });
    for (const wait of [1_000, 2_000, 4_000]) {
      await expect.poll(async () => (await store.getWorkItem(QUEUE, 'bad'))?.notBefore, { interval: 2 }).toBe(clock.now() + wait);
      clock.advance(wait);
    }
    await expect.poll(() => tried, { interval: 2 }).toEqual([0, 1_000, 3_000, 7_000]);
    expect(lines[0]).toMatchObject({ level: 'error', fields: { queue: QUEUE, key: 'bad', tries: 1 } });
    expect(await handled()).toEqual({ good: 1, fine: 1 });
  });

  it('warns of an item that meets an outage, which needs no person', async () => {
    const { add, consumer, lines } = await setup(open);
    const handle = () => Promise.reject(new ServiceError('unavailable', 'the database restarts'));
    await add('one');
    await consumer('a', { handle }).runOnce();
    expect(lines).toMatchObject([{ level: 'warn', fields: { key: 'one', tries: 1 } }]);
  });

  it('keeps an item that is due again', async () => {
    const { clock, add, consumer, handled } = await setup(open);
    const handle = async (tx: StoreTransaction, item: WorkItem, now: number) => {
      await countUp(tx, item);
      return { againAt: now + 60_000 };
    };
    consumer('a', { handle }).start();
    await add('tick');
    for (let times = 1; times <= 4; times += 1) {
      await expect.poll(handled, { interval: 2 }).toEqual({ tick: times });
      await turns();
      clock.advance(60_000);
    }
  });

  it('drops the result of an item whose lease expired meanwhile', async () => {
    const { clock, store, add, consumer, handled, lines } = await setup(open);
    let goOn: () => void = () => undefined;
    const paused = new Promise<void>((resolve) => (goOn = resolve));
    let transactions = 0;
    // The first transaction claims; the process stands still before the second one, which handles.
    const standing = overlay(store, {
      async transaction(work) {
        transactions += 1;
        if (transactions === 2) await paused;
        return store.transaction(work);
      },
    });
    await add('one');
    const late = consumer('late', { store: standing }).runOnce();
    await expect.poll(() => transactions, { interval: 2 }).toBe(2);
    clock.advance(LEASE_MS);
    expect(await consumer('heir').runOnce()).toBe(1);
    goOn();
    expect(await late).toBe(1);
    expect(await handled()).toEqual({ one: 1 });
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('finishes claimed items before stop resolves, and claims no more', async () => {
    const { add, consumer, handled, store } = await setup(open);
    const one = consumer('a');
    one.start();
    await add('first');
    await expect.poll(handled, { interval: 2 }).toEqual({ first: 1 });
    await one.stop();
    await one.stop();
    await add('second');
    await turns();
    expect([await one.runOnce(), await handled()]).toEqual([0, { first: 1 }]);
    expect(await store.getWorkItem(QUEUE, 'second')).toMatchObject({ owner: undefined });
  });
});
