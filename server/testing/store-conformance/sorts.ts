// Store conformance: lists in the order of values, against a brute-force oracle.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ValueOrder } from '../../store/list-order.ts';
import type { FieldRequirement, LabelRequirement, ListQuery, Store, StoredObject } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, makeObject, nextVersion, seed, suiteIndex, suiteSortValues } from './fixture.ts';

const ORDERS: readonly ValueOrder[] = (
  [
    ['field', 'status.phase'],
    ['field', 'spec.system'],
    ['sortValue', 'cost'],
    ['sortValue', 'duration'],
  ] as const
).flatMap(([by, path]) => [true, false].map((descending) => ({ by, path, descending })));

type ByValue = Omit<ListQuery, 'order'> & { readonly order: ValueOrder };

function bytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function fieldOf(object: StoredObject, path: string): string {
  return path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], object) as string;
}

function valueOf(object: StoredObject, { by, path }: ValueOrder): string {
  return by === 'field' ? fieldOf(object, path) : (suiteSortValues(object)?.[path] ?? '');
}

function compare(order: ValueOrder): (a: StoredObject, b: StoredObject) => number {
  const byKey = (a: StoredObject, b: StoredObject) => bytes(a.namespace, b.namespace) || bytes(a.name, b.name);
  const sign = order.descending ? -1 : 1;
  return (a, b) => {
    const byValue = sign * bytes(valueOf(a, order), valueOf(b, order));
    if (byValue !== 0) return byValue;
    // Objects of one field value are the newest first, whatever the direction.
    return order.by === 'field' ? bytes(b.createdAt, a.createdAt) || byKey(b, a) : sign * byKey(a, b);
  };
}

function expected(objects: readonly StoredObject[], { namespace, labels = [], fields = [], order }: ByValue): StoredObject[] {
  return objects
    .filter((o) => namespace === undefined || o.namespace === namespace)
    .filter((o) => labels.every((r) => r.op === 'eq' && o.labels[r.key] === r.value))
    .filter((o) => fields.every((r) => (fieldOf(o, r.path) === r.value) === (r.op === 'eq')))
    .sort(compare(order));
}

async function listAll(store: Store, query: ByValue): Promise<StoredObject[]> {
  const items: StoredObject[] = [];
  for (;;) {
    const last = items.at(-1);
    const after = last && { ...last, value: valueOf(last, query.order) };
    const page = await store.listObjects({ ...query, ...(after && { after }) });
    items.push(...page);
    if (page.length < query.limit) return items;
  }
}

const names = (objects: readonly StoredObject[]): string[] => objects.map((o) => `${o.namespace}/${o.name}`);

const values = fc.constantFrom('-', '0000000000000001', '0000000000000020', '0000000000000300');
const stored = fc.record({
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  name: fc.constantFrom('a', 'A', 'a-b', 'a.b', 'a0', 'b', 'Z', 'z', '0', 'a_b'),
  createdAt: fc.integer({ min: 0, max: 4 }).map(at),
  tier: fc.constantFrom('gold', 'tin'),
  phase: fc.constantFrom('Pending', 'Running', 'Succeeded'),
  system: fc.constantFrom('s1', 's2', 'b/s1'),
  sortValues: fc.oneof(fc.constant({}), fc.record({ cost: values, duration: values })),
});
const objectSet = fc
  .uniqueArray(stored, { maxLength: 30, selector: (o) => `${o.namespace}/${o.name}` })
  .map((set) =>
    set.map(({ phase, system, tier, sortValues, ...rest }) =>
      makeObject({ ...rest, labels: { tier }, spec: { system, sortValues }, status: { phase } }),
    ),
  );
const labels: fc.Arbitrary<LabelRequirement[]> = fc.constantFrom([], [{ op: 'eq', key: 'tier', value: 'gold' }]);
const fields: fc.Arbitrary<FieldRequirement[]> = fc.constantFrom(
  [],
  [{ path: 'status.phase', op: 'eq', value: 'Running' }],
  [{ path: 'status.phase', op: 'neq', value: 'Running' }],
  [
    { path: 'spec.system', op: 'eq', value: 's1' },
    { path: 'status.phase', op: 'neq', value: 'Pending' },
  ],
);
const listQuery = fc
  .record({
    namespace: fc.constantFrom('a', 'b', 'none', undefined),
    labels,
    fields,
    order: fc.constantFrom(...ORDERS),
    limit: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ namespace, ...rest }): ByValue => ({ kind: 'Task', ...rest, ...(namespace !== undefined && { namespace }) }));

async function clear(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    for (const object of await tx.listObjects({ kind: 'Task', limit: 1000 })) await tx.deleteObject(object, at(9));
  });
}

export function sortConformance(subject: Subject): void {
  describe('lists in the order of values', () => {
    it('agree with a brute-force selection, also after updates', async () => {
      const { store } = subject;
      const queries = fc.array(listQuery, { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(objectSet, objectSet, queries, async (before, after, wanted) => {
          await clear(store);
          await seed(store, before);
          const others = new Map(after.map((o) => [`${o.namespace}/${o.name}`, o]));
          const current = before.map((o) => {
            const other = others.get(`${o.namespace}/${o.name}`);
            return other ? nextVersion(o, { labels: other.labels, spec: other.spec, status: other.status }) : o;
          });
          await store.transaction(async (tx) => {
            for (const object of current.filter((o) => o.resourceVersion === 2)) await tx.updateObject(object);
          });
          for (const query of wanted) expect(names(await listAll(store, query))).toEqual(names(expected(current, query)));
        }),
        { numRuns: 60 },
      );
    });

    it('read a large selection by the index of the values, page by page', async () => {
      const { store } = subject;
      const objects = Array.from({ length: 1_200 }, (_, i) =>
        makeObject({
          name: `n-${String(i).padStart(4, '0')}`,
          createdAt: at(i % 7),
          labels: { parity: i % 2 ? 'odd' : 'even' },
          spec: { system: `s${i % 3}`, ...(i % 5 > 0 && { sortValues: { cost: String((i * 7919) % 97).padStart(16, '0') } }) },
        }),
      );
      await seed(store, objects);
      for (const order of ORDERS.filter(({ path }) => path !== 'duration')) {
        const fields: FieldRequirement[] = [{ path: 'status.phase', op: 'eq', value: 'Pending' }];
        for (const filter of [{}, { fields }, { labels: [{ op: 'eq' as const, key: 'parity', value: 'odd' }] }]) {
          const query: ByValue = { kind: 'Task', namespace: 'default', limit: 250, order, ...filter };
          expect(names(await listAll(store, query))).toEqual(names(expected(objects, query)));
        }
      }
    });

    it('end a page before it passes its size, and hold one object at least', async () => {
      const { store } = subject;
      await seed(
        store,
        Array.from({ length: 6 }, (_, i) =>
          makeObject({ name: `n-${i}`, spec: { sortValues: { cost: `${i}` }, text: 'x'.repeat(1_000) } }),
        ),
      );
      const query = { kind: 'Task', limit: 10, order: { by: 'sortValue', path: 'cost', descending: true } } as const;
      expect(names((await store.listPage(query, 10)).objects)).toEqual(['default/n-5']);
      const page = await store.listPage(query, 3_600);
      expect({ names: names(page.objects), full: page.full }).toEqual({ names: ['default/n-5', 'default/n-4'], full: true });
    });

    it('continue after an object with a changed value, and after a deleted one', async () => {
      const { store } = subject;
      const make = (name: string, cost: string) => makeObject({ name, spec: { sortValues: { cost } } });
      const objects = [make('a', '1'), make('b', '2'), make('c', '3')];
      await seed(store, objects);
      const after = { namespace: 'default', name: 'b', value: '2' };
      const rest = async () =>
        names(await store.listObjects({ kind: 'Task', limit: 10, order: { by: 'sortValue', path: 'cost', descending: false }, after }));
      await store.transaction((tx) => tx.updateObject(nextVersion(objects[1]!, { spec: { sortValues: { cost: '0' } } })));
      expect(await rest()).toEqual(['default/c']);
      await store.transaction((tx) => tx.deleteObject(objects[1]!, at(3)));
      expect(await rest()).toEqual(['default/c']);
    });

    it('have objects of an older version once those are indexed', async () => {
      const old = await subject.reopen({});
      await seed(old, [makeObject({ name: 'a', spec: { sortValues: { cost: '1' } } }), makeObject({ name: 'b' })]);
      const store = await subject.reopen(suiteIndex);
      const list = () => store.listObjects({ kind: 'Task', limit: 10, order: { by: 'sortValue', path: 'cost', descending: true } });
      expect(await list()).toEqual([]);
      await store.transaction((tx) => tx.reindexObjects('Task', undefined, 100));
      expect(names(await list())).toEqual(['default/a', 'default/b']);
    });
  });
}
