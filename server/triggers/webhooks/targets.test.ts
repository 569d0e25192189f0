// Targets of deliveries whose Secret cannot be read: one that is missing is a reason to refuse, an unreachable database is not.
import { ServiceError } from '@svc/shared/errors';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { as, registryOver } from '../../testing/registry-fixture.ts';
import { createTargets } from './targets.ts';
import { createWebhookHooks } from './webhook-hooks.ts';

let store: Store;
let endpointId: string;

beforeEach(async () => {
  const clock = createManualClock();
  store = await openSqliteStore({ path: ':memory:', clock });
  const body = { kind: 'TaskWebhook', metadata: { name: 'hook' }, spec: { task_ref: 'report', auth: { secret_ref: 'key' } } };
  const registry = registryOver(store, clock, { hooks: createWebhookHooks(clock) });
  const { resource } = await registry.post(as('writer'), { kind: 'TaskWebhook', namespace: 'default', body });
  endpointId = String((resource.status as { endpointID?: unknown }).endpointID);
});
afterEach(() => store.close());

const targetsWith = (...answers: (string | ServiceError)[]) =>
  createTargets({
    store,
    secrets: {
      resolveValue: () => {
        const next = answers.shift();
        return next instanceof ServiceError ? Promise.reject(next) : Promise.resolve(next ?? '');
      },
    },
  });

it('names a Secret that is missing as the problem', async () => {
  const target = await targetsWith(new ServiceError('not_found', 'Secret default/key does not exist')).find(endpointId);
  expect(target).toMatchObject({ secret: undefined, problem: 'Secret default/key does not exist' });
});

it('fails while the database is unavailable, and recovers with the next delivery', async () => {
  const targets = targetsWith(new ServiceError('unavailable', 'the database cannot be reached'), 'topsecret');
  await expect(targets.find(endpointId)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await targets.find(endpointId)).toMatchObject({ secret: 'topsecret', problem: undefined });
});
