// Forgiven takeovers where the answer of a commit is lost.
import { ServiceError } from '@svc/shared/errors';
import { expect, onTestFinished, test } from 'vitest';
import type { Claim, Store } from '../store/store.ts';
import { openEngine, putSystem } from '../testing/engine.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import { createLostClaims } from './lost-claims.ts';

/** A store that commits the first transaction and fails to report it. */
function losingAnswer(store: Store): Pick<Store, 'transaction'> {
  let isLost = false;
  return {
    async transaction(work, options) {
      const value = await store.transaction(work, options);
      if (isLost) return value;
      isLost = true;
      throw new ServiceError('unavailable', 'the answer of the commit was lost');
    },
  };
}

test.each([
  ['before another worker comes', 0],
  ['after a takeover', 1],
])('a lost claim is taken off the count once where the answer of its commit is lost, %s', async (_when, earlier) => {
  const engine = await openEngine();
  onTestFinished(() => engine.close());
  await putSystem(engine, { agent: {} });
  const { store } = engine;
  const { metadata } = await engine.put('Task', 'task', { system: 'system' });
  let now = Date.now();
  const take = async (owner: string): Promise<Claim> => {
    now += 10_000;
    const capabilities = { gpu: false, supportedModels: [], secrets: true };
    const query = { queue: TASK_QUEUE, owner, now, leaseMs: 1_000, limit: 1, capabilities };
    const [claim] = await store.transaction((tx) => tx.claimWork(query));
    if (!claim) throw new Error('nothing was claimed');
    return claim;
  };
  const lost = createLostClaims(losingAnswer(store));
  lost.add(await take('first'));
  for (let n = 0; n < earlier; n += 1) await take(`earlier-${n}`);
  await expect(lost.forgive()).rejects.toMatchObject({ code: 'unavailable' });
  const { takeovers } = await take('heir');
  await lost.forgive();
  expect(await store.getWorkItem(TASK_QUEUE, metadata.uid)).toMatchObject({ takeovers, owner: 'heir' });
  const next = await take('next');
  expect(next.takeovers).toBe(earlier + 1);
});
