// Receivers of one caller that never answer, beside those of others.
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { overlay } from '../../overlay.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { StoredObject } from '../../store/store.ts';
import { addRecord, type TaskRecord } from '../tasks/records.ts';
import { deletedTask } from '../tasks/view.ts';
import { pushTimer, type DeliveryDeps } from './deliver.ts';
import { addNotifications, PUSH_QUEUE, putConfig } from './records.ts';

const CALLERS = { many: 10, other: 1 };
const box = createSecretBox('11'.repeat(32));

const recordOf = (caller: string): TaskRecord => ({
  id: caller,
  owner: `bearer:${caller}`,
  system: { namespace: 'default', name: 'echo', uid: 'system-uid' },
  contextId: 'context',
  run: { kind: 'task', task: { namespace: 'default', name: caller, uid: `uid-${caller}` } },
  messages: [],
  changedAt: 1,
});

async function openStore() {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock, referencesOf: () => ({}) as never });
  onTestFinished(() => store.close());
  for (const [caller, configs] of Object.entries(CALLERS))
    await store.transaction(async (tx) => {
      const record = recordOf(caller);
      await addRecord(tx, record);
      for (let index = 0; index < configs; index += 1) {
        const config = { id: `c${index}`, url: `https://${caller}.example/` };
        await putConfig(tx, box, { record, config, dialect: 'v1' });
      }
      await addNotifications(tx, record, { task: deletedTask(record), now: 1 });
    });
  return store;
}

test('a caller holds some of the places, and its next notification is woken when one is free', async () => {
  const store = await openStore();
  const claim = { queue: PUSH_QUEUE, owner: 'o', now: systemClock.now(), leaseMs: 60_000, limit: 100 };
  const capabilities = { gpu: false, supportedModels: [], secrets: true };
  const claims = await store.transaction((tx) => tx.claimWork({ ...claim, capabilities }));
  const sent: { readonly url: string; readonly fail: () => void }[] = [];
  const system = { kind: 'AgentSystem', name: 'echo', spec: { agents: ['echo'], a2a: { enabled: true } } } as unknown as StoredObject;
  const open = overlay(store, { getObject: (key) => (key.kind === 'AgentSystem' ? Promise.resolve(system) : store.getObject(key)) });
  const timer = pushTimer({
    ...{ store: open, clock: systemClock, secretBox: box, random: () => 0, log: { info: () => undefined, warn: () => undefined } },
    principal: (name: string) => Promise.resolve({ method: 'bearer', name, role: 'writer' }),
    egress: { send: ({ url }: { url: string }) => new Promise((_, fail) => sent.push({ url, fail: () => fail(new Error('late')) })) },
  } as unknown as DeliveryDeps);
  const concluded: string[] = [];
  const handled = claims.map(async (held) => {
    const conclude = await timer.prepare(held.key);
    await store.transaction(async (tx) => {
      const outcome = await conclude(tx, systemClock.now());
      if (outcome) await tx.releaseWork(held, { notBefore: outcome.againAt });
    });
    concluded.push(held.key);
  });
  await expect.poll(() => [sent.length, concluded.length]).toEqual([9, 2]);
  expect(sent.filter(({ url }) => url.includes('other'))).toHaveLength(1);
  expect(timer.concurrency).toBeGreaterThan(8);
  const deferred = concluded[0] ?? '';
  expect((await store.getWorkItem(PUSH_QUEUE, deferred))?.notBefore).toBeGreaterThan(0);
  sent.find(({ url }) => url.includes('many'))?.fail();
  await expect.poll(async () => (await store.getWorkItem(PUSH_QUEUE, deferred))?.notBefore).toBe(0);
  sent.forEach(({ fail }) => fail());
  await Promise.all(handled);
});
