// Hooks of approvals made by hand, on the write path of the registry: their time runs by their present `ttl`.
import { expect, onTestFinished, test } from 'vitest';
import { keptDecisions } from '../../testing/approval-deps.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { as, registryOver } from '../../testing/registry-fixture.ts';
import { objectIndex } from '../../registry/reference-index.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { createApprovalHooks } from './approval-hooks.ts';
import { APPROVAL_EXPIRY_QUEUE, timerKey } from './timers.ts';

const MINUTE_MS = 60_000;

async function setup(kind: string, spec: Readonly<Record<string, unknown>>) {
  const clock = createManualClock();
  const store = await openSqliteStore({ path: ':memory:', clock, ...objectIndex });
  onTestFinished(() => store.close());
  const hooks = new Map([[kind, createApprovalHooks(keptDecisions(clock), store)]]);
  const registry = registryOver(store, clock, { hooks });
  const key = { kind, namespace: 'default', name: 'own' };
  const { resource } = await registry.post(as('admin'), { ...key, body: { metadata: { name: 'own' }, spec } });
  const created = Date.parse(resource.metadata.createdAt);
  const timer = async () => (await store.getWorkItem(APPROVAL_EXPIRY_QUEUE, timerKey({ kind, uid: resource.metadata.uid })))?.notBefore;
  const patch = async (change: Readonly<Record<string, unknown>>) =>
    (await registry.patch(as('admin'), { ...key, body: { spec: change } })).resource.status;
  return { clock, registry, key, created, timer, patch };
}

const KINDS = [
  ['ToolApproval', { task_ref: 'job', tool: 'pay' }],
  ['TaskApproval', { task_ref: 'job', checkpoint_id: 'draft', checkpoint_type: 'agent_output' }],
] as const;

test.each(KINDS)('a pending %s expires by its changed ttl, counted from its creation', async (kind, spec) => {
  const { clock, created, timer, patch } = await setup(kind, spec);
  expect(await timer()).toBe(created + 10 * MINUTE_MS);
  clock.advance(MINUTE_MS);
  for (const [ttl, minutes] of [['2m', 2] as const, ['1h', 60] as const]) {
    expect(await patch({ ttl })).toMatchObject({ phase: 'Pending', expires_at: new Date(created + minutes * MINUTE_MS).toISOString() });
    expect(await timer()).toBe(created + minutes * MINUTE_MS);
  }
});

test.each(KINDS)('a write of other fields of a %s leaves its expiry alone', async (kind, spec) => {
  const { registry, key, created, timer, patch } = await setup(kind, spec);
  const expires_at = new Date(created + 3 * MINUTE_MS).toISOString();
  await registry.putStatus(as('admin'), { ...key, body: { metadata: { resourceVersion: '1' }, status: { phase: 'Pending', expires_at } } });
  expect(await patch({ reason: 'other' })).toMatchObject({ expires_at });
  expect(await timer()).toBe(created + 3 * MINUTE_MS);
});

test.each(KINDS)('rejects a change of the question of a decided %s with 409', async (kind, spec) => {
  const { registry, key, patch } = await setup(kind, spec);
  await registry.putStatus(as('admin'), { ...key, body: { metadata: { resourceVersion: '1' }, status: { phase: 'Denied' } } });
  for (const change of [{ task_ref: 'other' }, { reason: 'other' }, { ttl: '1h' }])
    await expect(patch(change)).rejects.toMatchObject({ code: 'conflict' });
  const labels = { team: 'a' };
  const { resource } = await registry.patch(as('writer'), { ...key, body: { metadata: { labels } } });
  expect(resource).toMatchObject({ metadata: { labels }, spec, status: { phase: 'Denied' } });
});
