// Texts come into the index of words in the background, and a search waits for those that were just written.
import { afterEach, expect, it } from 'vitest';
import type { Store } from '../store/store.ts';
import { as, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';
import { createReferenceIndexer } from './reference-indexer.ts';
import { createTextIndexer } from './text-indexer.ts';
import { searchTexts } from './text-search.ts';
import { overlay } from '../overlay.ts';

let fixture: RegistryFixture;
const fail = (error: unknown) => {
  throw error;
};
afterEach(() => fixture.store.close());

const task = (name: string, topic: string) => ({ kind: 'Task', metadata: { name }, spec: { system: 's', input: { topic } } });
const list = () => fixture.registry.list(as('reader'), { kind: 'Task', search: 'flood', limit: 1000 });
const indexer = (store: Store) => createTextIndexer({ store, clock: fixture.clock, reportError: fail });

async function setup(tasks: number, topic = 'flood'): Promise<void> {
  fixture = await setupRegistry();
  await createReferenceIndexer({ ...fixture, reportError: fail }).runOnce();
  const documents = Array.from({ length: tasks }, (_, i) => task(`t${i}`, topic));
  await fixture.registry.apply(as('admin'), documents, { namespace: 'default' });
}

it('indexes committed texts, at most once a second', async () => {
  await setup(2);
  const { store, clock } = fixture;
  const loop = indexer(store);
  loop.start();
  await expect.poll(() => store.hasPendingTexts()).toBe(false);
  await fixture.post(task('later', 'flood'));
  expect(await store.hasPendingTexts()).toBe(true);
  await expect.poll(async () => (clock.advance(1_000), store.hasPendingTexts())).toBe(false);
  await loop.stop();
});

it('finds what was written just now, without the loop', async () => {
  await setup(3);
  const page = await list();
  expect([page.items.length, page.incomplete]).toEqual([3, undefined]);
});

it('reports missing results while more is left than a search waits for', async () => {
  await setup(600);
  const first = await list();
  expect([first.items.length, first.incomplete]).toEqual([500, true]);
  await indexer(fixture.store).runOnce();
  const then = await list();
  expect([then.items.length, then.incomplete]).toEqual([600, undefined]);
});

it('indexes few large texts in one transaction', async () => {
  await setup(4, `flood ${'x'.repeat(200_000)}`);
  const { store } = fixture;
  let transactions = 0;
  const counting = overlay(store, {
    transaction(work) {
      transactions += 1;
      return store.transaction(work);
    },
  });
  await indexer(counting).runOnce();
  expect(transactions).toBeGreaterThanOrEqual(2);
  expect((await list()).items).toHaveLength(4);
});

it('searches a store that takes no writes, and reports that it may lack some', async () => {
  await setup(1);
  await list();
  await fixture.post(task('late', 'flood'));
  const readOnly = overlay(fixture.store, { transaction: () => Promise.reject(new Error('the disk is full')) });
  const found = await searchTexts(readOnly, { kind: 'Task', search: 'flood', limit: 10 }, 1_000_000);
  expect([found.objects.map(({ name }) => name), found.incomplete]).toEqual([['t0'], true]);
});
