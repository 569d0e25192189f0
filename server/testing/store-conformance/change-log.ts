// Store conformance: the change log.
import { describe, expect, it } from 'vitest';
import type { ChangeQuery, Fact, Store } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, makeObject, nextVersion, seed } from './fixture.ts';

const key = { kind: 'Task', namespace: 'default', name: 'alpha' };
const fact: Fact = {
  type: 'task.claimed',
  source: 'worker',
  action: 'claim',
  message: 'claimed by worker-1',
  data: { worker: 'worker-1' },
};

/** A pseudo-random order of failing and succeeding writers, the same in every run. */
function throwsAt(i: number): boolean {
  return (i * 7919) % 3 === 0;
}

const WAVES = 4;
const WAVE_WRITERS = 100;

/** Writers that run together; returns the names of those that were acknowledged. */
async function writeWave(store: Store, wave: number): Promise<string[]> {
  const names = await Promise.all(
    Array.from({ length: WAVE_WRITERS }, async (_, place) => {
      const i = wave * WAVE_WRITERS + place;
      const name = `t-${i}`;
      const write = store.transaction(async (tx) => {
        await tx.insertObject(makeObject({ name }));
        await tx.appendFact({ ...key, name }, at(1), fact);
        if (throwsAt(i)) throw new Error('changed its mind');
      });
      return write.then(
        () => [name],
        () => [],
      );
    }),
  );
  return names.flat();
}

export function changeLogConformance(subject: Subject): void {
  describe('change log', () => {
    it('records each write with the state after it, and a deletion with the last state', async () => {
      const { store } = subject;
      const first = makeObject();
      const second = nextVersion(first, { status: { phase: 'Running' } });
      await store.transaction((tx) => tx.insertObject(first));
      await store.transaction((tx) => tx.updateObject(second));
      await store.transaction((tx) => tx.appendFact(key, at(2), fact));
      await store.transaction((tx) => tx.deleteObject(key, at(3)));
      expect(await store.readChanges({ after: 0, limit: 10 })).toEqual([
        { ...key, seq: 1, type: 'created', timestamp: at(0), resourceVersion: 1, object: first },
        { ...key, seq: 2, type: 'updated', timestamp: at(1), resourceVersion: 2, object: second },
        { ...key, seq: 3, type: 'fact', timestamp: at(2), resourceVersion: 0, fact },
        { ...key, seq: 4, type: 'deleted', timestamp: at(3), resourceVersion: 2, object: second },
      ]);
    });

    it('has no gaps and is in commit order under hundreds of concurrent transactions, some of which throw', async () => {
      const { store } = subject;
      const acknowledged: string[][] = [];
      for (let wave = 0; wave < WAVES; wave += 1) acknowledged.push(await writeWave(store, wave));
      const changes = await store.readChanges({ after: 0, limit: 10_000 });
      expect(changes.map((c) => c.seq)).toEqual(changes.map((_, i) => i + 1));
      // Names acknowledged before another write began come before it.
      const created = changes.filter((c) => c.type === 'created').map((c) => c.name);
      for (const names of acknowledged) expect(created.splice(0, names.length).sort()).toEqual(names.sort());
      expect(created).toEqual([]);
      expect(acknowledged.flat()).toHaveLength(
        WAVES * WAVE_WRITERS - Array.from({ length: WAVES * WAVE_WRITERS }, (_, i) => i).filter(throwsAt).length,
      );
    });

    it('never shows a reader a change before an earlier one', async () => {
      const { store } = subject;
      const seen: number[] = [];
      const writes = Array.from({ length: 100 }, (_, i) => store.transaction((tx) => tx.insertObject(makeObject({ name: `t-${i}` }))));
      while (seen.length < 100) {
        for (const change of await store.readChanges({ after: seen.at(-1) ?? 0, limit: 7 })) seen.push(change.seq);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await Promise.all(writes);
      expect(seen).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    });

    it('is read in pages, forwards and backwards, with any filter', async () => {
      const { store } = subject;
      const kinds = ['Task', 'Agent'];
      const namespaces = ['a', 'b'];
      const objects = Array.from({ length: 24 }, (_, i) =>
        makeObject({ kind: kinds[i % 2] ?? '', namespace: namespaces[Math.floor(i / 2) % 2] ?? '', name: `n-${Math.floor(i / 4)}` }),
      );
      await seed(store, objects);
      const all = await store.readChanges({ after: 0, limit: 100 });
      const filters = [
        {},
        { kind: 'Task' },
        { namespace: 'b' },
        { name: 'n-1' },
        { kind: 'Agent', namespace: 'a' },
        { kind: 'Task', namespace: 'a', name: 'n-2' },
      ];
      for (const filter of filters) {
        const wanted = all.filter((c) => Object.entries(filter).every(([k, v]) => c[k as 'kind'] === v));
        const after = wanted[0]?.seq ?? 0;
        expect(await store.readChanges({ ...filter, after, limit: 2 })).toEqual(wanted.slice(1, 3));
        expect(await store.readChanges({ ...filter, after: 0, limit: 3, descending: true })).toEqual([...wanted].reverse().slice(0, 3));
        const before = wanted.at(-1)?.seq ?? 0;
        expect(await store.readChanges({ ...filter, after: before, limit: 100, descending: true })).toEqual(wanted.slice(0, -1).reverse());
      }
    });

    it('is read in stretches that end before they pass their size, and hold one change at least', async () => {
      const { store } = subject;
      const key = { kind: 'Task', namespace: 'default', name: 'n-0' };
      for (const [index, length] of [10, 4_000, 10, 10, 4_000].entries()) {
        await seed(store, [makeObject({ name: `n-${index}`, spec: { text: 'x'.repeat(length) } })]);
        await store.transaction((tx) => tx.appendFact(key, at(2), { type: 't', source: 's', action: 'a', message: 'm' }));
      }
      const read = async (query: Partial<ChangeQuery>, bytesMax: number) => {
        const { changes, full } = await store.readChangePage({ after: 0, limit: 100, ...query }, bytesMax);
        return { seqs: changes.map(({ seq }) => seq), full };
      };
      expect(await read({}, 2_000)).toEqual({ seqs: [1, 2], full: true });
      expect(await read({ after: 2 }, 2_000)).toEqual({ seqs: [3], full: true });
      expect(await read({ after: 4 }, 2_000)).toEqual({ seqs: [5, 6, 7, 8], full: true });
      expect(await read({ after: 4, limit: 3 }, 2_000)).toEqual({ seqs: [5, 6, 7], full: false });
      expect(await read({ after: 8 }, 2_000)).toEqual({ seqs: [9], full: true });
      expect(await read({ descending: true }, 2_000)).toEqual({ seqs: [10], full: true });
      expect(await read({ name: 'n-1' }, 1)).toEqual({ seqs: [3], full: false });
      expect(await read({}, 1_000_000)).toEqual({ seqs: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], full: false });
    });

    it('reports its bounds: empty, filled, pruned and wholly pruned', async () => {
      const { store } = subject;
      expect(await store.changeBounds()).toEqual({ head: 0, oldest: 1 });
      await seed(
        store,
        Array.from({ length: 10 }, (_, i) => makeObject({ name: `t-${i}` })),
      );
      expect(await store.changeBounds()).toEqual({ head: 10, oldest: 1 });
      expect(await store.pruneChanges({ keepNewest: 4 })).toBe(6);
      expect(await store.changeBounds()).toEqual({ head: 10, oldest: 7 });
      expect((await store.readChanges({ after: 0, limit: 100 })).map((c) => c.seq)).toEqual([7, 8, 9, 10]);
      expect(await store.pruneChanges({ keepNewest: 4 })).toBe(0);
      expect(await store.pruneChanges({ keepNewest: 0 })).toBe(4);
      expect(await store.changeBounds()).toEqual({ head: 10, oldest: 11 });
    });

    it('keeps counting after everything was pruned and the store restarted', async () => {
      await seed(subject.store, [makeObject()]);
      await subject.store.pruneChanges({ keepNewest: 0 });
      const store = await subject.reopen();
      await seed(store, [makeObject({ name: 'beta' })]);
      expect((await store.readChanges({ after: 0, limit: 10 })).map((c) => c.seq)).toEqual([2]);
    });

    it('prunes more than one step at a time, and leaves the objects alone', async () => {
      const { store } = subject;
      await seed(
        store,
        Array.from({ length: 3_500 }, (_, i) => makeObject({ name: `t-${i}` })),
      );
      expect(await store.pruneChanges({ keepNewest: 100 })).toBe(3_400);
      expect(await store.changeBounds()).toEqual({ head: 3_500, oldest: 3_401 });
      expect(await store.listObjects({ kind: 'Task', limit: 5_000 })).toHaveLength(3_500);
    });
  });
}
