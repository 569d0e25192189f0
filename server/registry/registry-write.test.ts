import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RegistryOptions } from './create-registry.ts';
import type { Registry } from './registry.ts';
import { as, role, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';

let open: RegistryFixture | undefined;

async function setup(overrides: Partial<RegistryOptions> = {}): Promise<RegistryFixture> {
  open = await setupRegistry(overrides);
  return open;
}

afterEach(async () => {
  await open?.store.close();
  open = undefined;
});

const roleKey = (name: string) => ({ kind: 'AgentRole', namespace: 'default', name });
const head = async ({ store }: RegistryFixture) => (await store.changeBounds()).head;

describe('POST', () => {
  it('creates with server-owned metadata and phase Pending, whatever the body has for them', async () => {
    const { post, clock } = await setup();
    const body = role('r', { labels: { app: 'x' } });
    const result = await post({
      ...body,
      metadata: { ...body.metadata, uid: 'mine', generation: 9, createdAt: 'never' },
      status: { phase: 'Ready' },
    });
    const at = new Date(clock.now()).toISOString();
    expect(result).toEqual({
      action: 'created',
      warnings: [],
      crdManaged: false,
      resource: {
        apiVersion: 'svc.dev/v1',
        kind: 'AgentRole',
        metadata: {
          ...{ name: 'r', namespace: 'default', uid: 'uid-1', resourceVersion: '1', generation: 1 },
          ...{ labels: { app: 'x' }, annotations: {}, createdAt: at, updatedAt: at, createdBy: 'the-admin', updatedBy: 'the-admin' },
        },
        spec: { description: 'first', permissions: [] },
        status: { phase: 'Pending' },
      },
    });
  });

  it('applies over an existing object: spec, labels and annotations are replaced, uid and status stay', async () => {
    const { post, clock } = await setup();
    const created = await post(role('r', { labels: { app: 'x' } }));
    clock.advance(1000);
    const { action, resource } = await post(role('r', { description: 'second' }));
    expect(action).toBe('configured');
    expect(resource).toMatchObject({ spec: { description: 'second' }, status: created.resource.status });
    expect(resource.metadata).toEqual({
      ...created.resource.metadata,
      ...{ labels: {}, generation: 2, resourceVersion: '2', updatedAt: new Date(clock.now()).toISOString() },
    });
  });

  it('writes nothing when the content is unchanged', async () => {
    const fixture = await setup();
    const created = await fixture.post(role('r'));
    const before = await head(fixture);
    const again = await fixture.post(role('r'));
    expect(again).toEqual({ ...created, action: 'unchanged', found: { uid: created.resource.metadata.uid, resourceVersion: '1' } });
    expect(await head(fixture)).toBe(before);
  });

  it('raises the generation for spec changes only', async () => {
    const { post } = await setup();
    await post(role('r'));
    const { resource } = await post(role('r', { labels: { app: 'x' } }));
    expect(resource.metadata).toMatchObject({ generation: 1, resourceVersion: '2' });
  });

  it('create-only refuses an existing name and a version refuses a missing one', async () => {
    const { registry, post } = await setup();
    await post(role('r'));
    const request = { kind: 'AgentRole', namespace: 'default' };
    await expect(registry.post(as('writer'), { ...request, body: role('r'), ifNoneMatch: '*' })).rejects.toMatchObject({
      code: 'conflict',
    });
    const versioned = { ...role('new'), metadata: { name: 'new', resourceVersion: '1' } };
    await expect(registry.post(as('writer'), { ...request, body: versioned })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('AgentRole default/new does not exist'),
    });
  });

  it('loses no update when many clients apply to one name at once', async () => {
    const fixture = await setup();
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => fixture.post(role('r', { description: `d${i}` }))));
    expect(results.filter((result) => result.action === 'created')).toHaveLength(1);
    const versions = results.map((result) => Number(result.resource.metadata.resourceVersion)).sort((a, b) => a - b);
    expect(versions).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });
});

describe('unknown fields', () => {
  const body = { kind: 'AgentRole', color: 'red', metadata: { name: 'r', lables: {} }, spec: { description: 'd', permision: [] } };
  const request = { kind: 'AgentRole', namespace: 'default', body };

  it('are dropped with a warning each by default', async () => {
    const { registry } = await setup();
    const { warnings, resource } = await registry.post(as('writer'), request);
    expect(warnings).toEqual([
      'unknown field "color" was ignored',
      'unknown field "metadata.lables" was ignored; did you mean "labels"?',
      'unknown field "spec.permision" was ignored; did you mean "permissions"?',
    ]);
    expect(resource.spec).not.toHaveProperty('permision');
  });

  it('are refused by path under Strict and nothing is written', async () => {
    const fixture = await setup();
    const refusal = fixture.registry.post(as('writer'), { ...request, fieldValidation: 'Strict' });
    await expect(refusal).rejects.toMatchObject({
      code: 'invalid',
      details: expect.arrayContaining(['color', 'metadata.lables', 'spec.permision'].map((path) => expect.objectContaining({ path }))),
    });
    expect(await head(fixture)).toBe(0);
  });

  it('are dropped silently under Ignore', async () => {
    const { registry } = await setup();
    expect((await registry.post(as('writer'), { ...request, fieldValidation: 'Ignore' })).warnings).toEqual([]);
  });
});

describe('PUT', () => {
  const put = (fixture: RegistryFixture, metadata: object, extra: object = {}) =>
    fixture.registry.put(as('writer'), { ...roleKey('r'), body: { metadata, spec: { description: 'put' } }, ...extra });

  it('replaces with the current version, by body or header', async () => {
    const fixture = await setup();
    await fixture.post(role('r', { labels: { app: 'x' } }));
    const { resource } = await put(fixture, { resourceVersion: '1' });
    expect(resource).toMatchObject({ metadata: { resourceVersion: '2', labels: {} }, spec: { description: 'put' } });
    expect((await put(fixture, { labels: { a: 'b' }, resourceVersion: '1' }, { ifMatch: 'W/"2"' })).resource.metadata.resourceVersion).toBe(
      '3',
    );
  });

  it.each([
    ['without a version', {}, {}, 'conflict'],
    ['with a stale body version', { resourceVersion: '7' }, {}, 'conflict'],
    ['with a stale header over a good body', { resourceVersion: '1' }, { ifMatch: '"7"' }, 'conflict'],
    ['with another name', { name: 'q', resourceVersion: '1' }, {}, 'invalid'],
    ['with another namespace', { namespace: 'team', resourceVersion: '1' }, {}, 'invalid'],
    ['of a missing object', { resourceVersion: '1' }, { name: 'missing' }, 'not_found'],
  ])('is refused %s and leaves no trace', async (_title, metadata, extra, code) => {
    const fixture = await setup();
    await fixture.post(role('r'));
    await expect(put(fixture, metadata, extra)).rejects.toMatchObject({ code });
    expect(await head(fixture)).toBe(1);
  });

  it('lets one of several writers with the same version win', async () => {
    const fixture = await setup();
    await fixture.post(role('r'));
    const attempts = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) =>
        fixture.registry.put(as('writer'), { ...roleKey('r'), ifMatch: '1', body: { spec: { description: `w${i}` } } }),
      ),
    );
    expect(attempts.filter((attempt) => attempt.status === 'fulfilled')).toHaveLength(1);
  });
});

describe('PATCH', () => {
  const patch = (fixture: RegistryFixture, body: unknown, extra: object = {}) =>
    fixture.registry.patch(as('writer'), { ...roleKey('r'), body, ...extra });

  it.each([
    ['changes one field of the spec', { spec: { description: 'new' } }, { spec: { description: 'new', permissions: ['p'] } }, 2],
    ['null removes a field', { spec: { description: null } }, { spec: { permissions: ['p'] } }, 2],
    ['adds and removes labels', { metadata: { labels: { app: null, tier: 'db' } } }, { metadata: { labels: { tier: 'db' } } }, 1],
    ['null clears the labels', { metadata: { labels: null } }, { metadata: { labels: {} } }, 1],
    [
      'touches annotations only',
      { metadata: { annotations: { note: 'x' } } },
      { metadata: { annotations: { note: 'x' }, labels: { app: 'x' } } },
      1,
    ],
  ])('%s', async (_title, body, expected, generation) => {
    const fixture = await setup();
    await fixture.post({
      kind: 'AgentRole',
      metadata: { name: 'r', labels: { app: 'x' } },
      spec: { description: 'd', permissions: ['p'] },
    });
    const { resource } = await patch(fixture, body);
    expect(resource).toMatchObject(expected);
    expect(Object.keys(resource.metadata.labels)).toEqual(Object.keys((expected as any).metadata?.labels ?? { app: 'x' }));
    expect(resource.metadata).toMatchObject({ resourceVersion: '2', generation });
  });

  it('writes nothing when it changes nothing', async () => {
    const fixture = await setup();
    await fixture.post(role('r'));
    expect((await patch(fixture, { spec: { description: 'first' } })).action).toBe('unchanged');
    expect((await patch(fixture, {})).action).toBe('unchanged');
    expect(await head(fixture)).toBe(1);
  });

  it.each([
    ['a stale version', { metadata: { resourceVersion: '9' } }, {}, 'conflict'],
    ['a stale header', {}, { ifMatch: '9' }, 'conflict'],
    ['a missing object', {}, { name: 'missing' }, 'not_found'],
    ['a result that is invalid', { spec: { permissions: 'all' } }, {}, 'invalid'],
    ['labels that are no map', { metadata: { labels: 'x' } }, {}, 'invalid'],
    ['a patch that is no object', [], {}, 'invalid'],
    ['another name', { metadata: { name: 'q' } }, {}, 'invalid'],
  ])('refuses %s', async (_title, body, extra, code) => {
    const fixture = await setup();
    await fixture.post(role('r'));
    await expect(patch(fixture, body, extra)).rejects.toMatchObject({ code });
    expect(await head(fixture)).toBe(1);
  });
});

describe('DELETE', () => {
  it('returns the last state and frees the name for a new object', async () => {
    const fixture = await setup();
    const { resource } = await fixture.post(role('r'));
    expect((await fixture.registry.remove(as('writer'), roleKey('r'))).resource).toEqual(resource);
    await expect(fixture.registry.get(as('reader'), roleKey('r'))).rejects.toMatchObject({
      code: 'not_found',
      message: 'AgentRole default/r does not exist',
    });
    expect((await fixture.post(role('r'))).resource.metadata).toMatchObject({ uid: 'uid-2', resourceVersion: '1', generation: 1 });
  });

  it('can be bound to a version', async () => {
    const fixture = await setup();
    await fixture.post(role('r'));
    await expect(fixture.registry.remove(as('writer'), { ...roleKey('r'), resourceVersion: '4' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await fixture.registry.remove(as('writer'), { ...roleKey('r'), resourceVersion: '1' });
    await expect(fixture.registry.remove(as('writer'), roleKey('r'))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a write that is meant for one object', () => {
  const meant = { kind: 'AgentRole', namespace: 'default', name: 'r' };

  it.each<[string, (registry: Registry, uid: string) => Promise<unknown>]>([
    ['DELETE', (registry, uid) => registry.remove(as('writer'), { ...meant, uid })],
    ['PATCH', (registry, uid) => registry.patch(as('writer'), { ...meant, uid, body: { metadata: { labels: { a: 'b' } } } })],
    ['PUT', (registry, uid) => registry.put(as('writer'), { ...meant, uid, ifMatch: '1', body: role('r', { description: 'new' }) })],
    [
      'PUT of the status',
      (registry, uid) => registry.putStatus(as('admin'), { ...meant, uid, ifMatch: '1', body: { status: { phase: 'Ready' } } }),
    ],
  ])('%s does not affect a new object of its name with the same version', async (_title, write) => {
    const fixture = await setup();
    const { uid } = (await fixture.post(role('r'))).resource.metadata;
    await fixture.registry.remove(as('writer'), roleKey('r'));
    const again = await fixture.post(role('r'));
    await expect(write(fixture.registry, uid)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('AgentRole default/r was deleted and recreated'),
      details: [{ path: 'metadata.uid', message: 'is uid-2 now, not uid-1' }],
    });
    expect(await fixture.registry.get(as('reader'), roleKey('r'))).toEqual(again.resource);
    await write(fixture.registry, again.resource.metadata.uid);
    expect(await head(fixture)).toBe(4);
  });

  it('holds against writes to its status meanwhile, as a version would not', async () => {
    const fixture = await setup();
    const { uid } = (await fixture.post(role('r'))).resource.metadata;
    await fixture.registry.putStatus(as('admin'), { ...meant, ifMatch: '1', body: { status: { phase: 'Ready' } } });
    await fixture.registry.patch(as('writer'), { ...meant, uid, body: { metadata: { labels: { a: 'b' } } } });
    expect((await fixture.registry.remove(as('writer'), { ...meant, uid })).resource.metadata.resourceVersion).toBe('3');
  });
});

describe('a dry run', () => {
  it('answers what would be and writes nothing', async () => {
    const fixture = await setup();
    await fixture.post(role('r'));
    const { registry } = fixture;
    const request = { kind: 'AgentRole', namespace: 'default', dryRun: true };
    const created = await registry.post(as('writer'), { ...request, body: role('new') });
    const applied = await registry.post(as('writer'), { ...request, body: role('r', { description: 'second' }) });
    const put = await registry.put(as('writer'), { ...request, name: 'r', ifMatch: '1', body: role('r', { description: 'third' }) });
    const patched = await registry.patch(as('writer'), { ...request, name: 'r', body: { spec: { description: 'fourth' } } });
    const removed = await registry.remove(as('writer'), { ...roleKey('r'), dryRun: true });
    const status = await registry.putStatus(as('admin'), { ...request, name: 'r', ifMatch: '1', body: { status: { phase: 'Ready' } } });
    expect(
      [created, applied, put, patched].map((result) => [
        result.action,
        result.resource.spec.description,
        result.resource.metadata.resourceVersion,
      ]),
    ).toEqual([
      ['created', 'first', '1'],
      ['configured', 'second', '2'],
      ['configured', 'third', '2'],
      ['configured', 'fourth', '2'],
    ]);
    expect(removed.resource.spec.description).toBe('first');
    expect(status.metadata.resourceVersion).toBe('2');
    expect(await head(fixture)).toBe(1);
    expect((await registry.get(as('reader'), roleKey('r'))).metadata.resourceVersion).toBe('1');
  });

  it('is refused as the write would be', async () => {
    const { registry } = await setup();
    const body = { metadata: { name: '-' } };
    await expect(registry.post(as('writer'), { kind: 'AgentRole', namespace: 'default', body, dryRun: true })).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});

describe('PUT status', () => {
  const put = (fixture: RegistryFixture, body: unknown, extra: object = {}) =>
    fixture.registry.putStatus(as('admin'), { ...roleKey('r'), body, ...extra });

  it('replaces the status whole and leaves spec and generation', async () => {
    const fixture = await setup();
    await fixture.post(role('r'));
    await put(fixture, { metadata: { resourceVersion: '1' }, status: { phase: 'Ready', lastError: 'x' } });
    const resource = await put(fixture, { status: { phase: 'Ready' }, spec: { description: 'ignored' } }, { ifMatch: '"2"' });
    expect(resource).toMatchObject({
      metadata: { resourceVersion: '3', generation: 1 },
      status: { phase: 'Ready' },
      spec: { description: 'first' },
    });
    expect(resource.status).not.toHaveProperty('lastError');
  });

  it.each([
    ['no version', { status: { phase: 'Ready' } }, {}, 'conflict'],
    ['a stale version', { metadata: { resourceVersion: '9' }, status: { phase: 'Ready' } }, {}, 'conflict'],
    ['a missing object', { metadata: { resourceVersion: '1' }, status: { phase: 'Ready' } }, { name: 'missing' }, 'not_found'],
    ['no status', { metadata: { resourceVersion: '1' } }, {}, 'invalid'],
    ['a status of the wrong type', { metadata: { resourceVersion: '1' }, status: { phase: 5 } }, {}, 'invalid'],
    [
      'an unknown field under Strict',
      { metadata: { resourceVersion: '1' }, status: { phase: 'Ready', x: 1 } },
      { fieldValidation: 'Strict' },
      'invalid',
    ],
  ])('refuses %s', async (_title, body, extra, code) => {
    const fixture = await setup();
    await fixture.post(role('r'));
    await expect(put(fixture, body, extra)).rejects.toMatchObject({ code });
    expect(await head(fixture)).toBe(1);
  });

  it('refuses a phase the kind does not have', async () => {
    const fixture = await setup();
    await fixture.post({ kind: 'Task', metadata: { name: 't' }, spec: { system: 's' } });
    const body = { metadata: { resourceVersion: '1' }, status: { phase: 'Dancing' } };
    await expect(fixture.registry.putStatus(as('admin'), { kind: 'Task', namespace: 'default', name: 't', body })).rejects.toMatchObject({
      details: [{ path: 'status.phase', message: expect.stringContaining('must be one of Pending') }],
    });
  });
});

describe('roles', () => {
  it('are requested before anything else', async () => {
    const { registry } = await setup();
    const write = { ...roleKey('r'), body: 'nonsense' };
    const refused: [string, Promise<unknown>, string][] = [
      ['get', registry.get(as('a2a'), roleKey('r')), 'reader'],
      ['list', registry.list(as('a2a'), { kind: 'AgentRole', limit: 5 }), 'reader'],
      ['namespaces', registry.listNamespaces(as('a2a')), 'reader'],
      ['post', registry.post(as('reader'), write), 'writer'],
      ['put', registry.put(as('reader'), write), 'writer'],
      ['patch', registry.patch(as('reader'), write), 'writer'],
      ['remove', registry.remove(as('reader'), roleKey('r')), 'writer'],
      ['apply', registry.apply(as('reader'), [], { namespace: 'default' }), 'writer'],
      ['putStatus', registry.putStatus(as('writer'), write), 'admin'],
    ];
    for (const [method, attempt, needed] of refused) {
      await expect(attempt, method).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining(`needs role ${needed}`) });
    }
  });

  it('an McpServer over stdio is written by administrators only and deleted by writers', async () => {
    const { registry, store } = await setup();
    const body = { metadata: { name: 'm' }, spec: { transport: 'stdio', command: 'server' } };
    const request = { kind: 'McpServer', namespace: 'default', body };
    await expect(registry.post(as('writer'), request)).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('admin'),
    });
    await expect(registry.apply(as('writer'), [{ kind: 'McpServer', ...body }], { namespace: 'default' })).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect((await store.changeBounds()).head).toBe(0);
    await registry.post(as('admin'), request);
    const key = { kind: 'McpServer', namespace: 'default', name: 'm' };
    await expect(registry.patch(as('writer'), { ...key, body: { spec: { command: 'other' } } })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await registry.patch(as('writer'), { ...key, body: { metadata: { labels: { app: 'x' } } } });
    await registry.remove(as('writer'), key);
  });
});

describe('admission', () => {
  it('refuses a Session of a missing system, and lets an existing Session outlive its system', async () => {
    const { registry, post } = await setup();
    const session = { kind: 'Session', metadata: { name: 's' }, spec: { system: 'sys' } };
    await expect(post(session)).rejects.toMatchObject({
      code: 'invalid',
      details: [{ path: 'spec.system', message: expect.stringContaining('AgentSystem default/sys') }],
    });
    await post({ kind: 'AgentSystem', metadata: { name: 'sys' }, spec: { agents: ['a'] } });
    expect((await post(session)).resource.status).toMatchObject({ phase: 'WaitingInput' });
    await registry.remove(as('admin'), { kind: 'AgentSystem', namespace: 'default', name: 'sys' });
    expect((await post({ ...session, spec: { system: 'sys', max_turns: 3 } })).action).toBe('configured');
  });

  it('takes kubernetes isolation only with the server option', async () => {
    const tool = {
      kind: 'Tool',
      metadata: { name: 't' },
      spec: { type: 'http', endpoint: 'https://example.com', runtime: { isolation_mode: 'kubernetes' } },
    };
    const without = await setup();
    await expect(without.post(tool)).rejects.toMatchObject({
      details: [{ path: 'spec.runtime.isolation_mode', message: expect.stringContaining('--enable-kubernetes-isolation') }],
    });
    await without.store.close();
    expect((await (await setup({ kubernetesIsolation: true })).post(tool)).action).toBe('created');
  });

  it('a kind’s hook can refuse, and then nothing is written', async () => {
    const admit = vi.fn(async () => {
      throw new Error('no');
    });
    const fixture = await setup({ hooks: new Map([['AgentRole', { admit }]]) });
    await expect(fixture.post(role('r'))).rejects.toThrow('no');
    expect(await head(fixture)).toBe(0);
  });

  it('runs the kind’s hooks inside the write and answers with what they made of the status', async () => {
    const calls: string[] = [];
    const fixture = await setup({
      hooks: new Map([
        [
          'AgentRole',
          {
            onCreated: async (tx, resource) => {
              calls.push(`created ${resource.metadata.resourceVersion}`);
              const stored = await tx.getObject({ kind: 'AgentRole', ...resource.metadata });
              await tx.updateObject({ ...stored!, resourceVersion: 2, status: { phase: 'Ready' } });
            },
            onUpdated: async (_tx, resource, { previous, by }) =>
              void calls.push(`updated ${previous.metadata.resourceVersion}→${resource.metadata.resourceVersion} by ${by.role}`),
            onDeleted: async (_tx, resource, by) => void calls.push(`deleted ${resource.metadata.resourceVersion} by ${by.role}`),
          },
        ],
      ]),
    });
    expect((await fixture.post(role('r'))).resource).toMatchObject({ metadata: { resourceVersion: '2' }, status: { phase: 'Ready' } });
    await fixture.post(role('r', { description: 'second' }));
    await fixture.registry.putStatus(as('admin'), { ...roleKey('r'), ifMatch: '3', body: { status: { phase: 'Pending' } } });
    await fixture.registry.remove(as('writer'), roleKey('r'));
    expect(calls).toEqual(['created 1', 'updated 2→3 by admin', 'updated 3→4 by admin', 'deleted 4 by writer']);
  });
});

describe('CRD-managed objects', () => {
  const managed = { kind: 'AgentRole', metadata: { name: 'r', annotations: { 'svc.dev/managed-by': 'crd' } }, spec: {} };
  const patch = { ...roleKey('r'), body: { spec: { description: 'changed' } } };

  it.each(['off', 'warn'] as const)('can be written under %s', async (crdConflictPolicy) => {
    const { registry, post } = await setup({ crdConflictPolicy });
    expect((await post(managed)).crdManaged).toBe(false);
    const flagged = crdConflictPolicy === 'warn';
    expect((await registry.patch(as('writer'), patch)).crdManaged).toBe(flagged);
    expect((await registry.remove(as('writer'), roleKey('r'))).crdManaged).toBe(flagged);
  });

  it('are refused under reject, deletion and removal of the mark included', async () => {
    const { registry, post } = await setup({ crdConflictPolicy: 'reject' });
    await post(managed);
    const attempts = [
      registry.patch(as('admin'), patch),
      registry.patch(as('admin'), { ...patch, body: { metadata: { annotations: null } } }),
      registry.remove(as('admin'), roleKey('r')),
      registry.apply(as('admin'), [role('r')], { namespace: 'default' }),
    ];
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('managed by a custom resource') });
  });
});
