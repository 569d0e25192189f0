// Audit records of writes: one for each durable write, by every way to write, with its principal and without its values.
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../clock.ts';
import { createRunService } from '../engine/runs/create-run-service.ts';
import { silentObserver } from '../engine/observer.ts';
import { noRunListeners } from '../engine/run-listeners.ts';
import { createRegistry } from '../registry/create-registry.ts';
import { partIdentity } from '../registry/principal.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import { createUuidV7 } from '../registry/uuid-v7.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Store } from '../store/store.ts';
import { keptDecisions } from '../testing/approval-deps.ts';
import { storeEngines } from '../testing/background.ts';
import { kinds } from '@svc/shared/kinds';
import type { AuditEvent } from './audit-event.ts';
import { writtenEvent } from './audit-writes.ts';
import { auditedStore } from './audited-store.ts';

const ANN: RequestContext = { identity: { method: 'bearer', name: 'ann', role: 'admin' }, requestId: 'r-1' };
const NAMESPACE = 'default';
const permission = (name: string, spec: object = {}) => ({ kind: 'ToolPermission', metadata: { name, labels: { app: 'x' } }, spec });

test('audited kinds are those with rules, Secrets or external programs, and by deletion those with runs', () => {
  const audited = (how: boolean | 'deletion') => kinds.filter((kind) => kind.audited === how).map(({ kind }) => kind);
  expect(audited('deletion').sort()).toEqual(['Experiment', 'Session', 'Task']);
  expect(audited(true).sort()).toEqual(
    [
      ...['Agent', 'AgentPolicy', 'AgentRole', 'AgentSystem', 'McpServer', 'ModelEndpoint', 'SealedSecret', 'Secret'],
      ...['TaskApproval', 'Tool', 'ToolApproval', 'ToolPermission'],
    ].sort(),
  );
});

test('a caller without a credential is named anonymous', () => {
  const by = { identity: { method: 'none', name: '', role: 'a2a' } } as const;
  const object = { ...{ kind: 'Task', namespace: NAMESPACE, name: 'open' }, generation: 1 };
  expect(writtenEvent({ action: 'task.cancel', by, object }, 0).principal).toEqual({ name: 'anonymous', method: 'none' });
});

describe.each(storeEngines.filter(({ skip }) => !skip))('over $name', ({ open }) => {
  let inner: Store;
  afterEach(() => inner.close());

  async function setup() {
    inner = await open(systemClock);
    const events: AuditEvent[] = [];
    const { store } = auditedStore(inner, { write: (event) => void events.push(event) }, systemClock);
    const registry: Registry = createRegistry({
      store,
      clock: systemClock,
      hooks: new Map(),
      secretBox: createSecretBox('ab'.repeat(32)),
      crdConflictPolicy: 'off',
      newUid: createUuidV7(systemClock),
      kubernetesIsolation: false,
      versionsMax: 100,
    });
    const runs = createRunService({ store, registry, observer: silentObserver, runListeners: noRunListeners, ...keptDecisions() });
    /** Actions with their objects since the last call. */
    const told = () => events.splice(0).map(({ action, resource }) => `${action} ${resource.kind}/${resource.name}`);
    return { store, registry, runs, events, told };
  }
  const key = (kind: string, name: string) => ({ kind, namespace: NAMESPACE, name });

  test('writes of an audited kind are recorded once with principal, request, object and generation', async () => {
    const { registry, events } = await setup();
    await registry.post(ANN, { kind: 'ToolPermission', namespace: NAMESPACE, body: permission('pp') });
    expect(events).toEqual([
      {
        timestamp: expect.any(String) as string,
        component: 'registry',
        action: 'resource.create',
        outcome: 'success',
        principal: { name: 'ann', method: 'bearer', role: 'admin' },
        resource: { kind: 'ToolPermission', namespace: NAMESPACE, name: 'pp' },
        request_id: 'r-1',
        details: { generation: 1 },
      },
    ]);
    const body = { spec: { operation_rules: [{ operation_class: 'write', verdict: 'allow' }] } };
    await registry.patch(ANN, { ...key('ToolPermission', 'pp'), body });
    expect(events[1]).toMatchObject({ action: 'resource.update', details: { generation: 2 } });
  });

  test('the deletion of a Task by a caller is recorded, and that by a part of the service is not', async () => {
    const { registry, told } = await setup();
    for (const [context, name] of [
      [ANN, 'by-ann'],
      [{ identity: partIdentity('controllers'), requestId: 'c' }, 'by-retention'],
    ] as const) {
      await registry.post(ANN, { kind: 'Task', namespace: NAMESPACE, body: { metadata: { name }, spec: { system: 'none' } } });
      await registry.remove(context, key('Task', name));
    }
    expect(told()).toEqual(['resource.delete Task/by-ann']);
  });

  test('every way to write is recorded, and dry, unchanged and refused writes are not', async () => {
    const { registry, told } = await setup();
    const post = (body: ReturnType<typeof permission>, options = {}) =>
      registry.post(ANN, { kind: body.kind, namespace: NAMESPACE, body, ...options });
    await post(permission('a'), { dryRun: true });
    expect(told()).toEqual([]);
    await post(permission('a'));
    await post(permission('a'));
    expect(told()).toEqual(['resource.create ToolPermission/a']);
    await registry.put(ANN, { ...key('ToolPermission', 'a'), body: permission('a', { action: 'x' }), ifMatch: '1' });
    expect(told()).toEqual(['resource.update ToolPermission/a']);
    await expect(registry.put(ANN, { ...key('ToolPermission', 'a'), body: permission('a'), ifMatch: '1' })).rejects.toThrow();
    await registry.apply(ANN, [permission('b'), permission('c')], { namespace: NAMESPACE, dryRun: true });
    expect(told()).toEqual([]);
    const prune = [{ key: 'app', op: 'in', values: ['x'] }] as const;
    await registry.apply(ANN, [permission('b'), permission('c')], { namespace: NAMESPACE, prune });
    expect(told()).toEqual(['resource.create ToolPermission/b', 'resource.create ToolPermission/c', 'resource.delete ToolPermission/a']);
    await registry.remove(ANN, { ...key('ToolPermission', 'b'), dryRun: true });
    await registry.remove(ANN, key('ToolPermission', 'b'));
    expect(told()).toEqual(['resource.delete ToolPermission/b']);
    await expect(
      registry.apply(ANN, [permission('d'), { kind: 'Session', metadata: { name: 's' }, spec: { system: 'none' } }], {
        namespace: NAMESPACE,
      }),
    ).rejects.toThrow();
    expect(told()).toEqual([]);
  });

  test('status writes are recorded for every kind, other writes for audited kinds only', async () => {
    const { registry, told } = await setup();
    await registry.post(ANN, { kind: 'Memory', namespace: NAMESPACE, body: { metadata: { name: 'm' }, spec: {} } });
    expect(told()).toEqual([]);
    const body = { metadata: {}, status: { phase: 'Pending', lastError: 'set by hand' } };
    await registry.putStatus(ANN, { ...key('Memory', 'm'), body, ifMatch: '1' });
    expect(told()).toEqual(['status.write Memory/m']);
  });

  test('records hold no value of a Secret', async () => {
    const { registry, events } = await setup();
    const secret = (value: string) => ({ kind: 'Secret', metadata: { name: 's' }, spec: { stringData: { value } } });
    await registry.post(ANN, { kind: 'Secret', namespace: NAMESPACE, body: secret('HIDDEN-1') });
    await registry.patch(ANN, { ...key('Secret', 's'), body: { spec: { stringData: { value: 'HIDDEN-2' } } } });
    await registry.remove(ANN, key('Secret', 's'));
    expect(events.map(({ action }) => action)).toEqual(['resource.create', 'resource.update', 'resource.delete']);
    expect(JSON.stringify(events)).not.toContain('HIDDEN');
  });

  test('cancels and retries are recorded with their Task', async () => {
    const { registry, runs, told, events } = await setup();
    await registry.post(ANN, { kind: 'Task', namespace: NAMESPACE, body: { metadata: { name: 't' }, spec: { system: 's' } } });
    await runs.cancel(ANN, { namespace: NAMESPACE, name: 't' }, 'a reason that is of no interest');
    await expect(runs.cancel(ANN, { namespace: NAMESPACE, name: 't' }, undefined)).rejects.toThrow();
    expect(told()).toEqual(['task.cancel Task/t']);
    await runs.retry(ANN, { namespace: NAMESPACE, name: 't' });
    expect(events[0]).toMatchObject({ action: 'task.retry', resource: { name: 't' }, details: { generation: 1, created: 't-retry-1' } });
    expect(JSON.stringify(events)).not.toContain('interest');
  });

  test('objects name their creator, their last writer and the last writer of their spec', async () => {
    const { registry, store } = await setup();
    const bob = { ...ANN, identity: { ...ANN.identity, name: 'bob' } };
    const carl = { ...ANN, identity: { ...ANN.identity, name: 'carl' } };
    await registry.post(ANN, { kind: 'ToolPermission', namespace: NAMESPACE, body: permission('pp') });
    await registry.patch(bob, { ...key('ToolPermission', 'pp'), body: { spec: { action: 'x' } } });
    const { resource } = await registry.patch(carl, { ...key('ToolPermission', 'pp'), body: { metadata: { labels: { a: 'b' } } } });
    expect(resource.metadata).toMatchObject({ createdBy: 'ann', updatedBy: 'carl' });
    expect(await store.getObject(key('ToolPermission', 'pp'))).toMatchObject({ createdBy: 'ann', updatedBy: 'carl', specBy: 'bob' });
    await registry.remove(bob, key('ToolPermission', 'pp'));
    const changes = await store.readChanges({ after: 0, limit: 10 });
    expect(changes.map(({ type, object }) => [type, object?.updatedBy])).toEqual([
      ['created', 'ann'],
      ['updated', 'bob'],
      ['updated', 'carl'],
      ['deleted', 'bob'],
    ]);
  });
});
