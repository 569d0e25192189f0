// The controller over a real store: marks at the exact moment, once, under the leader's claim only.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { timestamp } from '../../clock.ts';
import type { Claim, Store } from '../../store/store.ts';
import { keptLog, storeEngines, takeLease, turns, type LogLine } from '../../testing/background.ts';
import { registryOver } from '../../testing/registry-fixture.ts';
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts';
import { createWorkerHealth } from './controller.ts';

const TIMEOUT_MS = 30_000;
const DAY_MS = 86_400_000;

interface World {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly claim: Claim;
  readonly lines: LogLine[];
  readonly start: () => void;
  /** Makes the Worker, or has it report. */
  readonly report: (name: string, status: Record<string, unknown>, annotations?: Record<string, string>) => Promise<void>;
  readonly phase: (name: string) => Promise<unknown>;
  readonly facts: () => Promise<unknown[]>;
}

async function setup(open: (clock: ManualClock) => Promise<Store>): Promise<World> {
  const clock = createManualClock();
  const store = await open(clock);
  onTestFinished(() => store.close());
  const { log, lines } = keptLog();
  const claim = await takeLease(store, clock.now());
  const keyOf = (name: string) => ({ kind: 'Worker', namespace: 'default', name });
  return {
    store,
    clock,
    claim,
    lines,
    start() {
      const controller = createWorkerHealth({
        store,
        clock,
        log,
        registry: registryOver(store, clock),
        random: () => 1,
        claim,
        workerTimeoutMs: TIMEOUT_MS,
        coalesceMs: 0,
      });
      onTestFinished(() => controller.stop());
      controller.start();
    },
    report: (name, status, annotations = {}) =>
      store.transaction(async (tx) => {
        const now = timestamp(clock.now());
        const found = await tx.getObjectForUpdate(keyOf(name));
        if (found) return tx.updateObject({ ...found, resourceVersion: found.resourceVersion + 1, updatedAt: now, status });
        const base = { resourceVersion: 1, generation: 1, labels: {}, createdAt: now, updatedAt: now, spec: {} };
        return tx.insertObject({ ...keyOf(name), uid: randomUUID(), ...base, annotations, status });
      }),
    phase: async (name) => (await store.getObject(keyOf(name)))?.status['phase'],
    async facts() {
      const changes = await store.readChanges({ after: 0, limit: 500, kind: 'Worker' });
      return changes.flatMap(({ name, fact }) => (fact ? [[name, fact.type, fact.source, fact.message, fact.data]] : []));
    },
  };
}

describe.each(storeEngines.filter(({ skip }) => !skip))('worker health over $name', ({ open, exact }) => {
  it('marks a silent Worker at its timeout, and reports it once', async () => {
    const { clock, store, start, report, phase, facts } = await setup(open);
    const began = clock.now();
    const ready = (at: number) => ({ phase: 'Ready', lastHeartbeat: timestamp(at), currentTasks: 1 });
    start();
    for (const name of ['alive', 'silent']) await report(name, ready(began));
    await turns();
    clock.advance(TIMEOUT_MS - 1);
    await report('alive', ready(clock.now()));
    await turns();
    expect(await facts()).toEqual([]);
    clock.advance(1);
    await expect.poll(() => phase('silent'), { interval: 2 }).toBe('NotReady');
    await turns();
    expect(await phase('alive')).toBe('Ready');
    const message = `no heartbeat since ${timestamp(began)}`;
    expect((await store.getObject({ kind: 'Worker', namespace: 'default', name: 'silent' }))?.status).toEqual({
      ...ready(began),
      phase: 'NotReady',
      lastError: message,
    });
    expect(await facts()).toEqual([['silent', 'worker.not_ready', 'worker-health', message, { lastHeartbeat: timestamp(began) }]]);
  });

  if (exact)
    it('accepts a Worker that reports again, and marks it NotReady after the next silence', async () => {
      const { clock, start, report, phase, facts } = await setup(open);
      start();
      await report('w', { phase: 'Ready', lastHeartbeat: timestamp(clock.now() - TIMEOUT_MS) });
      await expect.poll(() => phase('w'), { interval: 2 }).toBe('NotReady');
      await report('w', { phase: 'Ready', lastHeartbeat: timestamp(clock.now()) });
      await turns();
      expect(await phase('w')).toBe('Ready');
      clock.advance(TIMEOUT_MS);
      await expect.poll(() => phase('w'), { interval: 2 }).toBe('NotReady');
      expect(await facts()).toHaveLength(2);
    });

  if (exact)
    it('trusts its own clock for Workers whose clock is behind, as long as they report', async () => {
      const { clock, start, report, phase } = await setup(open);
      const behind = () => timestamp(clock.now() - 3_600_000);
      start();
      await report('w', { phase: 'Ready', lastHeartbeat: behind() });
      await expect.poll(() => phase('w'), { interval: 2 }).toBe('NotReady');
      for (let round = 0; round < 5; round += 1) {
        clock.advance(10_000);
        await report('w', { phase: 'Ready', lastHeartbeat: behind() });
        await turns();
        expect(await phase('w')).toBe('Ready');
      }
    });

  it('leaves Workers alone that never reported', async () => {
    const { clock, start, report, phase, facts } = await setup(open);
    start();
    await report('declared', { phase: 'Pending' });
    clock.advance(DAY_MS * 2);
    await turns();
    expect([await phase('declared'), await facts()]).toEqual(['Pending', []]);
  });

  it('forgets Workers that registered themselves a day after they went, and no others', async () => {
    const { clock, start, report, phase } = await setup(open);
    const gone = { phase: 'NotReady', lastHeartbeat: timestamp(clock.now()) };
    await report('host-4711', gone, { 'svc.dev/registered-by': 'worker' });
    await report('declared', gone);
    start();
    clock.advance(DAY_MS - 1);
    await turns();
    expect(await phase('host-4711')).toBe('NotReady');
    clock.advance(1);
    await expect.poll(() => phase('host-4711'), { interval: 2 }).toBeUndefined();
    expect(await phase('declared')).toBe('NotReady');
  });

  it('writes nothing once another leader has taken over', async () => {
    const { clock, store, start, report, phase, facts, lines, claim } = await setup(open);
    start();
    await report('w', { phase: 'Ready', lastHeartbeat: timestamp(clock.now()) });
    await turns();
    const heir = await takeLease(store, claim.leaseUntil, 'heir');
    expect(heir.takeover).toBe(true);
    clock.advance(TIMEOUT_MS);
    await expect.poll(() => lines.map(({ level }) => level), { interval: 2 }).toEqual(['info']);
    expect([await phase('w'), await facts()]).toEqual(['Ready', []]);
  });
});
