// Queries of the console in a large installation: counts, search by name, and referrers. None may grow with the number of Tasks.
import { createQueries } from '../server/registry/create-queries.ts';
import type { RegistryQueries } from '../server/registry/queries.ts';
import { systemContext } from '../server/registry/registry.ts';
import type { Store } from '../server/store/store.ts';
import { storeEngines, type StoreEngine } from './engines.ts';
import { makeObject, seed } from './objects.ts';
import { compared, percentile } from './row.ts';
import type { Row } from './row.ts';

const SMALL = 1_000;
const LARGE = 100_000;
const NAMESPACES = 50;
const AGENTS = 2_000;
const SAMPLES = 40;
const WARM_UP = 10;

const namespaceOf = (i: number) => `team-${String(i % NAMESPACES).padStart(2, '0')}`;

/** Tasks of one system in many namespaces, and Agents that share a few model endpoints. */
async function fill(store: Store, tasks: number): Promise<void> {
  await seed(store, [0, AGENTS], (tx, i) =>
    tx.insertObject({
      ...makeObject(i, 'Agent'),
      namespace: namespaceOf(i),
      spec: { model_ref: `shared/model-${i % 5}`, prompt: 'Plan.' },
    }),
  );
  await seed(store, [0, tasks], (tx, i) =>
    tx.insertObject({ ...makeObject(i), namespace: namespaceOf(i), spec: { system: 'team-00/pipeline' } }),
  );
}

type Question = readonly [name: string, ask: (queries: RegistryQueries) => Promise<unknown>];

const search = (text: string) => (queries: RegistryQueries) => queries.search(systemContext, { text, limit: 50 });
const referrers = (kind: string, namespace: string, name: string) => (queries: RegistryQueries) =>
  queries.referrers(systemContext, { kind, namespace, name }, { limit: 50 });

const QUESTIONS: readonly Question[] = [
  [
    'count of a phase, up to 10,000',
    (queries) => queries.count(systemContext, { kind: 'Task', fields: [{ path: 'status.phase', op: 'eq', value: 'Pending' }] }),
  ],
  ['search, the beginning of many names', search('bench-000')],
  ['search, a part of a name', search('9')],
  ['search, found nowhere', search('zzz')],
  ['50 Agents that refer to a model', referrers('ModelEndpoint', 'shared', 'model-1')],
  ['50 Tasks of a system', referrers('AgentSystem', 'team-00', 'pipeline')],
];

async function medianMs(ask: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < WARM_UP + SAMPLES; i += 1) {
    const began = performance.now();
    await ask();
    if (i >= WARM_UP) taken.push(performance.now() - began);
  }
  return percentile(taken, 50);
}

const isIndexed = () => Promise.resolve(true);

async function questionRows({ prefix, withStore }: StoreEngine): Promise<Row[]> {
  return withStore((few) =>
    withStore(async (many) => {
      await fill(few, SMALL);
      await fill(many, LARGE);
      const [small, large] = [createQueries(few, isIndexed), createQueries(many, isIndexed)];
      const rows: Row[] = [];
      for (const [name, ask] of QUESTIONS) {
        const [value, reference] = [await medianMs(() => ask(large)), await medianMs(() => ask(small))];
        const row = { name: `${prefix}: ${name}, 100 k Tasks`, value, unit: 'ms', reference, referenceName: '1 k Tasks' };
        rows.push(compared({ ...row, note: 'aim: below 20 ms' }));
      }
      return rows;
    }),
  );
}

export async function benchQueries(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const engine of await storeEngines('queries')) rows.push(...(await questionRows(engine)));
  return rows;
}
