// Store conformance: searches by words, against a brute-force oracle, and the index that follows the texts.
import { searchWords, wordsOf } from '@svc/shared/search-text';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchQuery, Store, StoredObject } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, makeObject, nextVersion, seed, suiteIndex } from './fixture.ts';

const BYTES = 1_000_000;
const BATCH = { objects: 50, bytes: BYTES };

const task = (name: string, text: string, rest: Partial<StoredObject> = {}): StoredObject =>
  makeObject({ name, spec: { system: 'pipeline', text }, ...rest });

async function indexAll(store: Store, batch = BATCH): Promise<void> {
  while (await store.transaction((tx) => tx.indexTexts(batch)));
}

type Wanted = Partial<Omit<SearchQuery, 'words'>>;

/** Names of all pages. */
async function searchAll(store: Store, text: string, wanted: Wanted = {}): Promise<string[]> {
  const found: string[] = [];
  let before: number | undefined;
  do {
    const query = { kind: 'Task', limit: 100, ...wanted, words: searchWords(text), ...(before !== undefined && { before }) };
    const page = await store.searchPage(query, BYTES);
    found.push(...page.objects.map(({ namespace, name }) => `${namespace}/${name}`));
    before = page.continue;
  } while (before !== undefined);
  return found;
}

function isMatch({ spec }: StoredObject, text: string): boolean {
  const words = wordsOf(spec['text'] as string);
  return searchWords(text).every((wanted) => words.some((word) => (wanted.begins ? word.startsWith(wanted.text) : word === wanted.text)));
}

const word = fc.constantFrom(
  'invoice',
  'invoices',
  'paid',
  'Paid',
  'péage',
  'peage',
  '10',
  'AND',
  'OR',
  'NEAR',
  'x',
  'xy',
  '請求',
  '求書',
  '請求書',
);
const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
const stored = fc.record({
  namespace: fc.constantFrom('a', 'a-b', 'b'),
  tier: fc.constantFrom('gold', 'tin'),
  phase: fc.constantFrom('Pending', 'Running'),
  text,
});
const fate = fc.constantFrom('stays', 'is deleted', 'gets another text', 'gets another phase');
const search = fc.record({
  text: fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(' ')),
  namespace: fc.constantFrom('a', 'a-b', 'none', undefined),
  filtered: fc.boolean(),
  limit: fc.integer({ min: 1, max: 7 }),
});

async function clear(store: Store): Promise<void> {
  await store.transaction(async (tx) => {
    for (const object of await tx.listObjects({ kind: 'Task', limit: 1000 })) await tx.deleteObject(object, at(9));
  });
}

const FILTER = {
  labels: [{ op: 'eq', key: 'tier', value: 'gold' }],
  fields: [{ path: 'status.phase', op: 'eq', value: 'Running' }],
} as const;

/** Texts, spread over more than one block of the index. */
const MANY = 4_500;

export function searchConformance(subject: Subject): void {
  describe('searches by words', () => {
    it('agree with a brute-force selection, newest first, also after updates', async () => {
      const { store } = subject;
      const change = async (object: StoredObject, what: string, other: string): Promise<StoredObject | undefined> => {
        if (what === 'stays') return object;
        if (what === 'is deleted') {
          await store.transaction((tx) => tx.deleteObject(object, at(2)));
          return undefined;
        }
        const next =
          what === 'gets another text'
            ? nextVersion(object, { spec: { ...object.spec, text: other } })
            : nextVersion(object, { status: { phase: 'Running' } });
        await store.transaction((tx) => tx.updateObject(next));
        return next;
      };
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ object: stored, fate, other: text }), { maxLength: 15 }),
          fc.array(search, { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 1, max: 5 }),
          async (set, searches, objects) => {
            await clear(store);
            const made = set.map(({ object: { namespace, tier, phase, text: own } }, i) =>
              task(`t${i}`, own, { namespace, labels: { tier }, status: { phase } }),
            );
            await seed(store, made);
            await indexAll(store, { objects, bytes: BYTES });
            const current: StoredObject[] = [];
            for (const [i, { fate: what, other }] of set.entries()) {
              const next = await change(made[i]!, what, other);
              if (next) current.unshift(next);
            }
            await indexAll(store, { objects, bytes: 1 });
            for (const { text: wanted, namespace, filtered, limit } of searches) {
              const expected = current
                .filter((o) => isMatch(o, wanted) && (namespace === undefined || o.namespace === namespace))
                .filter((o) => !filtered || (o.labels['tier'] === 'gold' && o.status['phase'] === 'Running'))
                .map((o) => `${o.namespace}/${o.name}`);
              const query = { limit, ...(namespace !== undefined && { namespace }), ...(filtered && FILTER) };
              expect(await searchAll(store, wanted, query)).toEqual(expected);
            }
          },
        ),
        { numRuns: 60 },
      );
    });

    it('find a text once it is indexed, and a deleted object no more', async () => {
      const { store } = subject;
      await seed(store, [task('a', 'alpha')]);
      expect([await store.hasPendingTexts(), await searchAll(store, 'alpha')]).toEqual([true, []]);
      await indexAll(store);
      expect([await store.hasPendingTexts(), await searchAll(store, 'alpha')]).toEqual([false, ['default/a']]);
      await store.transaction((tx) => tx.deleteObject(task('a', 'alpha'), at(1)));
      expect([await store.hasPendingTexts(), await searchAll(store, 'alpha')]).toEqual([false, []]);
      await seed(store, [task('b', 'beta')]);
      await store.transaction((tx) => tx.deleteObject(task('b', 'beta'), at(1)));
      expect(await store.hasPendingTexts()).toBe(false);
    });

    it('do not index again for a write that changes no text', async () => {
      const { store } = subject;
      await seed(store, [task('a', 'alpha')]);
      await indexAll(store);
      await store.transaction((tx) => tx.updateObject(nextVersion(task('a', 'alpha'), { status: { phase: 'Running' } })));
      expect(await store.hasPendingTexts()).toBe(false);
    });

    it('leave no trace of a write that was rolled back', async () => {
      const { store } = subject;
      const write = store.transaction(async (tx) => {
        await tx.insertObject(task('a', 'alpha'));
        await tx.indexTexts(BATCH);
        throw new Error('undone');
      });
      await expect(write).rejects.toThrow('undone');
      expect([await store.hasPendingTexts(), await searchAll(store, 'alpha')]).toEqual([false, []]);
    });

    it('take operators and quotes of query languages as text', async () => {
      const { store } = subject;
      await seed(store, [task('a', 'alpha beta'), task('b', 'near and or not')]);
      await indexAll(store);
      for (const hostile of [
        '"',
        '*',
        '(alpha',
        'alpha"',
        "alpha' & beta",
        'alpha* beta',
        '{alpha} : beta',
        '^alpha +beta -x:',
        'al\u0000pha',
        '\ud800',
      ])
        await expect(searchAll(store, hostile === '*' ? 'x*' : hostile.replace(/^["\ud800]$/, 'y'))).resolves.toBeInstanceOf(Array);
      expect(await searchAll(store, 'alpha AND beta')).toEqual([]);
      expect(await searchAll(store, 'NOT near')).toEqual(['default/b']);
      expect(await searchAll(store, "alpha' | 'beta")).toEqual(['default/a']);
      expect(await searchAll(store, 'alpha:* !beta')).toEqual(['default/a']);
    });

    it('never find an object of another namespace or kind', async () => {
      const { store } = subject;
      await seed(store, [
        task('a', 'alpha', { namespace: 'team' }),
        task('b', 'alpha team', { namespace: 'team-b' }),
        task('c', 'alpha', { namespace: 'team', kind: 'Agent' }),
      ]);
      await indexAll(store);
      expect(await searchAll(store, 'alpha', { namespace: 'team' })).toEqual(['team/a']);
      expect(await searchAll(store, 'alpha')).toEqual(['team-b/b', 'team/a']);
      expect(await searchAll(store, 'task')).toEqual([]);
    });

    it('page steadily while objects come and go', async () => {
      const { store } = subject;
      await seed(
        store,
        Array.from({ length: 5 }, (_, i) => task(`t${i}`, 'alpha')),
      );
      await indexAll(store);
      const query = { kind: 'Task', limit: 2, words: searchWords('alpha') };
      const first = await store.searchPage(query, BYTES);
      await seed(store, [task('newer', 'alpha')]);
      await store.transaction((tx) => tx.deleteObject(task('t3', 'alpha'), at(1)));
      await indexAll(store);
      const second = await store.searchPage({ ...query, before: first.continue! }, BYTES);
      expect([...first.objects, ...second.objects].map(({ name }) => name)).toEqual(['t4', 't3', 't2', 't1']);
    });

    it('end a page before it passes its size, and hold one object at least', async () => {
      const { store } = subject;
      await seed(
        store,
        Array.from({ length: 4 }, (_, i) => task(`t${i}`, 'alpha', { annotations: { note: 'x'.repeat(1_000) } })),
      );
      await indexAll(store);
      const query = { kind: 'Task', limit: 10, words: searchWords('alpha') };
      const page = await store.searchPage(query, 10);
      expect({ names: page.objects.map(({ name }) => name), more: page.continue !== undefined }).toEqual({ names: ['t3'], more: true });
      const larger = await store.searchPage({ ...query, before: page.continue! }, 2_800);
      expect(larger.objects.map(({ name }) => name)).toEqual(['t2', 't1']);
    });

    it('find few among many, and many page by page', async () => {
      const { store } = subject;
      const texts = Array.from({ length: MANY }, (_, i) => `common w${i} ${i === 7 ? 'rare' : ''}`);
      await seed(
        store,
        texts.map((own, i) => task(`t${i}`, own, { labels: { tier: i % 900 ? 'tin' : 'gold' } })),
      );
      await indexAll(store, { objects: 200, bytes: BYTES });
      expect(await searchAll(store, 'rare common')).toEqual(['default/t7']);
      expect(await searchAll(store, 'absent common')).toEqual([]);
      expect(await searchAll(store, 'common', { labels: FILTER.labels, limit: 2 })).toEqual(
        [3600, 2700, 1800, 900, 0].map((i) => `default/t${i}`),
      );
      expect((await searchAll(store, 'comm', { limit: 1000 })).length).toBe(MANY);
    });

    it('have texts of an older version once those are indexed', async () => {
      const old = await subject.reopen({});
      await seed(old, [task('a', 'alpha')]);
      const store = await subject.reopen(suiteIndex);
      expect(await store.hasPendingTexts()).toBe(false);
      await store.transaction((tx) => tx.reindexObjects('Task', undefined, 100));
      expect(await store.hasPendingTexts()).toBe(true);
      await indexAll(store);
      expect(await searchAll(store, 'alpha')).toEqual(['default/a']);
    });
  });
}
