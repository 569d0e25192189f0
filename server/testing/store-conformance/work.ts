// Store conformance: the work queue.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { ClaimQuery, NewWorkItem, Store, WorkRequirements } from '../../store/store.ts';
import type { Subject } from './fixture.ts';
import { EPOCH, at, claimNew, claimWork, makeItem, writeInParts } from './fixture.ts';

function enqueue(store: Store, ...items: readonly Partial<NewWorkItem>[]): Promise<void> {
  return writeInParts(store, items, (tx, item) => tx.enqueueWork(makeItem(item)));
}

async function claimedKeys(store: Store, query: Partial<ClaimQuery> = {}): Promise<string[]> {
  return (await claimWork(store, query)).map((claim) => claim.key);
}

function met(demand: WorkRequirements, offer: ClaimQuery['capabilities']): boolean {
  return (
    (demand.region === undefined || demand.region === offer.region) &&
    (!demand.gpu || offer.gpu) &&
    (demand.model === undefined || offer.supportedModels.includes(demand.model)) &&
    (!demand.secrets || offer.secrets)
  );
}

const demand: fc.Arbitrary<WorkRequirements> = fc.record(
  { region: fc.constantFrom('eu', 'us'), gpu: fc.boolean(), model: fc.constantFrom('m1', 'm2'), secrets: fc.boolean() },
  { requiredKeys: [] },
);
const offer = fc.record(
  { region: fc.constantFrom('eu', 'us'), gpu: fc.boolean(), supportedModels: fc.subarray(['m1', 'm2', 'm3']), secrets: fc.boolean() },
  { requiredKeys: ['gpu', 'supportedModels', 'secrets'] },
);

const withRegion = { region: 'eu', gpu: false, supportedModels: [], secrets: true, alone: true };

function claimConformance(subject: Subject): void {
  describe('claims', () => {
    it('take items in rank order, up to the limit, and each item once', async () => {
      const { store } = subject;
      await enqueue(store, { key: 'c', rank: 3 }, { key: 'a', rank: -5 }, { key: 'b', rank: 2.5 }, { key: 'd', rank: 9 });
      expect(await claimedKeys(store, { limit: 3 })).toEqual(['a', 'b', 'c']);
      expect(await claimedKeys(store)).toEqual(['d']);
      expect(await claimedKeys(store)).toEqual([]);
    });

    it('carry the proof of ownership', async () => {
      const claim = await claimNew(subject.store, { key: 'k', namespace: 'ns', name: 'n' }, { owner: 'w' });
      expect(claim).toEqual({
        queue: 'task',
        key: 'k',
        namespace: 'ns',
        name: 'n',
        owner: 'w',
        fence: 1,
        claimedAt: EPOCH,
        leaseUntil: EPOCH + 30_000,
        notBefore: EPOCH,
        takeover: false,
        takeovers: 0,
        requirements: {},
      });
      expect(await subject.store.getWorkItem('task', 'k')).toEqual({
        ...makeItem({ key: 'k', namespace: 'ns', name: 'n' }),
        owner: 'w',
        fence: 1,
        leaseUntil: EPOCH + 30_000,
        parked: false,
        takeovers: 0,
      });
    });

    it('go to exactly one of many that race', async () => {
      const { store } = subject;
      await enqueue(store, ...Array.from({ length: 30 }, (_, i) => ({ key: `k-${i}`, rank: i })));
      const rounds = await Promise.all(Array.from({ length: 20 }, (_, i) => claimedKeys(store, { owner: `w-${i}`, limit: 2 })));
      const taken = rounds.flat();
      expect(taken).toHaveLength(30);
      expect(new Set(taken).size).toBe(30);
    });

    it('leave items that are not due', async () => {
      const { store } = subject;
      await enqueue(store, { key: 'later', notBefore: EPOCH + 1_000 }, { key: 'now', rank: 5 });
      expect(await claimedKeys(store)).toEqual(['now']);
      expect(await store.nextWorkAt('task', EPOCH)).toBe(EPOCH + 1_000);
      expect(await claimedKeys(store, { now: EPOCH + 999 })).toEqual([]);
      expect(await claimedKeys(store, { now: EPOCH + 1_000 })).toEqual(['later']);
    });

    it('take moments and ranks with fractions, as backoff with jitter makes them', async () => {
      const { store } = subject;
      await enqueue(store, { key: 'x', notBefore: EPOCH + 0.25, rank: 0.5 });
      expect(await store.nextWorkAt('task', EPOCH)).toBe(EPOCH + 0.25);
      expect(await claimedKeys(store, { now: EPOCH + 0.2 })).toEqual([]);
      expect(await claimedKeys(store, { now: EPOCH + 0.25, leaseMs: 10.5 })).toEqual(['x']);
      expect((await store.getWorkItem('task', 'x'))?.leaseUntil).toBe(EPOCH + 0.25 + 10.5);
    });

    it('reach every due item after a long standstill', async () => {
      const { store } = subject;
      await enqueue(store, ...Array.from({ length: 2_500 }, (_, i) => ({ key: `k-${i}`, notBefore: EPOCH + 1 + i })));
      const keys = new Set<string>();
      for (let round = 0; round < 4; round += 1) {
        for (const key of await claimedKeys(store, { now: EPOCH + 10_000, limit: 1_000 })) keys.add(key);
      }
      expect(keys.size).toBe(2_500);
    });

    it('serve their own queue only', async () => {
      await enqueue(subject.store, { queue: 'a', key: 'x' }, { queue: 'b', key: 'x' });
      expect(await claimedKeys(subject.store, { queue: 'b' })).toEqual(['x']);
      expect((await subject.store.getWorkItem('a', 'x'))?.owner).toBeUndefined();
      expect(await subject.store.nextWorkAt('c', 0)).toBeUndefined();
    });

    it('match requirements exactly by the rule, in rank order', async () => {
      const { store } = subject;
      let round = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(demand, { maxLength: 12 }),
          offer,
          fc.integer({ min: 1, max: 12 }),
          async (demands, capabilities, limit) => {
            round += 1;
            const queue = `q-${round}`;
            await enqueue(store, ...demands.map((requirements, i) => ({ queue, key: `k-${i}`, rank: (i * 7) % 5, requirements })));
            const wanted = demands
              .map((requirements, i) => ({ key: `k-${i}`, rank: (i * 7) % 5, requirements }))
              .filter((item) => met(item.requirements, capabilities))
              .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1))
              .slice(0, limit)
              .map((item) => item.key);
            expect(await claimedKeys(store, { queue, capabilities, limit })).toEqual(wanted);
          },
        ),
        { numRuns: 60 },
      );
    });

    it('take over an expired lease with a higher fence', async () => {
      const { store } = subject;
      const first = await claimNew(store);
      expect(await claimedKeys(store, { owner: 'worker-2', now: EPOCH + 29_999 })).toEqual([]);
      expect(await store.nextWorkAt('task', EPOCH)).toBe(EPOCH + 30_000);
      const [second] = await claimWork(store, { owner: 'worker-2', now: EPOCH + 30_000 });
      expect(second).toMatchObject({
        key: first.key,
        owner: 'worker-2',
        fence: 2,
        takeover: true,
        from: { owner: first.owner, ended: false },
      });
    });

    it('take over an expired lease of a worker of the same name as well', async () => {
      const { owner } = await claimNew(subject.store);
      const [again] = await claimWork(subject.store, { now: EPOCH + 30_000 });
      expect(again).toMatchObject({ fence: 2, takeover: true, from: { owner, ended: false } });
    });
  });
}

function takeoverConformance(subject: Subject): void {
  const lost = (times: number, owner = 'worker-1') => claimWork(subject.store, { owner, now: EPOCH + times * 30_000 });
  const count = async () => (await subject.store.getWorkItem('task', 'uid-1'))?.takeovers;

  describe('takeovers', () => {
    it('are counted across owners, and not after the item was released', async () => {
      await claimNew(subject.store);
      expect(await lost(1)).toMatchObject([{ takeovers: 1, takeover: true }]);
      const [second] = await lost(2, 'worker-2');
      expect(second).toMatchObject({ takeovers: 2, takeover: true, from: { owner: 'worker-1', ended: false } });
      if (second) await subject.store.transaction((tx) => tx.releaseWork(second, { notBefore: EPOCH }));
      const [given] = await lost(2, 'worker-3');
      expect(given).toMatchObject({ takeovers: 2, takeover: false });
      expect(given).not.toHaveProperty('from');
    });

    it('are cleared under the fence, and with them the demand to be alone', async () => {
      const { store } = subject;
      const old = await claimNew(store, { requirements: { region: 'eu', alone: true } }, { capabilities: withRegion });
      const [claim] = await claimWork(store, { owner: 'worker-2', now: EPOCH + 30_000, capabilities: withRegion });
      if (!claim) throw new Error('nothing was claimed');
      await expect(store.transaction((tx) => tx.clearTakeovers(old))).rejects.toBeInstanceOf(LeaseLost);
      expect(await count()).toBe(1);
      await store.transaction((tx) => tx.clearTakeovers(claim));
      const cleared = await store.getWorkItem('task', claim.key);
      expect(cleared).toMatchObject({ takeovers: 0, requirements: { region: 'eu' }, owner: 'worker-2' });
      expect(cleared?.requirements).not.toHaveProperty('alone');
    });

    it('are forgiven by the former owner, before another worker comes and after', async () => {
      const { store } = subject;
      const first = await claimNew(store);
      await store.transaction((tx) => tx.forgiveTakeover(first));
      const [second] = await lost(1);
      expect(second).toMatchObject({ takeovers: 0, takeover: true });
      await lost(2);
      expect(await count()).toBe(1);
      if (second) await store.transaction((tx) => tx.forgiveTakeover(second));
      expect(await count()).toBe(0);
    });

    it('leave an item that has to be alone to a worker that may take it', async () => {
      await claimNew(subject.store);
      const [claim] = await lost(1);
      if (claim) await subject.store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH, requirements: { alone: true } }));
      expect(await lost(1)).toEqual([]);
      const [alone] = await claimWork(subject.store, { now: EPOCH + 30_000, capabilities: withRegion });
      expect(alone).toMatchObject({ takeovers: 1, requirements: { alone: true } });
    });
  });
}

function ownershipConformance(subject: Subject): void {
  describe('ownership', () => {
    it('is kept by renewing, also when the lease had run out but nobody came', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await claimWork(store, { limit: 0, now: EPOCH + 40_000 });
      expect(await store.transaction((tx) => tx.renewWork([claim], EPOCH + 90_000))).toEqual([claim.key]);
      expect(await claimedKeys(store, { owner: 'worker-2', now: EPOCH + 60_000 })).toEqual([]);
      expect(await store.nextWorkAt('task', EPOCH)).toBe(EPOCH + 90_000);
    });

    it('is reported lost by renewing for each claim that was taken over', async () => {
      const { store } = subject;
      const lost = await claimNew(store, { key: 'lost' });
      await claimWork(store, { owner: 'worker-2', now: EPOCH + 60_000 });
      const kept = await claimNew(store, { key: 'kept' });
      expect(await store.transaction((tx) => tx.renewWork([lost, kept], EPOCH + 90_000))).toEqual(['kept']);
      expect((await store.getWorkItem('task', 'lost'))?.owner).toBe('worker-2');
    });

    it('is needed for releasing and finishing', async () => {
      const { store } = subject;
      const old = await claimNew(store);
      await claimWork(store, { owner: 'worker-2', now: EPOCH + 60_000 });
      await expect(store.transaction((tx) => tx.releaseWork(old, { notBefore: 0 }))).rejects.toBeInstanceOf(LeaseLost);
      await expect(store.transaction((tx) => tx.finishWork(old))).rejects.toBeInstanceOf(LeaseLost);
      expect((await store.getWorkItem('task', old.key))?.owner).toBe('worker-2');
    });

    it('ends with finishing: the item is gone', async () => {
      const claim = await claimNew(subject.store);
      await subject.store.transaction((tx) => tx.finishWork(claim));
      expect(await subject.store.getWorkItem('task', claim.key)).toBeUndefined();
      expect(await subject.store.nextWorkAt('task', EPOCH)).toBeUndefined();
    });

    it('ends with releasing: the item waits until its time, with its old or a new rank', async () => {
      const { store } = subject;
      const claim = await claimNew(store, { rank: 7 });
      await store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH + 5_000 }));
      expect(await store.getWorkItem('task', claim.key)).toMatchObject({
        owner: undefined,
        leaseUntil: 0,
        rank: 7,
        notBefore: EPOCH + 5_000,
      });
      expect(await claimedKeys(store, { now: EPOCH + 4_999 })).toEqual([]);
      const [again] = await claimWork(store, { now: EPOCH + 5_000, owner: 'worker-2' });
      expect(again).toMatchObject({ fence: 2, takeover: false });
      if (again) await store.transaction((tx) => tx.releaseWork(again, { notBefore: EPOCH, rank: -1 }));
      expect((await store.getWorkItem('task', claim.key))?.rank).toBe(-1);
    });
  });

  describe('parked items', () => {
    const cancel = { stream: 'uid-1', type: 'cancel', timestamp: at(0), data: {} };

    it('wait for a signal and nothing else', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH, parked: true }));
      expect(await claimedKeys(store, { now: EPOCH + 1e9 })).toEqual([]);
      expect(await store.nextWorkAt('task', EPOCH)).toBeUndefined();
      expect((await store.getWorkItem('task', claim.key))?.parked).toBe(true);
      await store.transaction((tx) => tx.sendSignal('task', cancel));
      expect((await store.getWorkItem('task', claim.key))?.parked).toBe(false);
      expect(await claimedKeys(store)).toEqual([claim.key]);
    });

    it('do not miss a signal that came while they were claimed', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await store.transaction((tx) => tx.sendSignal('task', cancel));
      await store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH, parked: true }));
      expect(await claimedKeys(store)).toEqual([claim.key]);
    });

    it('tell their queue when a signal wakes them', async () => {
      const { store } = subject;
      const claim = await claimNew(store);
      await store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH, parked: true }));
      const queues: string[] = [];
      store.onCommit((notice) => queues.push(...notice.queues));
      await store.transaction((tx) => tx.sendSignal('task', cancel));
      await expect.poll(() => queues).toEqual(['task']);
    });

    it('are not touched by a signal to another stream, nor does a signal hurry a claimed item', async () => {
      const { store } = subject;
      const parked = await claimNew(store, { key: 'parked' });
      await store.transaction((tx) => tx.releaseWork(parked, { notBefore: EPOCH, parked: true }));
      const held = await claimNew(store, { key: 'held' });
      await store.transaction((tx) => tx.sendSignal('task', { ...cancel, stream: 'held' }));
      expect(await claimedKeys(store, { owner: 'worker-2' })).toEqual([]);
      expect((await store.getWorkItem('task', 'held'))?.fence).toBe(held.fence);
    });
  });
}

export function workConformance(subject: Subject): void {
  claimConformance(subject);
  ownershipConformance(subject);
  takeoverConformance(subject);

  describe('queue', () => {
    it('replaces an unclaimed item of the same key and keeps its fence', async () => {
      const { store } = subject;
      const claim = await claimNew(store, { rank: 1 });
      await store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH, parked: true }));
      await enqueue(store, { rank: 2, name: 'renamed', requirements: { region: 'eu' } });
      expect(await store.getWorkItem('task', claim.key)).toMatchObject({
        rank: 2,
        name: 'renamed',
        fence: 1,
        parked: false,
        requirements: { region: 'eu' },
      });
    });

    it('refuses to replace a claimed item', async () => {
      const claim = await claimNew(subject.store);
      await expect(enqueue(subject.store, { rank: 0 })).rejects.toMatchObject({ code: 'conflict' });
      expect((await subject.store.getWorkItem('task', claim.key))?.owner).toBe(claim.owner);
    });

    it('removes an item that nobody holds, and only such a one', async () => {
      const { store } = subject;
      const remove = (key: string) => store.transaction((tx) => tx.removeUnclaimedWork('task', key));
      const claim = await claimNew(store);
      expect(await remove(claim.key)).toBe(false);
      await store.transaction((tx) => tx.releaseWork(claim, { notBefore: EPOCH }));
      expect(await remove(claim.key)).toBe(true);
      expect(await remove(claim.key)).toBe(false);
    });

    it('drops an item under any owner', async () => {
      const claim = await claimNew(subject.store);
      await subject.store.transaction((tx) => tx.dropWork('task', claim.key));
      await subject.store.transaction((tx) => tx.dropWork('task', 'absent'));
      expect(await subject.store.getWorkItem('task', claim.key)).toBeUndefined();
      expect(await subject.store.transaction((tx) => tx.renewWork([claim], EPOCH + 1e6))).toEqual([]);
    });

    it('survives a restart, claims included', async () => {
      const claim = await claimNew(
        subject.store,
        { requirements: { region: 'eu', gpu: true, model: 'm' } },
        {
          capabilities: { region: 'eu', gpu: true, supportedModels: ['m'], secrets: true },
        },
      );
      const store = await subject.reopen();
      expect(await store.getWorkItem('task', claim.key)).toMatchObject({
        owner: claim.owner,
        fence: 1,
        requirements: { region: 'eu', gpu: true, model: 'm' },
      });
      await store.transaction((tx) => tx.finishWork(claim));
    });
  });
}
