// Store conformance: single objects.
import { describe, expect, it } from 'vitest';
import type { Subject } from './fixture.ts';
import { at, makeObject, nextVersion, seed } from './fixture.ts';

const key = { kind: 'Task', namespace: 'default', name: 'alpha' };

export function objectConformance(subject: Subject): void {
  describe('objects', () => {
    it('returns an inserted object as it was given', async () => {
      const object = makeObject({
        labels: { 'app.kubernetes.io/name': 'x', 'odd \' " key': 'ünïcode 🚀' },
        annotations: { note: 'line\nbreak' },
        spec: { system: 's', nested: { list: [1, 2.5, null, true, { deep: 'yes' }] }, constructor: 'own' },
      });
      await seed(subject.store, [object]);
      expect(await subject.store.getObject(key)).toEqual(object);
    });

    it('returns undefined for an absent object', async () => {
      expect(await subject.store.getObject(key)).toBeUndefined();
    });

    it('keeps objects apart by kind, namespace and name', async () => {
      await seed(subject.store, [
        makeObject(),
        makeObject({ kind: 'Agent' }),
        makeObject({ namespace: 'other' }),
        makeObject({ name: 'beta' }),
      ]);
      expect((await subject.store.getObject({ ...key, namespace: 'other' }))?.namespace).toBe('other');
      expect((await subject.store.getObject({ ...key, kind: 'Agent' }))?.kind).toBe('Agent');
      expect(await subject.store.getObject({ ...key, name: 'ALPHA' })).toBeUndefined();
    });

    it('refuses a second insert of the same key with conflict and keeps the first', async () => {
      await seed(subject.store, [makeObject()]);
      const second = subject.store.transaction((tx) => tx.insertObject(makeObject({ uid: 'other', labels: { a: 'b' } })));
      await expect(second).rejects.toMatchObject({ code: 'conflict' });
      expect((await subject.store.getObject(key))?.uid).toBe('uid-default-alpha');
      expect(await subject.store.listObjects({ kind: 'Task', limit: 10, labels: [{ op: 'exists', key: 'a' }] })).toEqual([]);
    });

    it('keeps a transaction usable after a conflict it has handled', async () => {
      await seed(subject.store, [makeObject()]);
      await subject.store.transaction(async (tx) => {
        await tx.insertObject(makeObject()).catch(() => tx.updateObject(nextVersion(makeObject(), { status: { phase: 'Running' } })));
      });
      expect((await subject.store.getObject(key))?.status).toEqual({ phase: 'Running' });
      expect((await subject.store.changeBounds()).head).toBe(2);
    });

    it('replaces the whole object on update', async () => {
      await seed(subject.store, [makeObject({ labels: { a: '1', b: '2' } })]);
      const updated = nextVersion(makeObject(), { labels: { b: '3' }, status: { phase: 'Running', extra: 1 } });
      await subject.store.transaction((tx) => tx.updateObject(updated));
      expect(await subject.store.getObject(key)).toEqual(updated);
    });

    it.each([
      ['the stored state', makeObject({ labels: { a: '1' } })],
      ['a state with other index terms', makeObject({ labels: { c: '4' }, status: { phase: 'Failed' } })],
    ])('updates the index when the caller takes %s to be stored', async (_what, previous) => {
      await seed(subject.store, [makeObject({ labels: { a: '1' } })]);
      const updated = nextVersion(makeObject(), { labels: { b: '3' } });
      await subject.store.transaction((tx) => tx.updateObject(updated, previous));
      const found = (label: string) => subject.store.listObjects({ kind: 'Task', limit: 2, labels: [{ op: 'exists', key: label }] });
      expect([await found('a'), await found('b'), await found('c')]).toEqual([[], [updated], []]);
    });

    it('rewrites an object at its version without a change', async () => {
      const object = makeObject({ labels: { a: '1' } });
      await seed(subject.store, [object]);
      const page = async () => (await subject.store.listPage({ kind: 'Task', limit: 2 }, Number.MAX_SAFE_INTEGER)).objects;
      expect(await page()).toEqual([object]);
      const { head } = await subject.store.changeBounds();
      const rewritten = { ...object, spec: { ...object.spec, value: 'another form' } };
      await subject.store.transaction(async (tx) => {
        await tx.rewriteObject(rewritten);
        expect(await tx.getObject(key)).toEqual(rewritten);
      });
      expect(await subject.store.getObject(key)).toEqual(rewritten);
      expect(await page()).toEqual([rewritten]);
      expect(await subject.store.listObjects({ kind: 'Task', limit: 2, labels: [{ op: 'exists', key: 'a' }] })).toEqual([rewritten]);
      expect((await subject.store.changeBounds()).head).toBe(head);
    });

    it('refuses to rewrite an object that is gone, was replaced or has another version', async () => {
      const object = makeObject();
      await seed(subject.store, [object]);
      for (const other of [
        { ...object, name: 'gone' },
        { ...object, uid: 'other' },
        { ...object, resourceVersion: 2 },
      ])
        await expect(subject.store.transaction((tx) => tx.rewriteObject(other))).rejects.toMatchObject({ code: 'conflict' });
      expect(await subject.store.getObject(key)).toEqual(object);
    });

    it('refuses an update from another version than the stored one', async () => {
      const object = makeObject();
      await seed(subject.store, [object]);
      await subject.store.transaction((tx) => tx.updateObject(nextVersion(object)));
      for (const resourceVersion of [1, 2, 4]) {
        const stale = subject.store.transaction((tx) => tx.updateObject({ ...object, resourceVersion }));
        await expect(stale).rejects.toMatchObject({ code: 'conflict' });
      }
      expect((await subject.store.getObject(key))?.resourceVersion).toBe(2);
    });

    it('refuses an update of an absent object with not_found', async () => {
      const update = subject.store.transaction((tx) => tx.updateObject(nextVersion(makeObject())));
      await expect(update).rejects.toMatchObject({ code: 'not_found' });
    });

    it('refuses an update meant for a deleted namesake', async () => {
      const first = makeObject({ uid: 'first' });
      await seed(subject.store, [first]);
      await subject.store.transaction(async (tx) => {
        await tx.deleteObject(key, at(1));
        await tx.insertObject(makeObject({ uid: 'second' }));
      });
      const update = subject.store.transaction((tx) => tx.updateObject(nextVersion(first)));
      await expect(update).rejects.toMatchObject({ code: 'conflict' });
    });

    it('lets exactly one of many concurrent updates from the same version win', async () => {
      await seed(subject.store, [makeObject()]);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, i) =>
          subject.store.transaction((tx) => tx.updateObject(nextVersion(makeObject(), { annotations: { writer: `${i}` } }))),
        ),
      );
      expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(1);
      expect((await subject.store.changeBounds()).head).toBe(2);
    });

    it('deletes an object and returns its last state', async () => {
      const object = makeObject({ labels: { a: 'b' } });
      await seed(subject.store, [object]);
      expect(await subject.store.transaction((tx) => tx.deleteObject(key, at(5)))).toEqual(object);
      expect(await subject.store.getObject(key)).toBeUndefined();
      expect(await subject.store.listObjects({ kind: 'Task', limit: 10, labels: [{ op: 'eq', key: 'a', value: 'b' }] })).toEqual([]);
    });

    it('answers the deletion of an absent object with undefined and logs nothing', async () => {
      expect(await subject.store.transaction((tx) => tx.deleteObject(key, at(5)))).toBeUndefined();
      expect((await subject.store.changeBounds()).head).toBe(0);
    });

    it('deletes only the expected version when one is given', async () => {
      await seed(subject.store, [makeObject()]);
      const stale = subject.store.transaction((tx) => tx.deleteObject(key, at(5), { expectedVersion: 2 }));
      await expect(stale).rejects.toMatchObject({ code: 'conflict' });
      expect(await subject.store.transaction((tx) => tx.deleteObject(key, at(5), { expectedVersion: 1 }))).toBeDefined();
    });

    it('lists the namespaces that hold an object, ordered', async () => {
      expect(await subject.store.listNamespaces()).toEqual([]);
      await seed(subject.store, [
        makeObject({ namespace: 'b' }),
        makeObject({ namespace: 'a', kind: 'Tool' }),
        makeObject({ namespace: 'a', kind: 'Agent' }),
        makeObject({ namespace: 'c', kind: 'Agent' }),
      ]);
      expect(await subject.store.listNamespaces()).toEqual(['a', 'b', 'c']);
      await subject.store.transaction((tx) => tx.deleteObject({ ...key, namespace: 'b' }, at(1)));
      expect(await subject.store.listNamespaces()).toEqual(['a', 'c']);
    });

    it('keeps everything across a restart', async () => {
      const object = makeObject();
      await seed(subject.store, [object]);
      const store = await subject.reopen();
      expect(await store.getObject(key)).toEqual(object);
      await store.transaction((tx) => tx.updateObject(nextVersion(object)));
      expect((await store.readChanges({ after: 0, limit: 10 })).map((c) => c.seq)).toEqual([1, 2]);
    });
  });
}
