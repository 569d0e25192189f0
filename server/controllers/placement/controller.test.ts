// The controller over a real store: when Tasks are marked as unschedulable, with which text, and when the mark is removed.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timestamp } from '../../clock.ts';
import { createTaskHooks } from '../../engine/runs/task-hooks.ts';
import type { Claim, Store, WorkRequirements } from '../../store/store.ts';
import { keptLog, storeEngines, takeLease, turns } from '../../testing/background.ts';
import { toTestResource } from '../../testing/engine.ts';
import { noRunListeners } from '../../engine/run-listeners.ts';
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createPlacement, type Placement } from './controller.ts';
import { overlay } from '../../overlay.ts';

const GRACE_MS = 20_000;

interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly claim: Claim;
  readonly placement: (claim?: Claim) => Placement;
  readonly task: (name: string, requirements?: WorkRequirements) => Promise<void>;
  readonly worker: (name: string, phase: string, spec?: Record<string, unknown>) => Promise<void>;
  /** `blockedOn` of the Task. */
  readonly note: (name: string) => Promise<unknown>;
  readonly unplaceable: () => Promise<string[]>;
}

async function setup(open: (clock: ManualClock) => Promise<Store>): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const claim = await takeLease(store, clock.now());
  const hooks = createTaskHooks({ store, clock, runListeners: noRunListeners });
  const insert = (kind: string, name: string, spec: Record<string, unknown>, phase: string) =>
    store.transaction(async (tx) => {
      const now = timestamp(clock.now());
      const base = { resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: now, updatedAt: now };
      const found = await tx.getObjectForUpdate({ kind, namespace: 'default', name });
      if (found) return tx.updateObject({ ...found, resourceVersion: found.resourceVersion + 1, spec, status: { phase } });
      const object = { kind, namespace: 'default', name, uid: randomUUID(), ...base, spec, status: { phase } };
      await tx.insertObject(object);
      if (kind === 'Task') await hooks.onCreated?.(tx, toTestResource(object));
    });
  return {
    store,
    clock,
    claim,
    placement(under = claim) {
      const made = createPlacement({ store, clock, log: keptLog().log, claim: under, graceMs: GRACE_MS });
      onTestFinished(() => made.stop());
      return made;
    },
    task: (name, requirements) => insert('Task', name, { system: 's', ...(requirements && { requirements }) }, 'Pending'),
    worker: (name, phase, spec = {}) => insert('Worker', name, spec, phase),
    async note(name) {
      const task = await store.getObject({ kind: 'Task', namespace: 'default', name });
      return (task?.status['blockedOn'] as { reason?: string } | undefined)?.reason;
    },
    async unplaceable() {
      const changes = await store.readChanges({ after: 0, limit: 5_000, kind: 'Task' });
      return changes.filter(({ fact }) => fact?.type === 'task.unplaceable').map(({ name }) => name);
    },
  };
}

const gpuWorker = { capabilities: { gpu: true } };
const GPU_WORDS = 'no worker with gpu=true is ready';

describe.each(storeEngines.filter(({ skip }) => !skip))('placement over $name', ({ open, exact }) => {
  it('marks Tasks that no ready worker can run, once, and no others', async () => {
    const { store, placement, task, worker, note, unplaceable } = await setup(open);
    await worker('plain', 'Ready');
    await worker('gone', 'NotReady', gpuWorker);
    await task('easy');
    await task('hard', { gpu: true });
    await task('far', { gpu: true, region: 'eu' });
    const loop = placement();
    expect(await loop.runOnce()).toBeUndefined();
    expect([await note('easy'), await note('hard'), await note('far')]).toEqual([
      undefined,
      GPU_WORDS,
      'no worker with gpu=true, region=eu is ready',
    ]);
    const hard = await store.getObject({ kind: 'Task', namespace: 'default', name: 'hard' });
    expect(hard?.status).toEqual({ phase: 'Pending', blockedOn: { kind: 'Worker', name: '', reason: GPU_WORDS } });
    await loop.runOnce();
    await placement().runOnce();
    const again = await store.getObject({ kind: 'Task', namespace: 'default', name: 'hard' });
    expect(again?.resourceVersion).toBe(hard?.resourceVersion);
    expect((await unplaceable()).sort()).toEqual(['far', 'hard']);
  });

  it('removes the notes when a worker appears that can run the Tasks', async () => {
    const { store, placement, task, worker, note, unplaceable } = await setup(open);
    await worker('plain', 'Ready');
    await task('hard', { gpu: true });
    const loop = placement();
    await loop.runOnce();
    await worker('strong', 'Ready', gpuWorker);
    await loop.runOnce();
    expect(await note('hard')).toBeUndefined();
    expect(await store.listDocuments('placement', '', 10)).toEqual([]);
    await worker('strong', 'Draining', gpuWorker);
    await loop.runOnce();
    expect([await note('hard'), await unplaceable()]).toEqual([GPU_WORDS, ['hard', 'hard']]);
  });

  it('withdraws what an earlier leader wrote', async () => {
    const { placement, task, worker, note } = await setup(open);
    await worker('plain', 'Ready');
    await task('hard', { gpu: true });
    await placement().runOnce();
    await worker('strong', 'Ready', gpuWorker);
    await placement().runOnce();
    expect(await note('hard')).toBeUndefined();
  });

  it('gives workers time to start before it reports that none exists', async () => {
    const { clock, placement, task, worker, note, unplaceable } = await setup(open);
    await task('hard', { gpu: true });
    const loop = placement();
    expect(await loop.runOnce()).toBe(clock.now() + GRACE_MS);
    clock.advance(GRACE_MS - 1);
    await loop.runOnce();
    expect(await note('hard')).toBeUndefined();
    clock.advance(1);
    await loop.runOnce();
    expect(await note('hard')).toBe('no worker is ready');
    await worker('plain', 'Ready');
    await loop.runOnce();
    expect([await note('hard'), await unplaceable()]).toEqual([GPU_WORDS, ['hard']]);
  });

  if (exact)
    it('reaches every Task of a long queue, a bounded part at a time', async () => {
      const { clock, placement, task, worker, unplaceable } = await setup(open);
      await worker('plain', 'Ready');
      const names = Array.from({ length: 1_150 }, (_, index) => `t${String(index).padStart(4, '0')}`);
      await Promise.all(names.map((name) => task(name, { gpu: true })));
      await task('elsewhere', { region: 'eu' });
      const loop = placement();
      const after: number[] = [];
      for (let passes = 1; passes <= 4; passes += 1) {
        const next = await loop.runOnce();
        after.push((await unplaceable()).length);
        if (next === undefined) break;
        expect(next).toBe(clock.now() + 1_000);
      }
      expect(after).toEqual([500, 1_001, 1_151]);
      expect((await unplaceable()).sort()).toEqual(['elsewhere', ...names]);
    });

  it('touches no Task that a worker has taken meanwhile', async () => {
    const { store, clock, claim, task, worker, note, unplaceable } = await setup(open);
    await worker('plain', 'Ready');
    await task('hard', { gpu: true });
    const key = { kind: 'Task', namespace: 'default', name: 'hard' };
    const run = () =>
      store.transaction(async (tx) => {
        const taken = await tx.getObjectForUpdate(key);
        if (taken) await tx.updateObject({ ...taken, resourceVersion: taken.resourceVersion + 1, status: { phase: 'Running' } });
      });
    const overtaken = overlay(store, {
      async listReadyWork(...args) {
        const found = await store.listReadyWork(...args);
        await run();
        return found;
      },
    });
    await createPlacement({ store: overtaken, clock, log: keptLog().log, claim, graceMs: 0 }).runOnce();
    expect([await note('hard'), await unplaceable()]).toEqual([undefined, []]);
    expect((await store.getObject(key))?.status).toEqual({ phase: 'Running' });
  });

  it('writes nothing once another leader has taken over', async () => {
    const { store, claim, placement, task, worker, note } = await setup(open);
    await worker('plain', 'Ready');
    await task('hard', { gpu: true });
    await takeLease(store, claim.leaseUntil, 'heir');
    await expect(placement().runOnce()).rejects.toMatchObject({ name: 'LeaseLost' });
    expect([await note('hard'), await store.listDocuments('placement', '', 10)]).toEqual([undefined, []]);
  });

  if (exact)
    it('examines demands shortly after Tasks or Workers change, and not again until the next change', async () => {
      const { clock, store, task, worker, note, claim } = await setup(open);
      await worker('plain', 'Ready');
      let looks = 0;
      const counting = overlay(store, {
        listDemands(queue) {
          looks += 1;
          return store.listDemands(queue);
        },
      });
      const loop = createPlacement({ store: counting, clock, log: keptLog().log, claim, graceMs: GRACE_MS });
      onTestFinished(() => loop.stop());
      loop.start();
      await turns();
      clock.advance(1_000);
      await turns();
      const before = looks;
      await task('hard', { gpu: true });
      await task('harder', { gpu: true });
      await turns();
      expect(looks).toBe(before);
      clock.advance(1_000);
      await expect.poll(() => note('harder'), { interval: 2 }).toBe(GPU_WORDS);
      expect(looks).toBe(before + 1);
      await worker('strong', 'Ready', gpuWorker);
      await turns();
      // Worker changes that follow each other closely are read together and examined a moment later.
      for (let step = 0; step < 2; step += 1) {
        clock.advance(1_000);
        await turns();
      }
      await expect.poll(() => note('hard'), { interval: 2 }).toBeUndefined();
      const settled = looks;
      clock.advance(20_000);
      await turns();
      expect(looks).toBe(settled);
    });
});
