// Store conformance: lists, their order, cursors and selectors, against a brute-force oracle.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyOrder } from '../../store/list-order.ts';
import { NAMES_PER_PAGE } from '../../store/list-reading.ts';
import type { FieldRequirement, LabelRequirement, ListQuery, ObjectPage, PageQuery, Store, StoredObject } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, makeObject, nextVersion, seed } from './fixture.ts';

const ORDERS: readonly KeyOrder[] = ['name', '-name', 'createdAt', '-createdAt'];

function bytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compare(order: KeyOrder): (a: StoredObject, b: StoredObject) => number {
  const byKey = (a: StoredObject, b: StoredObject) => bytes(a.namespace, b.namespace) || bytes(a.name, b.name);
  if (order === 'name') return byKey;
  if (order === '-name') return (a, b) => byKey(b, a);
  const byTime = (a: StoredObject, b: StoredObject) => bytes(a.createdAt, b.createdAt) || byKey(a, b);
  // The reverse order is the exact mirror, ties included.
  return order === 'createdAt' ? byTime : (a, b) => byTime(b, a);
}

function holds(requirement: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[requirement.key];
  switch (requirement.op) {
    case 'eq':
      return value === requirement.value;
    case 'neq':
      return value !== requirement.value;
    case 'exists':
      return value !== undefined;
    case 'missing':
      return value === undefined;
    case 'in':
      return value !== undefined && requirement.values.includes(value);
    case 'notin':
      return value === undefined || !requirement.values.includes(value);
  }
}

function fieldOf(object: StoredObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], object);
}

/** Expected list, found by a scan of all objects. */
function expected(objects: readonly StoredObject[], query: ListQuery): StoredObject[] {
  return objects
    .filter((o) => o.kind === query.kind && (query.namespace === undefined || o.namespace === query.namespace))
    .filter((o) => (query.labels ?? []).every((r) => holds(r, o.labels)))
    .filter((o) => (query.fields ?? []).every((r) => (fieldOf(o, r.path) === r.value) === (r.op === 'eq')))
    .sort(compare((query.order ?? 'name') as KeyOrder));
}

/** The rule of a sized page, over the characters of the stored JSON. */
function fitting(objects: readonly StoredObject[], limit: number, bytesMax: number): ObjectPage {
  let size = 0;
  const limited = objects.slice(0, limit);
  const at = limited.findIndex((object, index) => (size += JSON.stringify(object).length) > bytesMax && index > 0);
  return at < 0 ? { objects: limited, full: false } : { objects: limited.slice(0, at), full: true };
}

/** Every item, page by page. */
async function listAll(store: Store, query: ListQuery): Promise<StoredObject[]> {
  const items: StoredObject[] = [];
  for (;;) {
    const last = items.at(-1);
    const page = await store.listObjects(last ? { ...query, after: last } : query);
    items.push(...page);
    if (page.length < query.limit) return items;
  }
}

function names(objects: readonly StoredObject[]): string[] {
  return objects.map((o) => `${o.namespace}/${o.name}`);
}

const keys = fc.constantFrom('app', 'tier', 'zone');
const values = fc.constantFrom('', 'a', 'b', 'c');
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record({ op: fc.constantFrom('eq' as const, 'neq' as const), key: keys, value: values }),
  fc.record({ op: fc.constantFrom('exists' as const, 'missing' as const), key: keys }),
  fc.record({ op: fc.constantFrom('in' as const, 'notin' as const), key: keys, values: fc.array(values, { maxLength: 3 }) }),
);
const field: fc.Arbitrary<FieldRequirement> = fc.record({
  path: fc.constantFrom('status.phase', 'spec.system', 'spec.task_ref'),
  op: fc.constantFrom('eq' as const, 'neq' as const),
  value: fc.constantFrom('Pending', 'Running', 's1', 's2', 'ref', 'absent'),
});
const stored = fc.record({
  kind: fc.constantFrom('Task', 'Task', 'Task', 'Agent'),
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  name: fc.constantFrom('a', 'A', 'a-b', 'a.b', 'a0', 'b', 'Z', 'z', '0', 'a_b'),
  createdAt: fc.integer({ min: 0, max: 4 }).map(at),
  labels: fc.dictionary(keys, values, { maxKeys: 3 }),
  phase: fc.constantFrom('Pending', 'Running', undefined),
  system: fc.constantFrom('s1', 's2'),
  taskRef: fc.constantFrom('ref', undefined),
});
const objectSet = fc
  .uniqueArray(stored, { maxLength: 40, selector: (o) => `${o.kind}/${o.namespace}/${o.name}` })
  .map((set) =>
    set.map(({ phase, system, taskRef, ...rest }) =>
      makeObject({ ...rest, spec: { system, ...(taskRef && { task_ref: taskRef }) }, status: phase ? { phase } : {} }),
    ),
  );
const listQuery = fc.record({
  namespace: fc.constantFrom('a', 'b', 'none', undefined),
  labels: fc.array(requirement, { maxLength: 2 }),
  fields: fc.array(field, { maxLength: 2 }),
  order: fc.constantFrom(...ORDERS),
  limit: fc.integer({ min: 1, max: 12 }),
});

function toQuery({ namespace, ...rest }: { namespace: string | undefined } & Omit<ListQuery, 'kind' | 'namespace'>): ListQuery {
  return { kind: 'Task', ...rest, ...(namespace !== undefined && { namespace }) };
}

async function clear(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    for (const kind of ['Task', 'Agent']) {
      for (const object of await tx.listObjects({ kind, limit: 1000 })) await tx.deleteObject(object, at(9));
    }
  });
}

export function listConformance(subject: Subject): void {
  describe('lists', () => {
    it.each<[string, Partial<ListQuery>]>([
      ['by name', {}],
      ['in the order of creation', { order: '-createdAt' }],
      ['by an indexed label', { labels: [{ key: 'group', op: 'eq', value: 'a' }] }],
      ['by several values of a label', { labels: [{ key: 'group', op: 'in', values: ['a', 'b'] }] }],
      ['by a filter', { labels: [{ key: 'group', op: 'neq', value: 'c' }] }],
    ])('end a page %s before it passes its size, and hold one object at least', async (_title, filter) => {
      const { store } = subject;
      const objects = Array.from({ length: 40 }, (_, i) =>
        makeObject({
          name: `n-${String(i).padStart(2, '0')}`,
          createdAt: at(i),
          labels: { group: 'abc'[i % 3] ?? '' },
          spec: { text: 'x'.repeat((i % 5) * 900) },
        }),
      );
      await seed(store, objects);
      for (const [limit, bytesMax] of [
        [100, 1],
        [100, 5_000],
        [7, 12_000],
        [5, 1_000_000],
        [100, 1_000_000],
      ] as const) {
        const query = { kind: 'Task', limit, ...filter };
        let rest = expected(objects, query);
        for (let after: StoredObject | undefined; rest.length > 0; after = rest[0] && after) {
          const page = await store.listPage({ ...query, ...(after && { after }) }, bytesMax);
          expect({ names: names(page.objects), full: page.full }).toEqual({
            names: names(fitting(rest, limit, bytesMax).objects),
            full: fitting(rest, limit, bytesMax).full,
          });
          rest = rest.slice(page.objects.length);
          after = page.objects.at(-1);
        }
      }
    });

    it('agree with a brute-force selection for any objects, selectors, orders and page sizes', async () => {
      const { store } = subject;
      await fc.assert(
        fc.asyncProperty(objectSet, fc.array(listQuery, { minLength: 1, maxLength: 4 }), async (objects, queries) => {
          await clear(store);
          await seed(store, objects);
          for (const raw of queries) {
            const query = toQuery(raw);
            expect(names(await listAll(store, query))).toEqual(names(expected(objects, query)));
          }
        }),
        { numRuns: 60 },
      );
    });

    it('agree with a brute-force selection after updates of labels and fields', async () => {
      const { store } = subject;
      await fc.assert(
        fc.asyncProperty(objectSet, objectSet, fc.array(listQuery, { minLength: 1, maxLength: 4 }), async (before, after, queries) => {
          await clear(store);
          await seed(store, before);
          const replacements = new Map(after.map((o) => [`${o.kind}/${o.namespace}/${o.name}`, o]));
          const current = before.map((o) => {
            const other = replacements.get(`${o.kind}/${o.namespace}/${o.name}`);
            return other ? nextVersion(o, { labels: other.labels, spec: other.spec, status: other.status }) : o;
          });
          await store.transaction(async (tx) => {
            for (const object of current.filter((o) => o.resourceVersion === 2)) await tx.updateObject(object);
          });
          for (const raw of queries) {
            const query = toQuery(raw);
            expect(names(await listAll(store, query))).toEqual(names(expected(current, query)));
          }
        }),
        { numRuns: 40 },
      );
    });

    it('order bytewise by namespace, then name', async () => {
      const pairs = [
        ['a', 'z'],
        ['a-b', 'a'],
        ['a', 'B'],
        ['a', 'a'],
        ['b', '0'],
        ['a', '_'],
      ] as const;
      await seed(
        subject.store,
        pairs.map(([namespace, name]) => makeObject({ namespace, name })),
      );
      const page = await subject.store.listObjects({ kind: 'Task', limit: 10 });
      expect(names(page)).toEqual(['a/B', 'a/_', 'a/a', 'a/z', 'a-b/a', 'b/0']);
    });

    it('continue after a cursor whose object was deleted meanwhile, in every order', async () => {
      const { store } = subject;
      await seed(
        store,
        ['a', 'b', 'c'].map((name, i) => makeObject({ name, createdAt: at(i) })),
      );
      await store.transaction((tx) => tx.deleteObject({ kind: 'Task', namespace: 'default', name: 'b' }, at(9)));
      const after = { namespace: 'default', name: 'b' };
      const lists = await Promise.all(ORDERS.map((order) => store.listObjects({ kind: 'Task', order, after, limit: 10 })));
      expect(lists.map(names)).toEqual([['default/c'], ['default/a'], ['default/c'], ['default/a']]);
    });

    it('refuse a createdAt cursor without a time whose object never existed', async () => {
      const list = subject.store.listObjects({
        kind: 'Task',
        order: 'createdAt',
        after: { namespace: 'default', name: 'ghost' },
        limit: 1,
      });
      await expect(list).rejects.toMatchObject({ code: 'gone' });
    });

    it('accept a cursor of another namespace than the one listed', async () => {
      const { store } = subject;
      await seed(
        store,
        ['a', 'b', 'c'].flatMap((namespace) => ['x', 'y'].map((name) => makeObject({ namespace, name }))),
      );
      const list = (namespace: string, order: KeyOrder) =>
        store.listObjects({ kind: 'Task', namespace, order, after: { namespace: 'b', name: 'x', createdAt: at(0) }, limit: 10 });
      expect(names(await list('a', 'name'))).toEqual([]);
      expect(names(await list('b', 'name'))).toEqual(['b/y']);
      expect(names(await list('c', 'name'))).toEqual(['c/x', 'c/y']);
      expect(names(await list('a', '-createdAt'))).toEqual(['a/y', 'a/x']);
      expect(names(await list('c', '-createdAt'))).toEqual([]);
    });

    it('fill a page even when nearly everything is filtered out', async () => {
      const objects = Array.from({ length: 1_500 }, (_, i) =>
        makeObject({ name: `t-${String(i).padStart(5, '0')}`, labels: i % 500 === 499 ? { rare: 'yes' } : { common: 'yes' } }),
      );
      await seed(subject.store, objects);
      const page = await subject.store.listObjects({ kind: 'Task', limit: 2, labels: [{ op: 'missing', key: 'common' }] });
      expect(names(page)).toEqual(['default/t-00499', 'default/t-00999']);
    });

    it('find a part of the name in any case, beside other filters', async () => {
      const { store } = subject;
      await seed(store, [
        makeObject({ name: 'invoice-cleanup', labels: { team: 'a' } }),
        makeObject({ name: 'Cleanup' }),
        makeObject({ name: 'clean_up', labels: { team: 'a' } }),
        makeObject({ namespace: 'other', name: 'my.cleanup.2', labels: { team: 'a' } }),
        makeObject({ kind: 'Agent', name: 'cleanup' }),
      ]);
      const find = async (query: Partial<PageQuery>) => names((await store.listPage({ kind: 'Task', limit: 10, ...query }, 1e6)).objects);
      expect(await find({ namePart: 'CLEANUP' })).toEqual(['default/Cleanup', 'default/invoice-cleanup', 'other/my.cleanup.2']);
      expect(await find({ namePart: 'leanup', namespace: 'default', order: '-name' })).toEqual([
        'default/invoice-cleanup',
        'default/Cleanup',
      ]);
      expect(await find({ namePart: 'clean', labels: [{ op: 'eq', key: 'team', value: 'a' }] })).toEqual([
        'default/clean_up',
        'default/invoice-cleanup',
        'other/my.cleanup.2',
      ]);
      // Characters that a pattern would take for a wildcard.
      for (const namePart of ['%', 'clean?up', 'e-_']) expect(await find({ namePart })).toEqual([]);
    });

    it('look through a bounded number of names for one page, and continue after it', async () => {
      const { store } = subject;
      const name = (i: number) => `t-${String(i).padStart(5, '0')}`;
      const objects = Array.from({ length: NAMES_PER_PAGE + 300 }, (_, i) => makeObject({ name: name(i), createdAt: at(i) }));
      // In portions: a transaction has five seconds, even on a busy machine.
      for (let from = 0; from < objects.length; from += 500) await seed(store, objects.slice(from, from + 500));
      const last = name(NAMES_PER_PAGE + 299);
      for (const order of ['name', 'createdAt'] as const) {
        const query = { kind: 'Task', limit: 10, namePart: last, order };
        const first = await store.listPage(query, 1e6);
        expect(first).toMatchObject({ objects: [], full: false, examined: NAMES_PER_PAGE });
        expect(first.reached?.name).toBe(name(NAMES_PER_PAGE - 1));
        const second = await store.listPage({ ...query, ...(first.reached && { after: first.reached }) }, 1e6);
        expect(names(second.objects)).toEqual([`default/${last}`]);
        expect(second).toMatchObject({ examined: 300 });
        expect(second.reached).toBeUndefined();
      }
    });

    it('refuse a field that has no index', async () => {
      const list = subject.store.listObjects({ kind: 'Task', limit: 1, fields: [{ path: 'spec.input', op: 'eq', value: 'x' }] });
      await expect(list).rejects.toMatchObject({ code: 'invalid' });
    });

    it('see the writes of their own transaction, and nothing of an uncommitted one from outside', async () => {
      const { store } = subject;
      await store.transaction(async (tx) => {
        await tx.insertObject(makeObject());
        expect(await tx.listObjects({ kind: 'Task', limit: 10 })).toHaveLength(1);
        expect(await store.listObjects({ kind: 'Task', limit: 10 })).toHaveLength(0);
      });
      expect(await store.listObjects({ kind: 'Task', limit: 10 })).toHaveLength(1);
    });
  });
}
