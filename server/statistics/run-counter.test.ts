// Run statistics over both engines: real runs of the engine, and a log of changes as it writes them, counted once through restarts and pruning.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timestamp } from '../clock.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import type { Claim, Fact, Store, StoredObject } from '../store/store.ts';
import { storeEngines, takeLease } from '../testing/background.ts';
import { openEngine, putSystem, waitFor } from '../testing/engine.ts';
import { createManualClock, type ManualClock } from '../testing/manual-clock.ts';
import { as } from '../testing/registry-fixture.ts';
import { createStatistics } from './create-statistics.ts';
import { createRunCounter } from './run-counter.ts';
import type { RunCounter } from './run-counter.ts';
import type { RunStatisticsRequest } from './statistics.ts';
import { overlay } from '../overlay.ts';

const HOUR_MS = 3_600_000;
/** Lease time that takeLease uses. */
const LEASE_MS = 30_000;

/** Cost fields of the fact of an end; absent in older logs. */
interface Cost {
  readonly cost_usd: number;
  readonly unpriced_calls: number;
}

interface Ended {
  readonly namespace?: string;
  readonly ms?: number;
  readonly tokens?: number;
  readonly cost?: Cost;
  readonly reason?: string;
  readonly waitedMs?: number;
  readonly system?: string;
}

interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly claim: Claim;
  counter(): RunCounter;
  runs(request?: Partial<RunStatisticsRequest>): ReturnType<ReturnType<typeof createStatistics>['runs']>;
  /** Use of the system `desk` or the agent `clerk`. */
  use(kind: 'AgentSystem' | 'Agent', days: number, namespace?: string): ReturnType<ReturnType<typeof createStatistics>['use']>;
  /** A Task that is claimed and ends `ms` later in the phase `end`. */
  run(name: string, end: string, more?: Ended): Promise<void>;
}

async function setup(open: (clock: ManualClock) => Promise<Store>): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const claim = await takeLease(store, clock.now());
  const statistics = createStatistics({ store, clock });
  const errors: unknown[] = [];
  onTestFinished(async () => {
    await Promise.resolve();
    expect(errors).toEqual([]);
  });
  return {
    store,
    clock,
    claim,
    counter() {
      const reportError = (error: unknown) => void errors.push(error);
      const counter = createRunCounter({ store, clock, claim, reportError });
      onTestFinished(() => counter.stop());
      return counter;
    },
    runs: (request) => statistics.runs(as('reader'), { hours: 2, ...request }),
    use: (kind, days, namespace = 'default') =>
      statistics.use(as('reader'), { kind, namespace, name: kind === 'Agent' ? 'clerk' : 'desk' }, { days }),
    async run(name, end, { namespace = 'default', ms = 1_000, tokens = 10, cost = FREE, reason, waitedMs, system } = {}) {
      const now = timestamp(clock.now());
      const key = { kind: 'Task', namespace, name };
      const base = {
        uid: randomUUID(),
        resourceVersion: 1,
        generation: 1,
        labels: {},
        annotations: {},
        createdAt: now,
        spec: { ...(system !== undefined && { system }) },
      };
      const created: StoredObject = { ...key, ...base, updatedAt: now, status: { phase: 'Pending' } };
      const claimed = { ...created, resourceVersion: 2, status: { phase: 'Running', startedAt: now } };
      await store.transaction((tx) => tx.insertObject(created));
      await write(store, claimed, { type: 'task.claimed' });
      clock.advance(ms);
      const completedAt = timestamp(clock.now());
      const status = {
        ...claimed.status,
        phase: 'Ended',
        completedAt,
        output: { tokens_used_total: String(tokens) },
        ...(waitedMs !== undefined && { waitedMs }),
      };
      await write(
        store,
        { ...claimed, resourceVersion: 3, updatedAt: completedAt, status },
        { type: `task.${end}`, data: { ...cost, ...(reason !== undefined && { reason }) } },
      );
    },
  };
}

/** As the engine does: the state, then the fact, in one transaction. */
async function write(store: Store, object: StoredObject, { type, ...rest }: Partial<Fact> & Pick<Fact, 'type'>): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.updateObject(object);
    await tx.appendFact(object, object.updatedAt, { type, source: 'engine', action: type, message: type, ...rest });
  });
}

/** The same store; something happens before each read of the log. */
function withReads(store: Store, before: () => Promise<void>): Store {
  return overlay(store, {
    async readChanges(query) {
      await before();
      return store.readChanges(query);
    },
  });
}

const FREE: Cost = { cost_usd: 0, unpriced_calls: 0 };
const NONE = { started: 0, succeeded: 0, failed: 0, deadLettered: 0, cancelled: 0, denied: 0, tokens: 0, costUsd: 0, unpricedRuns: 0 };

describe.each(storeEngines)('run statistics over $name', ({ skip, open }) => {
  it.skipIf(skip)('counts what real runs did, with their tokens', async () => {
    const engine = await openEngine({
      clock: createManualClock(),
      store: await open(createManualClock()),
      model: ({ messages }) =>
        JSON.stringify(messages).includes('break')
          ? Promise.reject(new Error('it broke'))
          : { content: 'done', usage: { inputTokens: 30, outputTokens: 12, source: 'provider' }, costUsd: 0.1 },
    });
    onTestFinished(() => engine.close());
    const { store } = engine;
    const clock = createManualClock();
    await putSystem(engine, { solo: {} });
    for (const topic of ['work', 'work', 'break'])
      await engine.put('Task', `${topic}-${randomUUID()}`, { system: 'system', input: { topic } });
    engine.worker.start();
    const ended = await waitFor(store, async () => {
      const tasks = await store.listObjects({ kind: 'Task', limit: 10 });
      return tasks.every(({ status }) => status['completedAt'] !== undefined) ? tasks : undefined;
    });
    const claim = await takeLease(store, clock.now());
    const counter = createRunCounter({ store, clock, claim, reportError: () => undefined });
    await counter.runOnce();
    const { totals, buckets } = await createStatistics({ store, clock }).runs(as('reader'), { hours: 1 });
    const phases = ended.map(({ status }) => status['phase']);
    const tokens = ended.reduce(
      (sum, { status }) => sum + Number((status['output'] as Record<string, string>)['tokens_used_total'] ?? 0),
      0,
    );
    expect(totals).toMatchObject({
      started: 3,
      succeeded: 2,
      failed: phases.filter((phase) => phase === 'Failed').length,
      deadLettered: phases.filter((phase) => phase === 'DeadLetter').length,
      tokens,
      costUsd: 0.2,
      unpricedRuns: 0,
    });
    expect(tokens).toBeGreaterThan(0);
    expect(buckets).toEqual([{ start: '2026-01-02T03:00:00.000Z', ...totals }]);
  });

  it.skipIf(skip)('counts each end by hour and namespace, with durations and tokens', async () => {
    const { run, counter, runs, clock } = await setup(open);
    await run('a', 'succeeded', { ms: 1_000 });
    await run('b', 'failed', { ms: 10_000, tokens: 5 });
    await run('c', 'cancelled', { namespace: 'team', tokens: 0 });
    await counter().runOnce();
    clock.advance(HOUR_MS);
    await run('d', 'deadletter', { ms: 100_000 });
    await counter().runOnce();
    const { buckets, totals } = await runs();
    expect(buckets).toEqual([
      {
        start: '2026-01-02T03:00:00.000Z',
        ...NONE,
        started: 3,
        succeeded: 1,
        failed: 1,
        cancelled: 1,
        tokens: 15,
        p50Ms: 932,
        p95Ms: expect.any(Number),
      },
      {
        start: '2026-01-02T04:00:00.000Z',
        ...NONE,
        started: 1,
        deadLettered: 1,
        tokens: 10,
        p50Ms: expect.any(Number),
        p95Ms: expect.any(Number),
      },
    ]);
    expect(buckets[0]?.p95Ms).toBeGreaterThan(9_000);
    expect(totals).toMatchObject({ started: 4, succeeded: 1, failed: 1, cancelled: 1, deadLettered: 1, tokens: 25 });
    expect((await runs({ namespace: 'team' })).totals).toMatchObject({ started: 1, cancelled: 1, succeeded: 0, tokens: 0 });
    expect((await runs({ namespace: 'nowhere' })).totals).toEqual(NONE);
    expect((await runs({ hours: 1 })).totals).toMatchObject({ deadLettered: 1, succeeded: 0 });
  });

  it.skipIf(skip)('counts a denied run apart, and leaves waits for people out of durations', async () => {
    const { run, counter, runs } = await setup(open);
    await run('slow-answer', 'succeeded', { ms: 600_000, waitedMs: 599_000 });
    await run('refused', 'failed', { reason: 'approval_denied' });
    await run('broken', 'failed', { reason: 'timeout' });
    await counter().runOnce();
    const { totals } = await runs();
    expect(totals).toMatchObject({ started: 3, succeeded: 1, failed: 1, denied: 1 });
    expect(totals.p95Ms).toBeLessThan(2_000);
  });

  it.skipIf(skip)('sums the cost of runs, and counts runs with an incompletely known cost', async () => {
    const { run, counter, runs } = await setup(open);
    await run('dear', 'succeeded', { cost: { cost_usd: 0.1, unpriced_calls: 0 } });
    await run('cheap', 'failed', { cost: { cost_usd: 0.2, unpriced_calls: 0 } });
    await counter().runOnce();
    await run('in-part', 'succeeded', { cost: { cost_usd: 0.05, unpriced_calls: 2 } });
    await counter().runOnce();
    expect((await runs()).totals).toMatchObject({ costUsd: 0.35, unpricedRuns: 1 });
  });

  it.skipIf(skip)('adds up the runs of an agent system by day, also those of other namespaces, with the end of the newest', async () => {
    const { run, counter, use, clock } = await setup(open);
    await run('old', 'succeeded', { system: 'desk', cost: { cost_usd: 0.5, unpriced_calls: 0 } });
    await counter().runOnce();
    clock.advance(24 * HOUR_MS);
    await run('own', 'succeeded', { system: 'desk' });
    await run('broken', 'failed', { system: 'default/desk', namespace: 'team' });
    await run('other', 'succeeded', { system: 'desk', namespace: 'team' });
    const end = timestamp(clock.now() - 1_000);
    await counter().runOnce();
    expect(await use('AgentSystem', 1)).toMatchObject({ started: 2, succeeded: 1, failed: 1, costUsd: 0, lastEndedAt: end });
    expect((await use('AgentSystem', 1)).lastStartedAt).toBe(timestamp(clock.now() - 2_000));
    expect(await use('AgentSystem', 2)).toMatchObject({ started: 3, succeeded: 2, failed: 1, costUsd: 0.5, lastEndedAt: end });
    expect(await use('AgentSystem', 31, 'team')).toMatchObject({ started: 1, succeeded: 1 });
    expect(await use('AgentSystem', 31, 'nowhere')).toEqual({ ...NONE, since: expect.any(String) });
  });

  it.skipIf(skip)('adds up the runs of all agent systems that an agent is part of', async () => {
    const { run, counter, use, store, clock } = await setup(open);
    const now = timestamp(clock.now());
    const stored = (kind: string, name: string, spec: object, namespace = 'default') => ({
      ...{ kind, namespace, name, uid: randomUUID(), resourceVersion: 1, generation: 1, labels: {}, annotations: {} },
      ...{ createdAt: now, updatedAt: now, spec: { ...spec }, status: {} },
    });
    await store.transaction(async (tx) => {
      await tx.insertObject(stored('AgentSystem', 'desk', { agents: ['clerk', 'other'] }));
      await tx.insertObject(stored('AgentSystem', 'far', { agents: ['default/clerk'] }, 'team'));
      await tx.insertObject(stored('AgentSystem', 'unrelated', { agents: ['other'] }));
    });
    await run('a', 'succeeded', { system: 'desk' });
    await run('b', 'failed', { system: 'team/far' });
    await run('c', 'succeeded', { system: 'unrelated' });
    await counter().runOnce();
    expect(await use('Agent', 7)).toMatchObject({ started: 2, succeeded: 1, failed: 1 });
  });

  it.skipIf(skip)('drops the days of an agent system after 31 days', async () => {
    const { run, counter, use, store, clock } = await setup(open);
    await run('a', 'succeeded', { system: 'desk' });
    await counter().runOnce();
    clock.advance(32 * 24 * HOUR_MS);
    await run('b', 'succeeded', { system: 'desk' });
    await counter().runOnce();
    expect(await use('AgentSystem', 31)).toMatchObject({ started: 1 });
    const kept = (await store.listDocuments('run-statistics', 'default:', 100)).filter(({ id }) => id.startsWith('default:desk/'));
    expect(kept.map(({ id }) => id)).toEqual(['default:desk/2026-02-03']);
  });

  it.skipIf(skip)('says since when systems are counted after an update of a server that did not', async () => {
    const { run, counter, use, store, clock } = await setup(open);
    await run('a', 'succeeded', { system: 'desk' });
    await counter().runOnce();
    const { systemsSince: _, ...old } = (await store.getDocument('run-statistics-cursor', 'changes'))!;
    await store.transaction((tx) => tx.putDocument('run-statistics-cursor', 'changes', old));
    clock.advance(HOUR_MS);
    await run('b', 'succeeded', { system: 'desk' });
    await counter().runOnce();
    expect(await use('AgentSystem', 7)).toMatchObject({ since: timestamp(clock.now()) });
    clock.advance(8 * 24 * HOUR_MS);
    expect(await use('AgentSystem', 7)).not.toHaveProperty('since');
  });

  it.skipIf(skip)('refuses use of other kinds and of too many days', async () => {
    const statistics = createStatistics(await setup(open));
    const of = { kind: 'Tool', namespace: 'default', name: 'x' };
    await expect(statistics.use(as('reader'), of, { days: 7 })).rejects.toMatchObject({ code: 'invalid' });
    await expect(statistics.use(as('reader'), { ...of, kind: 'Agent' }, { days: 32 })).rejects.toMatchObject({ code: 'invalid' });
  });

  it.skipIf(skip)('counts runs from before costs were recorded as unpriced, not as free', async () => {
    const { run, counter, runs, store } = await setup(open);
    await run('a', 'succeeded');
    await counter().runOnce();
    for (const id of ['*/2026-01-02T03', 'default/2026-01-02T03']) {
      const { costUsd: _cost, unpricedRuns: _runs, ...old } = (await store.getDocument('run-statistics', id))!;
      await store.transaction((tx) => tx.putDocument('run-statistics', id, old));
    }
    expect((await runs()).totals).toMatchObject({ tokens: 10, costUsd: 0, unpricedRuns: 1 });
    await run('b', 'succeeded', { cost: { cost_usd: 0.25, unpriced_calls: 0 } });
    await run('old', 'succeeded', { cost: {} as Cost });
    await run('idle', 'cancelled', { tokens: 0, cost: {} as Cost });
    await counter().runOnce();
    expect((await runs()).totals).toMatchObject({ tokens: 30, costUsd: 0.25, unpricedRuns: 2 });
  });

  it.skipIf(skip)(
    'counts each transition once, however often it begins anew, and a Task that is claimed again as one that began once',
    async () => {
      const { run, counter, runs, store, clock } = await setup(open);
      for (let i = 0; i < 5; i += 1) {
        await run(`t${i}`, 'succeeded');
        await counter().runOnce();
        await counter().runOnce();
      }
      const task = (await store.getObject({ kind: 'Task', namespace: 'default', name: 't0' }))!;
      clock.advance(1_000);
      await write(
        store,
        { ...task, resourceVersion: task.resourceVersion + 1, updatedAt: timestamp(clock.now()) },
        { type: 'task.claimed' },
      );
      // Status writes of administrators and facts of other kinds are not transitions of a run.
      const again = { ...task, resourceVersion: task.resourceVersion + 2, updatedAt: timestamp(clock.now()) };
      await write(store, again, { type: 'task.succeeded', source: 'somebody' });
      await counter().runOnce();
      expect((await runs()).totals).toMatchObject({ started: 5, succeeded: 5 });
    },
  );

  it.skipIf(skip)('counts once what is written while it reads', async () => {
    const { store, clock, claim, run, counter, runs } = await setup(open);
    let written = 0;
    const busy = withReads(store, () => run(`t${++written}`, 'succeeded'));
    while (written < 3) await createRunCounter({ store: busy, clock, claim, reportError: () => undefined }).runOnce();
    await counter().runOnce();
    expect((await runs()).totals).toMatchObject({ started: written, succeeded: written });
  });

  it.skipIf(skip)('counts once with two concurrent counters', async () => {
    const { run, counter, runs } = await setup(open);
    for (let i = 0; i < 100; i += 1) await run(`t${i}`, 'succeeded', { ms: 1 });
    await Promise.allSettled([counter().runOnce(), counter().runOnce(), counter().runOnce()]);
    await counter().runOnce();
    expect((await runs()).totals).toMatchObject({ started: 100, succeeded: 100, tokens: 1_000 });
  });

  it.skipIf(skip)('counts each run of one transaction that is longer than a stretch, and no trial', async () => {
    const { store, counter, runs, use, clock } = await setup(open);
    const now = timestamp(clock.now());
    const done = (name: string): StoredObject => ({
      ...{ kind: 'Task', namespace: 'default', name, uid: randomUUID(), resourceVersion: 1, generation: 1, labels: {}, annotations: {} },
      ...{ createdAt: now, updatedAt: now, spec: { system: 'desk' } },
      status: { output: { tokens_used_total: '7' }, ...(name.startsWith('trial') && { trial: 'true' }) },
    });
    const tasks = Array.from({ length: 300 }, (_, i) => done(i % 10 === 0 ? `trial${i}` : `t${i}`));
    const fact = (type: string): Fact => ({ type, source: 'engine', action: type, message: type });
    await store.transaction(async (tx) => {
      for (const task of tasks) await tx.insertObject(task);
      for (let i = 0; i < 25; i += 1) await tx.appendFact(tasks[1]!, now, fact('task.progress'));
      for (const task of tasks) await tx.appendFact(task, now, fact('task.succeeded'));
    });
    await counter().runOnce();
    expect((await runs()).totals).toMatchObject({ succeeded: 270, tokens: 270 * 7 });
    expect(await use('AgentSystem', 1)).toMatchObject({ succeeded: 270 });
  });

  it.skipIf(skip)('finds the state of a fact that is the first of its stretch', async () => {
    const { store, counter, runs, clock } = await setup(open);
    const now = timestamp(clock.now());
    const key = { kind: 'Task', namespace: 'default', name: 'split' };
    const base = { uid: 'u', resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: now, updatedAt: now, spec: {} };
    const status = { startedAt: now, completedAt: timestamp(clock.now() + 5_000), output: { tokens_used_total: '7' } };
    await store.transaction((tx) => tx.insertObject({ ...key, ...base, status }));
    await counter().runOnce();
    await store.transaction((tx) =>
      tx.appendFact(key, now, { type: 'task.succeeded', source: 'engine', action: 'succeeded', message: '' }),
    );
    await counter().runOnce();
    expect((await runs()).totals).toMatchObject({ succeeded: 1, tokens: 7, p50Ms: expect.any(Number) });
  });

  it.skipIf(skip)('writes nothing once its lease was taken over: the next leader counts it', async () => {
    const { run, counter, runs, store, clock } = await setup(open);
    await run('a', 'succeeded');
    const stale = counter();
    clock.advance(LEASE_MS + 1);
    const next = await takeLease(store, clock.now(), 'another');
    await expect(stale.runOnce()).rejects.toBeInstanceOf(LeaseLost);
    expect((await runs({ hours: 744 })).countedSince).toBeUndefined();
    const successor = createRunCounter({ store, clock, claim: next, reportError: () => undefined });
    await successor.runOnce();
    expect(await store.getDocument('run-statistics', '*/2026-01-02T03')).toMatchObject({ started: 1, succeeded: 1 });
  });

  it.skipIf(skip)('continues with the oldest retained change and reports the gap when the log was pruned past the cursor', async () => {
    const { run, counter, runs, store, clock } = await setup(open);
    await run('a', 'succeeded');
    await counter().runOnce();
    const { countedSince, gapSince } = await runs();
    expect([countedSince, gapSince]).toEqual(['2026-01-02T03:04:05.000Z', undefined]);
    const countedAt = timestamp(clock.now());
    clock.advance(60_000);
    await run('lost', 'failed');
    await run('kept', 'cancelled');
    await store.pruneChanges({ keepNewest: 5 });
    await counter().runOnce();
    const after = await runs();
    expect(after.totals).toMatchObject({ succeeded: 1, failed: 0, cancelled: 1, started: 2 });
    expect(after).toMatchObject({ gapSince: countedAt, gapUntil: '2026-01-02T03:05:07.000Z', countedSince });
    await counter().runOnce();
    clock.advance(3 * HOUR_MS);
    expect((await runs({ hours: 2 })).gapSince).toBeUndefined();
  });

  it.skipIf(skip)('drops hours that are too old, and keeps the others', async () => {
    const { run, counter, store, clock } = await setup(open);
    await run('a', 'succeeded');
    await run('b', 'succeeded', { namespace: 'team' });
    await counter().runOnce();
    clock.advance(700 * HOUR_MS);
    await run('c', 'failed', { namespace: 'team' });
    await counter().runOnce();
    const ids = async () => (await store.listDocuments('run-statistics', '', 100)).map(({ id }) => id);
    expect(await ids()).toHaveLength(5);
    clock.advance(100 * HOUR_MS);
    await counter().runOnce();
    expect(await ids()).toEqual(['*/2026-01-31T07', 'team/2026-01-31T07']);
  });

  it.skipIf(skip)('counts after a commit notice', async () => {
    const { run, counter, runs, clock } = await setup(open);
    const running = counter();
    running.start();
    await expect.poll(async () => (await runs()).countedSince).toBeDefined();
    await run('a', 'succeeded');
    await expect
      .poll(async () => {
        clock.advance(1_000);
        return (await runs()).totals.succeeded;
      })
      .toBe(1);
    await running.stop();
    await running.stop();
  });
});

describe('a request for statistics', () => {
  it('needs role reader, a number of hours in range and a valid namespace', async () => {
    const { store, clock } = await setup(storeEngines[0]!.open);
    const { runs } = createStatistics({ store, clock });
    await expect(runs(as('a2a'), { hours: 1 })).rejects.toMatchObject({ code: 'forbidden' });
    for (const hours of [0, 745, 1.5]) await expect(runs(as('reader'), { hours })).rejects.toMatchObject({ code: 'invalid' });
    await expect(runs(as('reader'), { hours: 1, namespace: 'Not One' })).rejects.toMatchObject({ code: 'invalid' });
    expect(await runs(as('reader'), { hours: 1 })).toEqual({ buckets: [{ start: '2026-01-02T03:00:00.000Z', ...NONE }], totals: NONE });
  });
});
