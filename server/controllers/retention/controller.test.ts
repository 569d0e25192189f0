// Retention of finished Tasks over both engines, with the real registry and its hooks, on a manual clock.
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { systemClock, timestamp, type Clock } from '../../clock.ts';
import { createTaskHooks } from '../../engine/runs/task-hooks.ts';
import { noRunListeners } from '../../engine/run-listeners.ts';
import { createRegistry } from '../../registry/create-registry.ts';
import type { Registry } from '../../registry/registry.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import type { Store, StoredObject } from '../../store/store.ts';
import { keptLog, storeEngines } from '../../testing/background.ts';
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createControllers, type Controllers } from '../create-controllers.ts';
import { createRetention, type Removal, type RetentionLoop } from './controller.ts';
import { parseRetention } from './limits.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const QUEUE = 'test.tasks';

interface FinishedTask {
  readonly namespace?: string;
  readonly phase?: string;
  readonly keep?: string;
  /** From the creation to the end. */
  readonly tookMs?: number;
}

interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly registry: Registry;
  retain(flag: string, registry?: Pick<Registry, 'remove'>, onRemoved?: (removal: Removal) => void): RetentionLoop;
  /** Makes Tasks that end now, in this order of creation, each with a journal. */
  finish(names: string, more?: FinishedTask): Promise<void>;
  /** Names of Tasks left, after a check that exactly those have their journals. */
  left(): Promise<string>;
}

const made: string[] = [];

async function setup(open: (clock: Clock) => Promise<Store>): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  made.length = 0;
  const registry = registryOf(store, clock);
  return {
    store,
    clock,
    registry,
    retain: (flag, through = registry, onRemoved = () => undefined) =>
      createRetention({ ...base(store, flag), registry: through, clock, onRemoved }),
    async finish(names, more) {
      for (const name of names.split(' ')) {
        clock.advance(1);
        await store.transaction((tx) => tx.insertObject(task(name, clock.now(), more)));
        await writeJournal(store, name, clock.now());
        made.push(name);
      }
    },
    async left() {
      const names = (await store.listObjects({ kind: 'Task', limit: 1_000 })).map(({ name }) => name);
      for (const name of made) expect([name, (await store.readJournal(name, 0, 1)).length]).toEqual([name, names.includes(name) ? 1 : 0]);
      return names.sort().join(' ');
    },
  };
}

function registryOf(store: Store, clock: Clock): Registry {
  const hooks = new Map([['Task', createTaskHooks({ store, clock, runListeners: noRunListeners })]]);
  const rest = { secretBox: createSecretBox(), crdConflictPolicy: 'reject', kubernetesIsolation: false, versionsMax: 100 } as const;
  return createRegistry({ store, clock, hooks, newUid: () => 'unused', ...rest });
}

function failAt<T>(name: string, work: () => Promise<T>, asked: string): Promise<T> {
  return asked === name ? Promise.reject(new ServiceError('unavailable', 'no disk')) : work();
}

function base(store: Store, flag: string) {
  const retention = parseRetention(flag);
  if (typeof retention === 'string') throw new Error(retention);
  const reportError = (error: unknown) => {
    throw error;
  };
  return { store, retention, onRemoved: () => undefined, reportError };
}

function task(
  name: string,
  now: number,
  { namespace = 'default', phase = 'Succeeded', keep, tookMs = 0 }: FinishedTask = {},
): StoredObject {
  const completedAt = timestamp(now);
  return {
    ...{ kind: 'Task', namespace, name, uid: name, resourceVersion: 1, generation: 1, labels: {}, spec: { system: 's' } },
    ...{ createdAt: timestamp(now - tookMs), updatedAt: completedAt },
    annotations: keep === undefined ? {} : { 'svc.dev/task-retention': keep },
    status: { phase, ...(['Pending', 'Running', 'WaitingApproval'].includes(phase) ? {} : { completedAt }) },
  };
}

async function writeJournal(store: Store, name: string, now: number): Promise<void> {
  const item = { queue: QUEUE, key: name, namespace: '', name, rank: 0, notBefore: 0, requirements: {} };
  const capabilities = { gpu: false, supportedModels: [], secrets: false };
  await store.transaction(async (tx) => {
    await tx.enqueueWork(item);
    const [claim] = await tx.claimWork({ queue: QUEUE, owner: 'test', now, leaseMs: 1_000, limit: 1, capabilities });
    if (!claim) throw new Error('nothing to claim');
    await tx.appendJournal(claim, 0, [{ type: 'run.begun', timestamp: timestamp(now), data: {} }]);
    await tx.finishWork(claim);
  });
}

describe.each(storeEngines)('retention of finished tasks over $name', ({ skip, open }) => {
  it.skipIf(skip)('looks again in time for a database without a namespace', async () => {
    const { clock, finish, left, retain } = await setup(open);
    const [byCount, byAge] = [retain('2'), retain('30m')];
    expect([await byCount.runOnce(), await byAge.runOnce()]).toEqual([clock.now() + MINUTE_MS, clock.now() + 30 * MINUTE_MS]);
    await finish('a b c');
    await byCount.runOnce();
    expect(await left()).toBe('b c');
  });

  it.skipIf(skip)('removes by age, with journals, and runs again when the next one is due', async () => {
    const { clock, store, retain, finish, left } = await setup(open);
    const loop = retain('30m');
    await finish('a', { phase: 'Failed' });
    await finish('b', { phase: 'DeadLetter' });
    await finish('run', { phase: 'Running' });
    await finish('wait', { phase: 'WaitingApproval' });
    await finish('late', { tookMs: 10 * HOUR_MS });
    clock.advance(20 * MINUTE_MS);
    await finish('c d');
    expect(await loop.runOnce()).toBeLessThanOrEqual(clock.now() + 10 * MINUTE_MS);
    expect(await left()).toBe('a b c d late run wait');
    clock.advance(10 * MINUTE_MS);
    const next = await loop.runOnce();
    expect(await left()).toBe('c d run wait');
    const c = await store.getObject({ kind: 'Task', namespace: 'default', name: 'c' });
    expect(next).toBe(Date.parse(String(c?.status['completedAt'])) + 30 * MINUTE_MS);
    const deleted = (await store.readChanges({ after: 0, limit: 100 })).filter(({ type }) => type === 'deleted');
    expect(deleted.map(({ name, object }) => [name, object?.updatedBy])).toEqual(
      expect.arrayContaining(['a', 'b', 'late'].map((name) => [name, 'system:controllers'])),
    );
    expect(deleted).toHaveLength(3);
  });

  it.skipIf(skip)('removes by count the oldest of all phases of a namespace', async () => {
    const { retain, finish, left } = await setup(open);
    const loop = retain('3');
    await finish('a1', { phase: 'Failed' });
    await finish('a2');
    await finish('old-run', { phase: 'Running' });
    await finish('a3', { phase: 'DeadLetter' });
    await finish('a4 a5');
    await finish('b1 b2 b3', { namespace: 'other' });
    await loop.runOnce();
    expect(await left()).toBe('a3 a4 a5 b1 b2 b3 old-run');
    await finish('b4', { namespace: 'other' });
    await loop.runOnce();
    expect(await left()).toBe('a3 a4 a5 b2 b3 b4 old-run');
  });

  it.skipIf(skip)('keeps a Task that another part needs', async () => {
    const { store, registry, clock, finish, left } = await setup(open);
    const isNeeded = (_: unknown, { name }: StoredObject) => Promise.resolve(name === 'a1');
    const loop = createRetention({ ...base(store, '1'), registry, clock, isNeeded });
    await finish('a1 a2 a3');
    await loop.runOnce();
    expect(await left()).toBe('a1 a3');
  });

  it.skipIf(skip)('removes a backlog of several pages', async () => {
    const { retain, finish, left } = await setup(open);
    const names = Array.from({ length: 130 }, (_, index) => `t${String(index).padStart(3, '0')}`);
    await finish(names.join(' '));
    await retain('5').runOnce();
    expect(await left()).toBe(names.slice(-5).join(' '));
  });

  it.skipIf(skip)('keeps the newest of a count while others delete and finish Tasks', async () => {
    const { registry, retain, finish, left } = await setup(open);
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(3, '0')}`);
    await finish([...names('old', 200), ...names('new', 30)].join(' '));
    let removed = 0;
    const among: Pick<Registry, 'remove'> = {
      async remove(context, request) {
        removed += 1;
        // In the middle of the walk others remove Tasks ahead of it, and Tasks older than all end behind it.
        if (removed === 20)
          for (const name of names('old', 200).slice(120, 180))
            await registry.remove(context, { kind: 'Task', namespace: 'default', name });
        if (removed === 60) await finish(names('late', 30).join(' '), { tookMs: HOUR_MS });
        return registry.remove(context, request);
      },
    };
    const loop = retain('20', among);
    await loop.runOnce();
    expect(await left()).toBe([...names('late', 30), ...names('new', 30).slice(10)].join(' '));
    await loop.runOnce();
    expect(await left()).toBe(names('new', 30).slice(10).join(' '));
  });

  it.skipIf(skip)('removes by count also objects that their age kept before', async () => {
    const { retain, finish, left } = await setup(open);
    const loop = retain('30m,2');
    await finish('slow', { tookMs: HOUR_MS });
    await finish('a');
    await loop.runOnce();
    expect(await left()).toBe('a slow');
    await finish('b');
    await loop.runOnce();
    expect(await left()).toBe('a b');
  });

  it.skipIf(skip)('keeps annotated tasks, and continues after them at the next round', async () => {
    const { clock, store, retain, finish, left } = await setup(open);
    const loop = retain('30m,2');
    await finish('forever', { keep: 'keep' });
    await finish('long', { keep: '2h' });
    await finish('unread', { keep: '???' });
    await finish('a b c');
    await loop.runOnce();
    expect(await left()).toBe('b c forever long unread');
    await finish('d');
    await loop.runOnce();
    expect(await left()).toBe('c d forever long unread');
    clock.advance(40 * MINUTE_MS);
    await loop.runOnce();
    expect(await left()).toBe('forever long unread');
    await finish('e', { tookMs: 3 * HOUR_MS });
    await loop.runOnce();
    expect(await left()).toBe('e forever long unread');
    clock.advance(80 * MINUTE_MS);
    await loop.runOnce();
    expect(await left()).toBe('forever unread');
    const unread = await store.getObject({ kind: 'Task', namespace: 'default', name: 'unread' });
    if (unread) await store.transaction((tx) => tx.updateObject({ ...unread, annotations: {}, resourceVersion: 2 }));
    clock.advance(HOUR_MS);
    await loop.runOnce();
    expect(await left()).toBe('forever');
  });

  it.skipIf(skip)('follows the limits of a namespace in place of the general ones', async () => {
    const { clock, retain, finish, left } = await setup(open);
    await finish('a', { namespace: 'team-a' });
    await finish('b', { namespace: 'team-b' });
    await finish('c');
    clock.advance(HOUR_MS);
    await retain('team-b=1h').runOnce();
    expect(await left()).toBe('a c');
    await retain('1h,team-a=3h').runOnce();
    expect(await left()).toBe('a');
  });

  it.skipIf(skip)('leaves tasks that are written meanwhile or await a decision', async () => {
    const { clock, store, registry, retain, finish, left } = await setup(open);
    await finish('asked raced gone plain');
    const at = { resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: timestamp(0), updatedAt: timestamp(0) };
    const approval = { kind: 'ToolApproval', namespace: 'default', name: 'ask', uid: 'ask', ...at };
    await store.transaction((tx) => tx.insertObject({ ...approval, spec: { task_ref: 'asked' }, status: { phase: 'Pending' } }));
    clock.advance(HOUR_MS);
    const racing: Pick<Registry, 'remove'> = {
      async remove(context, request) {
        const found = await store.getObject(request);
        if (found && request.name === 'raced')
          await store.transaction((tx) => tx.updateObject({ ...found, resourceVersion: 2, status: { phase: 'Running' } }));
        if (found && request.name === 'gone') await registry.remove(context, { kind: 'Task', namespace: 'default', name: 'gone' });
        return registry.remove(context, request);
      },
    };
    await retain('1m', racing).runOnce();
    expect(await left()).toBe('asked raced');
  });

  it.skipIf(skip)('reports the removed tasks of each namespace, also before a failure', async () => {
    const { retain, clock, registry, finish } = await setup(open);
    await finish('a b c');
    await finish('x', { namespace: 'other' });
    clock.advance(2 * MINUTE_MS);
    const removals: Removal[] = [];
    const onRemoved = (removal: Removal) => void removals.push(removal);
    const failing: Pick<Registry, 'remove'> = {
      remove: (context, request) =>
        request.namespace === 'other'
          ? registry.remove(context, request)
          : failAt('c', () => registry.remove(context, request), request.name),
    };
    await expect(retain('1m', failing, onRemoved).runOnce()).rejects.toThrow('no disk');
    await retain('1m', registry, onRemoved).runOnce();
    await retain('1m', registry, onRemoved).runOnce();
    expect(removals).toEqual([
      { namespace: 'default', removed: 2 },
      { namespace: 'default', removed: 1 },
      { namespace: 'other', removed: 1 },
    ]);
  });

  it.skipIf(skip)('passes over a task that cannot be deleted', async () => {
    const { store, clock, registry, finish, left } = await setup(open);
    await finish('a b c');
    await finish('x', { namespace: 'other' });
    clock.advance(2 * MINUTE_MS);
    const failing: Pick<Registry, 'remove'> = {
      remove: (context, request) =>
        request.name === 'a' || request.name === 'b' ? Promise.reject(new Error('damaged')) : registry.remove(context, request),
    };
    const reported: unknown[] = [];
    const reportError = (error: unknown) => void reported.push(error);
    const next = await createRetention({ ...base(store, '1m'), registry: failing, clock, reportError }).runOnce();
    expect([await left(), reported, next - clock.now()]).toEqual(['a b', [new Error('damaged')], MINUTE_MS]);
  });

  it.skipIf(skip)('happens in one of two servers', async () => {
    const { store, registry, finish, left } = await setup(open);
    await finish('a b c d e f');
    const terms: string[] = [];
    const server = (owner: string): Controllers => {
      const controllers = createControllers({
        ...{ store, clock: systemClock, log: keptLog().log, owner, leaseMs: 30_000, workerTimeoutMs: 30_000, random: Math.random },
        registry,
        expireApproval: () => Promise.resolve(),
        leaderLoops: [
          () => {
            terms.push(owner);
            return createRetention({ ...base(store, '2'), registry, clock: systemClock });
          },
        ],
      });
      onTestFinished(() => controllers.stop());
      return controllers;
    };
    const servers = [server('one'), server('two')];
    servers.forEach((controllers) => controllers.start());
    await expect.poll(left, { interval: 20, timeout: 20_000 }).toBe('e f');
    expect(terms).toHaveLength(1);
    await Promise.all(servers.map((controllers) => controllers.stop()));
    expect((await store.readChanges({ after: 0, limit: 100 })).filter(({ type }) => type === 'deleted')).toHaveLength(4);
  });
});
