// Ends of denied runs that no worker holds, over both databases.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { requireApprovalOf, openApprovals } from '../../testing/approval-fixture.ts';
import { storeEngines } from '../../testing/background.ts';
import { putSystem } from '../../testing/engine.ts';
import { DENIED_QUEUE } from '../approvals/approval-signal.ts';
import type { Entry } from '../core/entries.ts';
import type { RunListener } from '../run-listeners.ts';
import { PAUSE_SIGNAL } from '../shell/signals.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { createDenialTimer } from './end-denied.ts';

const COLLECTION = 'test.ends';
/** Counts ends through the transaction: those that were rolled back are not in it. */
const counting: RunListener = {
  name: 'counting',
  async onRunChange(tx, task, change) {
    if (change.kind !== 'ended') return;
    const { ends = [] } = ((await tx.getDocument(COLLECTION, task.metadata.name)) ?? {}) as { ends?: string[] };
    await tx.putDocument(COLLECTION, task.metadata.name, { ends: [...ends, `${change.how}: ${change.failure?.code}`] });
  },
};

describe.each(storeEngines.filter(({ skip }) => !skip))('a denied run over $name', ({ open }) => {
  /** A run of branches that wait for an approval each, and no worker that takes it. */
  async function waiting(agents: readonly string[] = ['agent']) {
    const fixture = await openApprovals({
      runListeners: [counting],
      governance: requireApprovalOf('pay'),
      model: ({ step, agent }) =>
        step === 1 && agent !== 'start' ? { toolCalls: [{ id: '1', name: 'pay', arguments: '{}' }] } : { content: 'done' },
      store: await open(systemClock),
    });
    const { engine } = fixture;
    const { store, runListeners } = engine;
    onTestFinished(() => engine.close());
    await engine.put('Tool', 'pay', { type: 'http', endpoint: 'http://tool' });
    const edges = agents.map((to) => ({ to }));
    await putSystem(engine, { start: {}, ...Object.fromEntries(agents.map((name) => [name, { tools: ['pay'] }])) }, { start: { edges } });
    const { metadata } = await engine.put('Task', 'task', { system: 'system' });
    await engine.worker.runOnce();
    await engine.worker.drain();
    const told: string[] = [];
    const observer = {
      ...{ claimed: () => undefined, leaseLost: () => undefined },
      recorded: (_: unknown, entries: readonly Entry[]) => void told.push(...entries.map(({ type }) => type)),
    };
    const timer = createDenialTimer({ store, clock: systemClock, observer, runListeners });
    const [first] = await fixture.all('ToolApproval');
    if (!first) throw new Error('no approval was made');
    return {
      ...{ ...fixture, store, told, first, uid: metadata.uid },
      endDenied: () => timer.prepare(`${metadata.uid}/${first.name}`),
      ends: async () => ((await store.getDocument(COLLECTION, 'task')) as { ends: string[] } | undefined)?.ends ?? [],
      journal: async () => (await store.readJournal(metadata.uid, 0, 1_000)).map(({ type }) => type),
    };
  }

  test.each([
    ['denial', 'approval_denied'],
    ['expiry', 'approval_timeout'],
  ])('ends by its %s without a worker, once', async (how, reason) => {
    const { engine, store, told, first, uid, endDenied, ends, journal, ...fixture } = await waiting();
    if (how === 'denial') await fixture.decide(first, { decision: 'denied' });
    else await fixture.expire(first);
    expect(await store.getWorkItem(DENIED_QUEUE, `${uid}/${first.name}`)).toMatchObject({ namespace: 'default', name: 'task' });
    await endDenied();
    const { status } = await engine.read('task');
    expect(status).toMatchObject({ phase: 'Failed', reason, assignedWorker: 'worker-1' });
    expect(status).not.toHaveProperty('blockedOn');
    expect(await store.getWorkItem(TASK_QUEUE, uid)).toBeUndefined();
    expect(await store.readSignals(uid)).toEqual([]);
    const entries = ['approval.resolved', 'tool.failed', 'agent.failed', 'run.failed'];
    expect([told, (await journal()).slice(-4)]).toEqual([entries, entries]);
    await endDenied();
    expect(await engine.worker.runOnce()).toBe(0);
    expect(await ends()).toEqual([`failed: ${reason}`]);
  });

  test('ends once when a worker takes it at the same time', async () => {
    const { engine, first, decide, endDenied, ends, journal } = await waiting();
    await decide(first, { decision: 'denied' });
    await Promise.all([endDenied(), engine.worker.runOnce(), endDenied()]);
    await engine.worker.drain();
    expect((await engine.read('task')).status).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
    expect((await journal()).filter((type) => type === 'run.failed')).toHaveLength(1);
    expect(await ends()).toEqual(['failed: approval_denied']);
  });

  test('closes the approval of another branch with its end', async () => {
    const { engine, first, decide, endDenied, all } = await waiting(['one', 'two']);
    await decide(first, { decision: 'denied' });
    await endDenied();
    expect((await engine.read('task')).status).toMatchObject({ phase: 'Failed', reason: 'approval_denied' });
    expect((await all('ToolApproval')).map(({ status }) => status['phase']).sort()).toEqual(['Denied', 'Expired']);
  });

  test('stays where it is while it is paused, with its decision unread', async () => {
    const { engine, store, uid, first, decide, endDenied, ends, journal } = await waiting();
    const timestamp = new Date().toISOString();
    await store.transaction((tx) => tx.sendSignal(TASK_QUEUE, { stream: uid, type: PAUSE_SIGNAL, timestamp, data: {} }));
    await decide(first, { decision: 'denied' });
    const before = await journal();
    await endDenied();
    expect([await journal(), await ends()]).toEqual([before, []]);
    expect((await store.readSignals(uid)).map(({ type }) => type)).toEqual([PAUSE_SIGNAL, 'approval']);
    expect((await engine.read('task')).status).toMatchObject({ phase: 'WaitingApproval' });
  });
});
