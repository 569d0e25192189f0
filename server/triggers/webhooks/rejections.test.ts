// Counts of refused deliveries: exact for any number of webhooks, over a store that fails, and for bodies that never arrive.
import { ServiceError } from '@svc/shared/errors';
import type { ObjectRef } from '@svc/shared/resource';
import { expect, it, onTestFinished } from 'vitest';
import { createSecretResolver } from '../../secrets/resolver.ts';
import { createSecretBox } from '../../secrets/secret-box.ts';
import type { Store } from '../../store/store.ts';
import { faultyStore } from '../../testing/faulty-store.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { registryOver } from '../../testing/registry-fixture.ts';
import { as } from '../../testing/registry-fixture.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { createWebhookService } from './create-webhook-service.ts';
import { listDeliveries, noteDeliveries, webhookStates, type NewDelivery } from './records.ts';
import { createRejections, FLUSH_MS } from './rejections.ts';
import { createWebhookHooks } from './webhook-hooks.ts';

async function setup(count: number) {
  const clock = createManualClock();
  const { store, ...faults } = await openFaulty(clock);
  const registry = registryOver(store, clock, { hooks: createWebhookHooks(clock) });
  const webhooks: ObjectRef[] = [];
  for (let n = 0; n < count; n += 1) {
    const body = { kind: 'TaskWebhook', metadata: { name: `hook-${n}` }, spec: { task_ref: 'report', auth: { secret_ref: 'key' } } };
    webhooks.push((await registry.post(as('writer'), { kind: 'TaskWebhook', namespace: 'default', body })).resource.metadata);
  }
  const errors: unknown[] = [];
  const reportError = (error: unknown) => void errors.push(error);
  const rejected = async (webhook: ObjectRef) => (await webhookStates.get(store, webhook.uid))?.rejected;
  return { clock, store, registry, webhooks, errors, reportError, rejected, ...faults };
}

async function openFaulty(clock: ReturnType<typeof createManualClock>) {
  const faulty = faultyStore(await openSqliteStore({ path: ':memory:', clock }));
  onTestFinished(() => faulty.store.close());
  return { store: faulty.store, faulty };
}

const refused = (reason: string): NewDelivery => ({
  ...{ time: '2026-01-02T03:04:05.000Z', event_id: null, outcome: 'rejected', reason, task: null },
});

it('refused deliveries of more webhooks than are listed in one flush are all counted', async () => {
  const { store, clock, webhooks, reportError, rejected, errors } = await setup(1_005);
  const rejections = createRejections({ store, clock, reportError });
  for (let round = 0; round < 3; round += 1) for (const webhook of webhooks) rejections.note(webhook, refused(`round ${round}`));
  await rejections.close();
  const counts = await Promise.all(webhooks.map(rejected));
  expect(new Set(counts)).toEqual(new Set([3]));
  expect(errors).toEqual([]);
});

it('counts that the store did not accept are stored with the next flush, with those refused in between', async () => {
  const { store, clock, webhooks, faulty, reportError, rejected, errors } = await setup(2);
  const [first, second] = webhooks as [ObjectRef, ObjectRef];
  const rejections = createRejections({ store, clock, reportError });
  faulty.fault = () => 'before';
  for (let n = 0; n < 12; n += 1) rejections.note(first, refused(`early ${n}`));
  rejections.note(second, refused('early'));
  clock.advance(FLUSH_MS);
  await expect.poll(() => errors.length).toBe(2);
  expect(await rejected(first)).toBe(0);
  rejections.note(first, refused('late'));
  faulty.fault = () => undefined;
  await expect.poll(() => clock.isAwaited(clock.now() + FLUSH_MS)).toBe(true);
  clock.advance(FLUSH_MS);
  await expect.poll(() => rejected(second)).toBe(1);
  await rejections.close();
  expect(await rejected(first)).toBe(13);
  const listed = await listDeliveries(store, first.uid);
  expect(listed).toHaveLength(10);
  expect(listed[0]).toMatchObject({ reason: 'late' });
});

it('refused deliveries that are stored late do not move the last delivery back, and are listed by their time', async () => {
  const { store, clock, webhooks, reportError } = await setup(1);
  const [webhook] = webhooks as [ObjectRef];
  const rejections = createRejections({ store, clock, reportError });
  const time = (second: number) => `2026-01-02T03:04:0${second}.000Z`;
  rejections.note(webhook, { ...refused('before'), time: time(1) });
  rejections.note(webhook, { ...refused('between'), time: time(3) });
  const accepted = (second: number, event_id: string): NewDelivery => ({
    ...{ time: time(second), event_id, outcome: 'accepted', reason: null, task: `default/run-${event_id}` },
  });
  await store.transaction(async (tx) => {
    const object = await tx.getObjectForUpdate({ kind: 'TaskWebhook', namespace: webhook.namespace, name: webhook.name });
    if (object) await noteDeliveries(tx, object, { deliveries: [accepted(2, 'e1'), accepted(4, 'e2')], now: clock.now() });
  });
  await rejections.close();
  expect(await webhookStates.get(store, webhook.uid)).toMatchObject({
    accepted: 2,
    rejected: 2,
    lastDeliveryTime: time(4),
    lastEventID: 'e2',
  });
  const listed = await listDeliveries(store, webhook.uid);
  expect(listed.map((each) => [each.time, each.outcome, each.id])).toEqual([
    [time(4), 'accepted', '2'],
    [time(3), 'rejected', '4'],
    [time(2), 'accepted', '1'],
    [time(1), 'rejected', '3'],
  ]);
});

it.each([
  ['arrives too slowly', new ServiceError('timeout', 'The body did not arrive within 30 s'), 'the body did not arrive in time'],
  ['ends with its connection', new Error('gone'), 'the connection ended before the body'],
])('a delivery whose body %s is counted as rejected', async (_case, failure, reason) => {
  const { store, clock, registry, webhooks, reportError } = await setup(1);
  const [webhook] = webhooks as [ObjectRef];
  const secrets = createSecretResolver({ store, box: createSecretBox('ab'.repeat(32)), envPrefix: 'SVC_', env: { SVC_key: 'topsecret' } });
  const service = createWebhookService({ store, registry, secrets, clock, reportError });
  const endpointId = (await webhookStates.get(store, webhook.uid))?.endpoint ?? '';
  const delivery = { endpointId, header: () => undefined, read: () => Promise.reject<Buffer>(failure) };
  await expect(service.deliver(delivery)).rejects.toBe(failure);
  await service.close();
  expect(await webhookStates.get(store, webhook.uid)).toMatchObject({ rejected: 1, accepted: 0 });
  expect(await listDeliveries(store, webhook.uid)).toMatchObject([{ outcome: 'rejected', reason }]);
});

it('a flood of refused deliveries reads webhook and Secret once, however much else is committed', async () => {
  const { store: inner, clock, registry, webhooks, reportError } = await setup(1);
  const [webhook] = webhooks as [ObjectRef];
  let reads = 0;
  const secrets = { resolveValue: () => Promise.resolve((reads += 1) > 1 ? 'second' : 'first') };
  const service = createWebhookService({ store: inner, registry, secrets, clock, reportError });
  const endpointId = (await webhookStates.get(inner, webhook.uid))?.endpoint ?? '';
  const refuse = () => service.deliver({ endpointId, header: () => undefined, read: () => Promise.resolve(Buffer.alloc(0)) });
  for (let n = 0; n < 20; n += 1) {
    await writeSomething(inner, n);
    await expect(Promise.all([refuse(), refuse()])).rejects.toMatchObject({ code: 'unauthorized' });
  }
  expect(reads).toBe(1);
  const body = { kind: 'Secret', metadata: { name: 'key' }, spec: { stringData: { value: 'second' } } };
  await registry.post(as('writer'), { kind: 'Secret', namespace: 'default', body });
  await expect(refuse()).rejects.toMatchObject({ code: 'unauthorized' });
  expect(reads).toBe(2);
  await service.close();
});

const writeSomething = (store: Store, n: number) => store.transaction((tx) => tx.putDocument('other', `d${n}`, { n }));
