import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../../store/store.ts';
import { storeEngines } from '../../testing/background.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { readHeldRuns } from './held-runs.ts';
import { TASK_QUEUE } from '../task-queue.ts';

const NOW = Date.parse('2026-01-02T03:04:05.000Z');
const LEASE_MS = 30_000;

/** A Task that says that `worker` runs it. */
async function running(store: Store, name: string, worker: string): Promise<void> {
  const at = new Date(NOW).toISOString();
  const key = { kind: 'Task', namespace: 'team', name };
  const base = { uid: name, resourceVersion: 1, generation: 1, labels: {}, annotations: {}, createdAt: at, updatedAt: at, spec: {} };
  const status = { phase: 'Running', assignedWorker: worker, startedAt: at };
  const item = { queue: TASK_QUEUE, key: name, namespace: 'team', name, rank: 1, notBefore: 0, requirements: {} };
  await store.transaction(async (tx) => {
    await tx.insertObject({ ...key, ...base, status });
    await tx.enqueueWork(item);
  });
}

async function claim(store: Store, owner: string, limit: number): Promise<void> {
  const capabilities = { gpu: false, supportedModels: [], secrets: true };
  await store.transaction((tx) => tx.claimWork({ queue: TASK_QUEUE, owner, now: NOW, leaseMs: LEASE_MS, limit, capabilities }));
}

async function setup(): Promise<Store> {
  const store = await storeEngines[0]!.open(createManualClock());
  onTestFinished(() => store.close());
  return store;
}

test('a worker holds the runs it has leases of, not those it held last', async () => {
  const store = await setup();
  await running(store, 'mine', 'w1');
  await claim(store, 'w1', 1);
  await running(store, 'given-back', 'w1');
  await running(store, 'of-another', 'w2');
  expect(await readHeldRuns(store, 'w1')).toEqual({
    runs: [
      {
        uid: 'mine',
        namespace: 'team',
        name: 'mine',
        startedAt: '2026-01-02T03:04:05.000Z',
        leaseUntil: new Date(NOW + LEASE_MS).toISOString(),
      },
    ],
    more: false,
  });
  expect(await readHeldRuns(store, 'nobody')).toEqual({ runs: [], more: false });
});

test('a list of more than 20 held runs returns the first 20 and reports that there are more', async () => {
  const store = await setup();
  for (let index = 0; index < 21; index += 1) await running(store, `t${index}`, 'w1');
  await claim(store, 'w1', 21);
  const { runs, more } = await readHeldRuns(store, 'w1');
  expect([runs.length, more]).toEqual([20, true]);
});
