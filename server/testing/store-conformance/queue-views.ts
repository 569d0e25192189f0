// Store conformance: looking at the work queue, and claims that are only asserted.
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { NewWorkItem, Store } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { EPOCH, at, claimNew, claimWork, makeItem, makeObject, nextVersion, seed } from './fixture.ts';

function enqueue(store: Store, items: readonly Partial<NewWorkItem>[]): Promise<void> {
  return store.transaction(async (tx) => {
    for (const item of items) await tx.enqueueWork(makeItem(item));
  });
}

function assertedClaims(subject: Subject): void {
  describe('asserted claims', () => {
    it('are held, also past their lease, until another takes them over', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await store.transaction((tx) => tx.assertClaim(claim));
      await claimWork(store, { limit: 0, now: EPOCH + 60_000 });
      await store.transaction((tx) => tx.assertClaim(claim));
      const [taken] = await claimWork(store, { owner: 'worker-2', now: EPOCH + 60_000 });
      await expect(store.transaction((tx) => tx.assertClaim(claim))).rejects.toBeInstanceOf(LeaseLost);
      if (taken) await store.transaction((tx) => tx.finishWork(taken));
      expect(taken).toMatchObject({ takeover: true });
      if (taken) await expect(store.transaction((tx) => tx.assertClaim(taken))).rejects.toBeInstanceOf(LeaseLost);
    });

    it('may be released with new requirements, which then decide who takes the item', async () => {
      const { store } = subject;
      const claim = await claimNew(
        store,
        { requirements: { region: 'eu' } },
        { capabilities: { region: 'eu', gpu: false, supportedModels: [], secrets: false } },
      );
      await store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH, requirements: { secrets: true } }));
      expect((await store.getWorkItem('task', claim.key))?.requirements).toEqual({ secrets: true });
      const offer = { region: 'eu', gpu: true, supportedModels: [] };
      expect(await claimWork(store, { capabilities: { ...offer, secrets: false } })).toEqual([]);
      expect(await claimWork(store, { capabilities: { ...offer, secrets: true } })).toHaveLength(1);
    });

    it('come with reads for update of what their transaction writes', async () => {
      const { store } = subject;
      await seed(store, [makeObject()]);
      const key = { kind: 'Task', namespace: 'default', name: 'alpha' };
      await store.transaction(async (tx) => {
        expect(await tx.getObjectForUpdate({ ...key, name: 'absent' })).toBeUndefined();
        const read = await tx.getObjectForUpdate(key);
        if (read) await tx.updateObject(nextVersion(read, { status: { phase: 'Running' } }));
        expect(await tx.getObjectForUpdate(key)).toMatchObject({ resourceVersion: 2, status: { phase: 'Running' } });
      });
      expect(
        (await store.listObjects({ kind: 'Task', limit: 5, fields: [{ path: 'status.phase', op: 'eq', value: 'Running' }] })).length,
      ).toBe(1);
    });
  });
}

export function queueViewConformance(subject: Subject): void {
  assertedClaims(subject);

  describe('queue views', () => {
    it('name each requirement that ready items have, once', async () => {
      const { store } = subject;
      expect(await store.listDemands('task')).toEqual([]);
      await enqueue(store, [
        { key: 'a' },
        { key: 'b', requirements: { model: 'm', gpu: true } },
        { key: 'c', requirements: { gpu: true, model: 'm' } },
        { key: 'd', requirements: { gpu: false } },
        { key: 'e', requirements: { region: 'later' }, notBefore: EPOCH + 1 },
        { key: 'f', requirements: { region: 'elsewhere' }, queue: 'other' },
      ]);
      const demands = await store.listDemands('task');
      expect(demands).toHaveLength(2);
      expect(demands).toEqual(expect.arrayContaining([{}, { gpu: true, model: 'm' }]));
    });

    it('page through the ready items of one requirement in the order of claims', async () => {
      const { store } = subject;
      const ranks = [3, -1, 2, 2, 0.5];
      await enqueue(
        store,
        ranks.map((rank, i) => ({ key: `k-${i}`, rank })),
      );
      await enqueue(store, [
        { key: 'other', rank: 0, requirements: { gpu: true } },
        { key: 'later', rank: 0, notBefore: EPOCH + 1_000 },
      ]);
      const first = await store.listReadyWork('task', {}, { limit: 3 });
      expect(first.map((item) => item.key)).toEqual(['k-1', 'k-4', 'k-2']);
      const last = first.at(-1);
      if (!last) throw new Error('no page');
      expect((await store.listReadyWork('task', {}, { limit: 3, after: last })).map((item) => item.key)).toEqual(['k-3', 'k-0']);
      expect(await store.listReadyWork('task', { region: 'eu' }, { limit: 3 })).toEqual([]);
      expect((await claimWork(store, { limit: 3 })).map((claim) => claim.key)).toEqual(['k-1', 'k-4', 'k-2']);
    });

    it('count what is ready, waiting, claimed and parked', async () => {
      const { store } = subject;
      expect(await store.countWork('task', EPOCH)).toEqual({ ready: 0, waiting: 0, claimed: 0, parked: 0 });
      const parked = await claimNew(store, { key: 'parked' });
      await store.transaction((tx) => tx.releaseWork(parked, { notBefore: EPOCH, parked: true }));
      await claimNew(store, { key: 'held' });
      await enqueue(store, [
        { key: 'ready-1' },
        { key: 'ready-2' },
        { key: 'waiting', notBefore: EPOCH + 1_000 },
        { key: 'x', queue: 'other' },
      ]);
      expect(await store.countWork('task', EPOCH)).toEqual({ ready: 2, waiting: 1, claimed: 1, parked: 1 });
      expect(await store.countHeldWork('task', 10)).toBe(1);
      expect(await store.countHeldWork('task', 0)).toBe(0);
      expect(await store.countWork('task', EPOCH + 1_000)).toEqual({ ready: 3, waiting: 0, claimed: 1, parked: 1 });
      await store.transaction((tx) => tx.sendSignal('task', { stream: 'parked', type: 'cancel', timestamp: at(0), data: {} }));
      expect(await store.countWork('task', EPOCH)).toEqual({ ready: 3, waiting: 1, claimed: 1, parked: 0 });
    });
  });
}
