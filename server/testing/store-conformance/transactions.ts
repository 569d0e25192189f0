// Store conformance: transactions, commit notices, life cycle.
import { ServiceError } from '@svc/shared/errors';
import { describe, expect, it } from 'vitest';
import type { CommitNotice, StoreTransaction } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { at, claimNew, makeItem, makeObject, nextVersion, seed } from './fixture.ts';

const key = { kind: 'Task', namespace: 'default', name: 'alpha' };

export function transactionConformance(subject: Subject): void {
  describe('transactions', () => {
    it('return what their work returns', async () => {
      expect(await subject.store.transaction(async () => 42)).toBe(42);
    });

    it('write all or nothing, and hand the error on unchanged', async () => {
      const { store } = subject;
      const error = new Error('no');
      const failed = store.transaction(async (tx) => {
        await tx.insertObject(makeObject({ labels: { a: 'b' } }));
        await tx.enqueueWork(makeItem());
        await tx.putDocument('tokens', 'one', { a: 1 });
        await tx.sendSignal('task', { stream: 'uid-1', type: 'cancel', timestamp: at(0), data: {} });
        throw error;
      });
      await expect(failed).rejects.toBe(error);
      expect(await store.getObject(key)).toBeUndefined();
      expect(await store.listObjects({ kind: 'Task', limit: 1, labels: [{ op: 'eq', key: 'a', value: 'b' }] })).toEqual([]);
      expect(await store.getWorkItem('task', 'uid-1')).toBeUndefined();
      expect(await store.getDocument('tokens', 'one')).toBeUndefined();
      expect(await store.readSignals('uid-1')).toEqual([]);
      expect(await store.changeBounds()).toEqual({ head: 0, oldest: 1 });
    });

    it('roll back only the one that throws of those running together', async () => {
      const { store } = subject;
      const outcomes = await Promise.allSettled(
        ['a', 'b', 'c'].map((name) =>
          store.transaction(async (tx) => {
            await tx.insertObject(makeObject({ name }));
            if (name === 'b') throw new Error('no');
          }),
        ),
      );
      expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((await store.listObjects({ kind: 'Task', limit: 10 })).map((o) => o.name)).toEqual(['a', 'c']);
    });

    it('have separate outcomes where they share a commit', async () => {
      const { store } = subject;
      const names = Array.from({ length: 40 }, (_, n) => `t-${n}`);
      const write = (name: string, n: number) =>
        store.transaction(
          async (tx) => {
            if (n % 10 === 3) throw new Error('before');
            await tx.insertObject(makeObject({ name, uid: `uid-${n}` }));
            await tx.appendFact({ ...key, name }, at(0), { type: 'a.b', source: 's', action: 'b', message: 'm' });
            if (n % 10 === 7) throw new Error('after');
            return name;
          },
          { repeatable: true },
        );
      const outcomes = await Promise.allSettled(names.map(write));
      const words = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error).message));
      expect(words).toEqual(names.map((name, n) => (n % 10 === 3 ? 'before' : n % 10 === 7 ? 'after' : name)));
      expect((await store.listObjects({ kind: 'Task', limit: 100 })).length).toBe(32);
      expect((await store.changeBounds()).head).toBe(64);
    });

    it('make an object once that several of them create, repeated or not', async () => {
      const { store } = subject;
      const write = (uid: string) =>
        store.transaction(
          async (tx) => {
            if (await tx.getObjectForUpdate(key)) return 'found';
            await tx.insertObject(makeObject({ uid }));
            return 'made';
          },
          { repeatable: true },
        );
      const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, n) => write(`uid-${n}`)));
      const made = outcomes.filter((each) => each.status === 'fulfilled' && each.value === 'made');
      // Those that waited for the insert of another lost a race, and are run again by their caller.
      const lost = outcomes.flatMap((each) => (each.status === 'rejected' ? [(each.reason as ServiceError).code] : []));
      expect(made.length).toBe(1);
      expect(new Set(lost)).toEqual(new Set(lost.length > 0 ? ['conflict'] : []));
      expect((await store.changeBounds()).head).toBe(1);
    });

    it('see their own writes, which reads outside do not see before the commit', async () => {
      const { store } = subject;
      await store.transaction(async (tx) => {
        await tx.insertObject(makeObject());
        expect(await tx.getObject(key)).toBeDefined();
        expect((await tx.changeBounds()).head).toBe(1);
        expect(await store.getObject(key)).toBeUndefined();
        expect((await store.changeBounds()).head).toBe(0);
      });
      expect(await store.getObject(key)).toBeDefined();
    });

    it('leave nothing in later pages of a version that they listed and rolled back', async () => {
      const { store } = subject;
      await seed(store, [makeObject()]);
      const pageOf = async (reader: Pick<StoreTransaction, 'listPage'>) =>
        (await reader.listPage({ kind: 'Task', limit: 2 }, 10_000)).objects;
      const lost = nextVersion(makeObject(), { status: { phase: 'Running' } });
      const kept = nextVersion(makeObject(), { status: { phase: 'Failed' } });
      const rolledBack = store.transaction(async (tx) => {
        await tx.updateObject(lost);
        expect(await pageOf(tx)).toEqual([lost]);
        throw new Error('no');
      });
      await expect(rolledBack).rejects.toThrow('no');
      await store.transaction((tx) => tx.updateObject(kept));
      expect(await pageOf(store)).toEqual([kept]);
    });

    it('do not lose an update when many increment the same object', async () => {
      const { store } = subject;
      await seed(store, [makeObject({ status: { count: 0 } })]);
      await Promise.all(
        Array.from({ length: 100 }, () =>
          store.transaction(async (tx) => {
            const current = await tx.getObjectForUpdate(key);
            if (!current) throw new Error('gone');
            await tx.updateObject(nextVersion(current, { status: { count: Number(current.status.count) + 1 } }));
          }),
        ),
      );
      expect((await store.getObject(key))?.status).toEqual({ count: 100 });
    });

    it('refuse calls after their end', async () => {
      const { store } = subject;
      let leaked: StoreTransaction | undefined;
      await store.transaction(async (tx) => {
        leaked = tx;
      });
      await expect(leaked?.insertObject(makeObject())).rejects.toMatchObject({ code: 'internal' });
      expect(await store.getObject(key)).toBeUndefined();
    });

    it('give their failure to the work that they leave behind', async () => {
      const { store } = subject;
      const failure = new ServiceError('unavailable', 'away');
      let leftBehind: StoreTransaction | undefined;
      const failed = store.transaction(async (tx) => {
        leftBehind = tx;
        await tx.insertObject(makeObject());
        throw failure;
      });
      await expect(failed).rejects.toBe(failure);
      await expect(leftBehind?.insertObject(makeObject({ name: 'late' }))).rejects.toBe(failure);
    });
  });

  describe('commit notices', () => {
    it('come after durability and report what woke up', async () => {
      const { store } = subject;
      const claim = await claimNew(store, { key: 'run-1' });
      const notices: CommitNotice[] = [];
      const visible: Promise<boolean>[] = [];
      const unsubscribe = store.onCommit((notice) => {
        notices.push(notice);
        visible.push(store.getObject(key).then((object) => object !== undefined));
      });
      await store.transaction(async (tx) => {
        await tx.insertObject(makeObject());
        await tx.enqueueWork(makeItem({ queue: 'other', key: 'x' }));
        await tx.sendSignal('task', { stream: 'uid-9', type: 'cancel', timestamp: at(0), data: {} });
        await tx.appendJournal(claim, 0, [{ type: 'run.started', timestamp: at(0), data: {} }]);
        await tx.appendEvents('session-1', [{ type: 'message.created', timestamp: at(0), data: {} }]);
      });
      await expect.poll(() => notices).toHaveLength(1);
      const names = {
        queues: new Set(['other']),
        signalled: new Set(['uid-9']),
        journals: new Set(['run-1']),
        events: new Set(['session-1']),
      };
      expect(notices).toEqual([{ head: 1, ...names }]);
      expect(await Promise.all(visible)).toEqual([true]);
      unsubscribe();
      await seed(store, [makeObject({ name: 'beta' })]);
      expect(notices).toHaveLength(1);
    });

    it('name an owner whose readers are woken without an event', async () => {
      const { store } = subject;
      const notices: CommitNotice[] = [];
      store.onCommit((notice) => notices.push(notice));
      await store.transaction(async (tx) => tx.wakeReaders('session-1/deleted'));
      await expect.poll(() => notices.flatMap(({ events }) => [...events])).toEqual(['session-1/deleted']);
      expect(await store.eventHead('session-1/deleted')).toBe(0);
    });

    it('name a stream whose workers are woken without a signal', async () => {
      const { store } = subject;
      const notices: CommitNotice[] = [];
      store.onCommit((notice) => notices.push(notice));
      await store.transaction(async (tx) => tx.wakeWorkers('worker/w1'));
      await expect.poll(() => notices.flatMap(({ signalled }) => [...signalled])).toEqual(['worker/w1']);
      expect(await store.readSignals('worker/w1')).toEqual([]);
    });

    it('report nothing of a rollback', async () => {
      const { store } = subject;
      const notices: CommitNotice[] = [];
      store.onCommit((notice) => notices.push(notice));
      const failed = store.transaction(async (tx) => {
        await tx.enqueueWork(makeItem());
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      await store.transaction(async (tx) => tx.putDocument('c', 'i', {}));
      expect(notices.flatMap((n) => [...n.queues])).toEqual([]);
    });
  });

  describe('life cycle', () => {
    it('is healthy while open and refuses everything once closed', async () => {
      const { store } = subject;
      await store.checkHealth();
      await store.close();
      await store.close();
      await expect(store.checkHealth()).rejects.toMatchObject({ code: 'unavailable' });
      await expect(store.getObject(key)).rejects.toMatchObject({ code: 'unavailable' });
      await expect(store.transaction(async () => 1)).rejects.toMatchObject({ code: 'unavailable' });
    });

    it('finishes what was in flight when it is closed', async () => {
      const writes = Array.from({ length: 50 }, (_, i) =>
        subject.store.transaction((tx) => tx.insertObject(makeObject({ name: `t-${i}` }))),
      );
      const store = await subject.reopen();
      await Promise.all(writes);
      expect(await store.listObjects({ kind: 'Task', limit: 100 })).toHaveLength(50);
    });
  });
}
