// Registry writes inside a transaction of their caller, over both databases, driven by a durable timer as schedules and deliveries are.
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Clock } from '../clock.ts';
import { createQueueConsumer, type QueueConsumerOptions } from '../controllers/runtime/queue-consumer.ts';
import type { Store } from '../store/store.ts';
import { transactAgain } from '../store/write-race.ts';
import { keptLog, storeEngines } from '../testing/background.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { as, registryOver } from '../testing/registry-fixture.ts';
import { creatorsOf } from './principal.ts';
import type { Registry } from './registry.ts';

const QUEUE = 'test.timer';

const task = (name: string) => ({ kind: 'Task', metadata: { name }, spec: { system: 'research', input: { topic: 'tea' } } });
const write = (name: string) => ({ kind: 'Task', namespace: 'default', body: task(name), ifNoneMatch: '*' });
const key = (name: string) => ({ kind: 'Task', namespace: 'default', name });

interface World {
  readonly store: Store;
  readonly registry: Registry;
  /** Handles one due timer. */
  readonly fire: (handle: QueueConsumerOptions['handle']) => Promise<number>;
}

async function setup(open: (clock: Clock) => Promise<Store>): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const item = { queue: QUEUE, key: 'slot', namespace: 'default', name: 'nightly', rank: 0, notBefore: 0, requirements: {} };
  await store.transaction((tx) => tx.enqueueWork(item));
  const { log } = keptLog();
  const timer = { store, clock, log, random: () => 1, queue: QUEUE, owner: 'server-1', leaseMs: 30_000, concurrency: 1 };
  return { store, registry: registryOver(store, clock), fire: (handle) => createQueueConsumer({ ...timer, handle }).runOnce() };
}

describe.each(storeEngines.filter(({ skip }) => !skip))('a registry write within a transaction over $name', ({ open }) => {
  it('is one commit with the timer that makes it', async () => {
    const { store, registry, fire } = await setup(open);
    const before = (await store.changeBounds()).head;
    await fire(async (tx) => {
      await registry.within(tx).post(as('writer'), write('nightly-1'));
      await tx.putDocument('test', 'slot', { fired: true });
      return undefined;
    });
    expect((await store.getObject(key('nightly-1')))?.status).toMatchObject({ phase: 'Pending' });
    expect(await store.getDocument('test', 'slot')).toEqual({ fired: true });
    expect(await store.getWorkItem(QUEUE, 'slot')).toBeUndefined();
    expect((await store.changeBounds()).head).toBe(before + 1);
  });

  it('leaves no trace when the transaction fails after it', async () => {
    const { store, registry, fire } = await setup(open);
    const before = (await store.changeBounds()).head;
    await fire(async (tx) => {
      await registry.within(tx).post(as('writer'), write('nightly-1'));
      throw new Error('the delivery could not be recorded');
    });
    expect(await store.getObject(key('nightly-1'))).toBeUndefined();
    expect(await store.getWorkItem(QUEUE, 'slot')).toBeDefined();
    expect((await store.changeBounds()).head).toBe(before);
  });

  it('may be followed by a write under another name when it is refused', async () => {
    const { store, registry, fire } = await setup(open);
    await registry.post(as('writer'), write('nightly-1'));
    await fire(async (tx) => {
      const writes = registry.within(tx);
      await expect(writes.post(as('writer'), write('nightly-1'))).rejects.toMatchObject({ code: 'conflict' });
      await writes.post(as('writer'), write('nightly-1-2'));
      return undefined;
    });
    expect(await store.getObject(key('nightly-1-2'))).toBeDefined();
  });

  it('counts the given principals among the creators of a new object', async () => {
    const { store, registry } = await setup(open);
    const post = { ...write('nightly-1'), alsoBy: ['ann', 'bob'] };
    await transactAgain(store, (tx) => registry.within(tx).post(as('writer'), post));
    const stored = await store.getObject(key('nightly-1'));
    expect(stored && creatorsOf(stored)).toEqual(['the-writer', 'ann', 'bob']);
  });

  it('is authorised and validated as a request is', async () => {
    const { store, registry } = await setup(open);
    const within = (work: (writes: ReturnType<Registry['within']>) => Promise<unknown>) =>
      transactAgain(store, (tx) => work(registry.within(tx)));
    await expect(within((writes) => writes.post(as('reader'), write('a')))).rejects.toMatchObject({ code: 'forbidden' });
    const invalid = { ...write('a'), body: { ...task('a'), spec: { system: 7 } } };
    await expect(within((writes) => writes.post(as('writer'), invalid))).rejects.toMatchObject({ code: 'invalid' });
    await expect(within((writes) => writes.post(as('writer'), { ...write('a'), dryRun: true }))).rejects.toMatchObject({
      code: 'invalid',
      message: 'a write within a transaction cannot be a dry run',
    });
    await expect(within((writes) => writes.remove(as('writer'), key('a')))).rejects.toMatchObject({ code: 'not_found' });
  });

  it('updates, patches and removes in the same transaction', async () => {
    const { store, registry } = await setup(open);
    await registry.post(as('writer'), write('a'));
    await registry.post(as('writer'), write('b'));
    await transactAgain(store, async (tx) => {
      const writes = registry.within(tx);
      await writes.patch(as('writer'), { ...key('a'), body: { metadata: { labels: { step: 'one' } } } });
      const body = { ...task('a'), metadata: { name: 'a', labels: { step: 'two' } } };
      await writes.put(as('writer'), { ...key('a'), body, ifMatch: '2' });
      await writes.remove(as('writer'), key('b'));
    });
    expect(await store.getObject(key('a'))).toMatchObject({ resourceVersion: 3, labels: { step: 'two' } });
    expect(await store.getObject(key('b'))).toBeUndefined();
  });
});
