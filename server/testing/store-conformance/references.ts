// Store conformance: the index of references, and bringing what was written before into it.
import { describe, expect, it } from 'vitest';
import type { ListCursor } from '../../store/list-order.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, makeObject, nextVersion, seed, suiteIndex } from './fixture.ts';

const KEY = { kind: 'Secret', namespace: 'team-a', name: 'key' };

function tool(name: string, secrets: readonly string[], namespace = 'team-a'): StoredObject {
  return makeObject({ kind: 'Tool', namespace, name, spec: { secrets } });
}

async function referring(store: Store, query: { namespace?: string; kind?: string } = {}): Promise<string[]> {
  const found = await store.listObjects({ kind: 'Tool', references: KEY, limit: 100, ...query });
  return found.map(({ namespace, name }) => `${namespace}/${name}`);
}

async function reindexAll(store: Store, kind: string, limit: number): Promise<number> {
  let after: ListCursor | undefined;
  for (let steps = 1; ; steps += 1) {
    const from = after;
    after = await store.transaction((tx) => tx.reindexObjects(kind, from, limit));
    if (!after) return steps;
  }
}

export function referenceConformance(subject: Subject): void {
  describe('references', () => {
    it('are a way to find objects, page by page, each object once', async () => {
      await seed(subject.store, [
        tool('both', ['other', 'key', 'key']),
        tool('one', ['key']),
        tool('none', ['other']),
        tool('elsewhere', ['key'], 'team-b'),
        makeObject({ kind: 'Agent', namespace: 'team-a', spec: { secrets: ['key'] } }),
      ]);
      const { store } = subject;
      expect(await referring(store)).toEqual(['team-a/both', 'team-a/one']);
      expect(await referring(store, { namespace: 'team-b' })).toEqual([]);
      expect(await referring(store, { kind: 'Agent' })).toEqual(['team-a/alpha']);
      const [first] = await store.listObjects({ kind: 'Tool', references: KEY, limit: 1 });
      const next = await store.listObjects({ kind: 'Tool', references: KEY, limit: 1, after: first! });
      expect([first?.name, next[0]?.name]).toEqual(['both', 'one']);
      expect(await store.countObjects({ kind: 'Tool', references: KEY, max: 10 })).toEqual({ count: 2, more: false });
      const labels = [{ op: 'exists', key: 'absent' }] as const;
      expect(await store.listObjects({ kind: 'Tool', references: KEY, labels, limit: 10 })).toEqual([]);
    });

    it('follow every update, and go with the object', async () => {
      const { store } = subject;
      const first = tool('one', ['key']);
      await seed(store, [first]);
      // A status write, by somebody who has not read the object in its transaction.
      const second = nextVersion(first, { status: { phase: 'Ready' } });
      await store.transaction((tx) => tx.updateObject(second));
      expect(await referring(store)).toEqual(['team-a/one']);
      const third = nextVersion(second, { spec: { secrets: ['other'] } });
      await store.transaction((tx) => tx.updateObject(third));
      expect(await referring(store)).toEqual([]);
      await store.transaction((tx) => tx.updateObject(nextVersion(third, { spec: { secrets: ['key', 'other'] } })));
      expect(await referring(store)).toEqual(['team-a/one']);
      await store.transaction((tx) => tx.deleteObject(first, at(3)));
      expect(await referring(store)).toEqual([]);
      await seed(store, [first]);
      expect(await referring(store)).toEqual(['team-a/one']);
    });

    it('are found for older objects once those are indexed, without another change of the objects', async () => {
      const old = await subject.reopen({});
      await seed(
        old,
        Array.from({ length: 7 }, (_, i) => tool(`t-${i}`, i % 2 ? ['key'] : ['other'])),
      );
      const store = await subject.reopen(suiteIndex);
      expect(await referring(store)).toEqual([]);
      const before = await store.listObjects({ kind: 'Tool', limit: 100 });
      const { head } = await store.changeBounds();
      expect(await reindexAll(store, 'Tool', 3)).toBe(3);
      expect(await referring(store)).toEqual(['team-a/t-1', 'team-a/t-3', 'team-a/t-5']);
      expect(await reindexAll(store, 'Tool', 100)).toBe(1);
      expect(await reindexAll(store, 'Nothing', 100)).toBe(1);
      expect(await store.listObjects({ kind: 'Tool', limit: 100 })).toEqual(before);
      expect(await store.changeBounds()).toMatchObject({ head });
    });

    it('come with the next write of an object that was written without them', async () => {
      const old = await subject.reopen({});
      const first = tool('one', ['key']);
      await seed(old, [first, tool('two', ['key'])]);
      const store = await subject.reopen(suiteIndex);
      await store.transaction(async (tx) => {
        const read = await tx.getObjectForUpdate(first);
        await tx.updateObject(nextVersion(read!));
      });
      expect(await referring(store)).toEqual(['team-a/one']);
      await store.transaction((tx) => tx.deleteObject(tool('two', []), at(2)));
      expect(await referring(store)).toEqual(['team-a/one']);
    });

    it('left behind by a server without this index block no write', async () => {
      const first = tool('one', ['key']);
      await seed(subject.store, [first]);
      // Entries are unknown to it, so it neither keeps nor removes them.
      const old = await subject.reopen({});
      const second = nextVersion(first);
      await old.transaction((tx) => tx.updateObject(second));
      const store = await subject.reopen(suiteIndex);
      await store.transaction((tx) => tx.updateObject(nextVersion(second)));
      expect(await referring(store)).toEqual(['team-a/one']);
    });
  });
}
