// Concurrent changes of a run: a signal while it is released, a cancel while its owner is gone, a journal of a newer version.
// Over real stores.
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { systemContext, type Registry } from '../../registry/registry.ts';
import type { Claim, Store, StoreTransaction } from '../../store/store.ts';
import { keptDecisions } from '../../testing/approval-deps.ts';
import { storeEngines } from '../../testing/background.ts';
import { openEngine, putSystem, type EngineBundle } from '../../testing/engine.ts';
import { APPROVAL_SIGNAL, sendDecision } from '../approvals/approval-signal.ts';
import { writeRun } from './commit.ts';
import { JOURNAL_FORMAT } from '../core/entries.ts';
import { newRunState } from '../core/state.ts';
import { createRunService } from '../runs/create-run-service.ts';
import { silentObserver } from '../observer.ts';
import { noRunListeners } from '../run-listeners.ts';
import { CallError } from '../ports.ts';
import { CANCEL_SIGNAL } from './signals.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { overlay } from '../../overlay.ts';

const HOUR_MS = 3_600_000;
const REF = { namespace: 'default', name: 'task' };
const NOTHING = { state: newRunState(), lastSeq: 0, entries: [], signalIds: [], change: undefined };
const capabilities = { gpu: false, supportedModels: [], secrets: true };

const cancel = (store: Store) =>
  createRunService({ store, observer: silentObserver, runListeners: noRunListeners, registry: {} as Registry, ...keptDecisions() }).cancel(
    systemContext,
    REF,
    'enough',
  );
const itemOf = ({ store }: EngineBundle, { key }: Claim) => store.getWorkItem(TASK_QUEUE, key);
const giveBack = ({ store }: EngineBundle, claim: Claim) =>
  store.transaction((tx) => {
    const now = Date.now();
    return writeRun(tx, { ...NOTHING, claim, now, release: { notBefore: now + HOUR_MS } }, noRunListeners);
  });

/** A store where something else happens right after the first read of a work item in the first transaction. */
function crossed(store: Store, other: () => Promise<unknown>): Store {
  let happened = false;
  const around = (tx: StoreTransaction): StoreTransaction =>
    overlay(tx, {
      async getWorkItem(...args) {
        const answer = await tx.getWorkItem(...args);
        if (!happened) {
          happened = true;
          await other();
        }
        return answer;
      },
    });
  return overlay(store, { transaction: (work) => store.transaction((tx) => work(around(tx))) });
}

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ name: engineName, open }) => {
  /** A Task held by an owner that does nothing. */
  async function held(leaseMs = HOUR_MS): Promise<{ engine: EngineBundle; claim: Claim }> {
    const engine = await openEngine({ store: await open(systemClock) });
    onTestFinished(() => engine.close());
    await putSystem(engine, { agent: {} });
    await engine.put('Task', 'task', { system: 'system' });
    const query = { queue: TASK_QUEUE, owner: 'gone', now: Date.now(), leaseMs, limit: 1, capabilities };
    const [claim] = await engine.store.transaction((tx) => tx.claimWork(query));
    if (!claim) throw new Error('nothing was claimed');
    return { engine, claim };
  }

  test('keeps a label that is written while the run of its Task is in flight', async () => {
    const store = await open(systemClock);
    const label = () =>
      store.transaction(async (tx) => {
        const task = await tx.getObjectForUpdate({ kind: 'Task', ...REF });
        if (!task) throw new Error('the Task is gone');
        await tx.updateObject({ ...task, labels: { seen: 'yes' }, resourceVersion: task.resourceVersion + 1 });
      });
    const engine = await openEngine({ store, model: () => label().then(() => ({ content: 'done' })) });
    onTestFinished(() => engine.close());
    await putSystem(engine, { agent: {} });
    await engine.put('Task', REF.name, { system: 'system' });
    engine.worker.start();
    const { metadata, status } = await engine.until(REF.name);
    expect([metadata.labels, status['phase']]).toEqual([{ seen: 'yes' }, 'Succeeded']);
    const changes = await store.readChanges({ after: 0, limit: 100, kind: 'Task' });
    expect(changes.filter(({ type }) => type === 'updated').map(({ object }) => object?.resourceVersion)).toEqual([2, 3, 4]);
  });

  test('a Task with an expired lease is cancelled at once without a worker; later writes of its owner are rejected', async () => {
    const { engine, claim } = await held(-1);
    const { status } = await cancel(engine.store);
    expect(status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
    expect(await itemOf(engine, claim)).toBeUndefined();
    const late = engine.store.transaction((tx) =>
      writeRun(tx, { ...NOTHING, claim, now: Date.now(), release: { notBefore: 0 } }, noRunListeners),
    );
    await expect(late).rejects.toMatchObject({ name: 'LeaseLost' });
  });

  test('a cancel that comes just before its owner gives the Task back for an hour is found at once', async () => {
    const { engine, claim } = await held();
    const signal = { stream: claim.key, type: CANCEL_SIGNAL, timestamp: new Date().toISOString(), data: { by: 'ann' } };
    await engine.store.transaction((tx) => tx.sendSignal(TASK_QUEUE, signal));
    await giveBack(engine, claim);
    await engine.worker.runOnce();
    expect((await engine.until('task')).status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
  });

  test('a Task that is released until a later time without a reason is not claimed before', async () => {
    const { engine, claim } = await held();
    await giveBack(engine, claim);
    expect(await engine.worker.runOnce()).toBe(0);
  });

  test('a stale signal does not bring the next attempt of a Task forward', async () => {
    const fails = () => Promise.reject(new CallError('rate_limited', 'later', { retryable: true }));
    const engine = await openEngine({ store: await open(systemClock), model: fails });
    onTestFinished(() => engine.close());
    await putSystem(engine, { agent: {} });
    const { metadata } = await engine.put('Task', 'task', { system: 'system', retry: { max_attempts: 2, backoff: '1h' } });
    const item = () => engine.store.getWorkItem(TASK_QUEUE, metadata.uid);
    await engine.worker.runOnce();
    await engine.worker.drain();
    const { notBefore: due = 0 } = (await item()) ?? {};
    expect(due).toBeGreaterThan(Date.now());
    // Simulates an owner that releases the run while the signal is sent.
    await engine.store.transaction(async (tx) => {
      await tx.sendSignal(TASK_QUEUE, { stream: metadata.uid, type: APPROVAL_SIGNAL, timestamp: new Date().toISOString(), data: {} });
      const found = await tx.getWorkItem(TASK_QUEUE, metadata.uid);
      if (found) await tx.enqueueWork({ ...found, notBefore: 0 });
    });
    expect(await engine.worker.runOnce()).toBe(1);
    await engine.worker.drain();
    expect(engine.modelCalls).toHaveLength(1);
    expect(await item()).toMatchObject({ owner: undefined, notBefore: due });
    expect(await engine.store.readSignals(metadata.uid)).toEqual([]);
    expect((await engine.read('task')).status).toMatchObject({ phase: 'Pending', nextAttemptAt: new Date(due).toISOString() });
  });

  test.each([
    ['an entry of a type it does not know', [{ type: 'run.dreamt', timestamp: new Date().toISOString(), data: {} }]],
    [
      'a claim of a later format',
      [{ type: 'run.claimed', timestamp: new Date().toISOString(), data: { worker: 'new', format: JOURNAL_FORMAT + 1 } }],
    ],
  ])('a worker that finds %s leaves the run to newer ones, as it is', async (_, entries) => {
    const { engine, claim } = await held();
    await engine.store.transaction(async (tx) => {
      await tx.appendJournal(claim, 0, entries);
      await tx.releaseWork(claim, { notBefore: 0 });
    });
    await engine.worker.runOnce();
    await engine.worker.drain();
    expect(await itemOf(engine, claim)).toMatchObject({ owner: undefined, parked: false });
    expect(await engine.store.readJournal(claim.key, 0, 10)).toHaveLength(1);
    expect((await engine.read('task')).status).toMatchObject({ phase: 'Pending' });
    await expect(cancel(engine.store)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('a Task that left the queue and came back continues from its journal, and blocks no other', async () => {
    const { engine, claim } = await held();
    const claimed = {
      type: 'run.claimed',
      timestamp: new Date().toISOString(),
      data: { worker: 'gone', fence: 1, takeover: false, attempt: 0 },
    };
    const item = await itemOf(engine, claim);
    if (!item) throw new Error('no item');
    await engine.store.transaction(async (tx) => {
      await tx.appendJournal(claim, 0, [claimed]);
      await tx.finishWork(claim);
      await tx.enqueueWork(item);
    });
    await engine.put('Task', 'other', { system: 'system' });
    await engine.worker.runOnce();
    for (const name of ['task', 'other']) expect((await engine.until(name)).status).toMatchObject({ phase: 'Succeeded' });
    expect(await engine.store.readJournal(claim.key, 0, 1)).toMatchObject([{ data: { worker: 'gone' } }]);
  });

  // SQLite runs one transaction at a time: nothing can come between a read and a write there.
  if (engineName === 'SQLite') return;

  test('a cancel ends a Task at once that is released while the cancel reads it', async () => {
    const { engine, claim } = await held();
    const { status } = await cancel(crossed(engine.store, () => giveBack(engine, claim)));
    expect(status).toMatchObject({ phase: 'Failed', reason: 'cancelled' });
  });

  test('a decision wakes a run that is released at the same moment', async () => {
    const { engine, claim } = await held();
    const waiting = { kind: 'ToolApproval', stream: claim.key, task: 'task', uid: 'u', reason: 'unknown_outcome' } as const;
    const store = crossed(engine.store, () => giveBack(engine, claim));
    await store.transaction((tx) => sendDecision(tx, { waiting, verdict: { name: 'a', decision: 'denied' }, now: Date.now() }));
    expect(await itemOf(engine, claim)).toMatchObject({ owner: undefined, notBefore: 0 });
  });

  test('a cancel that finds an expired lease is sent to the owner when the lease is renewed meanwhile', async () => {
    const { engine, claim } = await held(-1);
    const renew = async () => void (await engine.store.transaction((tx) => tx.renewWork([claim], Date.now() + HOUR_MS)));
    const { status } = await cancel(crossed(engine.store, renew));
    expect(status).toMatchObject({ phase: 'Pending' });
    expect(await engine.store.readSignals(claim.key)).toMatchObject([{ type: CANCEL_SIGNAL }]);
  });
});
