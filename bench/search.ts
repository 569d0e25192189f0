// Searches by words over the texts of many Tasks, beside plain lists of the same store: common and rare words, words together, beginnings, and none.
import { createRegistry } from '../server/registry/create-registry.ts';
import { createReferenceIndexer } from '../server/registry/reference-indexer.ts';
import { objectIndex } from '../server/registry/reference-index.ts';
import { systemContext, type ListRequest, type Registry } from '../server/registry/registry.ts';
import { createTextIndexer } from '../server/registry/text-indexer.ts';
import { systemClock } from '../server/clock.ts';
import type { Store } from '../server/store/store.ts';
import { storeEngines, type StoreEngine } from './engines.ts';
import { makeObject, seed } from './objects.ts';
import { compared, percentile } from './row.ts';
import type { Row } from './row.ts';

const TASKS = 100_000;
const WORDS = 20_000;
const WORDS_OF_TEXT = 40;
const ROUNDS = 40;
const NAMESPACES = 50;
const PAGE = 50;

const wordOf = (n: number): string => `w${((n * 7919) % WORDS).toString(36)}`;

/** A few words are in most texts, most words in few. */
function textOf(i: number): string {
  const words = Array.from({ length: WORDS_OF_TEXT }, (_, n) => wordOf(Math.floor(WORDS * (((i * 131 + n * 977) % 10_007) / 10_007) ** 3)));
  return `report ${i % 2 ? 'odd' : 'even'} ${words.join(' ')}`;
}

const namespaceOf = (i: number): string => `team-${i % NAMESPACES}`;

async function fill(store: Store): Promise<void> {
  await seed(store, [0, TASKS], (tx, i) =>
    tx.insertObject({ ...makeObject(i), namespace: namespaceOf(i), spec: { system: 'pipeline', input: { text: textOf(i) } } }),
  );
}

const SEARCHES: readonly Partial<ListRequest>[] = [
  { search: 'report' },
  { search: `${wordOf(3)} ${wordOf(19_000)}` },
  { search: wordOf(19_999) },
  { search: 'odd even' },
  { search: 'repo' },
  { search: 'w' },
  { search: 'report', namespace: namespaceOf(7) },
  { search: 'absent' },
];

async function p95(registry: Registry, requests: readonly Partial<ListRequest>[]): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const request of requests) {
      const began = performance.now();
      await registry.list(systemContext, { kind: 'Task', limit: PAGE, order: '-createdAt', ...request });
      taken.push(performance.now() - began);
    }
  return percentile(taken, 95);
}

function registryOver(store: Store): Registry {
  const unused = () => {
    throw new Error('this benchmark writes nothing');
  };
  return createRegistry({
    store,
    clock: systemClock,
    hooks: new Map(),
    secretBox: { encrypt: unused, decrypt: unused } as never,
    crdConflictPolicy: 'off',
    newUid: unused,
    kubernetesIsolation: false,
    versionsMax: 0,
  });
}

async function rowsOf({ prefix, withStore }: StoreEngine): Promise<Row[]> {
  return withStore(async (store) => {
    const reportError = (error: unknown) => {
      throw error;
    };
    await fill(store);
    const began = performance.now();
    await createTextIndexer({ store, clock: systemClock, reportError }).runOnce();
    const seconds = (performance.now() - began) / 1_000;
    await createReferenceIndexer({ store, clock: systemClock, reportError }).runOnce();
    const registry = registryOver(store);
    const plain = SEARCHES.map(({ search: _, ...rest }) => rest);
    await p95(registry, SEARCHES);
    const [value, reference] = [await p95(registry, SEARCHES), await p95(registry, plain)];
    return [
      { name: `${prefix}: texts of ${WORDS_OF_TEXT} words indexed`, value: TASKS / seconds, unit: 'Tasks/s', note: 'in the background' },
      compared({
        name: `${prefix}: search over 100 k Tasks, ${PAGE} matches, p95`,
        value,
        unit: 'ms',
        reference,
        referenceName: 'plain list',
        note: 'aim: below 50 ms',
      }),
    ];
  }, objectIndex);
}

export async function benchSearch(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of await storeEngines('search')) rows.push(...(await rowsOf(engine)));
  return rows;
}
