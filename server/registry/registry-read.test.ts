import { afterEach, describe, expect, it } from 'vitest';
import { parseLabelSelector } from '@svc/shared/labels';
import { as, role, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';
import { parseCursor } from './cursor.ts';
import type { ListRequest, Page } from './registry.ts';

let fixture: RegistryFixture;

afterEach(async () => {
  await fixture.store.close();
});

const ids = (page: Page) => page.items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);

async function pages(request: Omit<ListRequest, 'kind'>): Promise<string[][]> {
  const found: string[][] = [];
  let after: ListRequest['after'];
  for (;;) {
    const page = await fixture.registry.list(as('reader'), { kind: 'AgentRole', ...request, ...(after && { after }) });
    found.push(ids(page));
    if (page.continue === undefined) return found;
    after = parseCursor(page.continue, undefined);
  }
}

describe('get', () => {
  it('names a missing object', async () => {
    fixture = await setupRegistry();
    await expect(fixture.registry.get(as('reader'), { kind: 'AgentRole', namespace: 'team', name: 'x' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'AgentRole team/x does not exist',
    });
    await expect(fixture.registry.get(as('reader'), { kind: 'Unicorn', namespace: 'team', name: 'x' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('completes the status of a single read from the kind’s hook', async () => {
    fixture = await setupRegistry({ hooks: new Map([['Task', { expandStatus: async () => ({ trace: ['step'] }) }]]) });
    await fixture.post({ kind: 'Task', metadata: { name: 't' }, spec: { system: 's' } });
    const got = await fixture.registry.get(as('reader'), { kind: 'Task', namespace: 'default', name: 't' });
    const listed = await fixture.registry.list(as('reader'), { kind: 'Task', limit: 5 });
    const full = await fixture.registry.list(as('reader'), { kind: 'Task', limit: 5, view: 'full' });
    expect(got.status).toEqual({ phase: 'Pending', trace: ['step'] });
    const brief = await fixture.registry.get(
      as('reader'),
      { kind: 'Task', namespace: 'default', name: got.metadata.name },
      { brief: true },
    );
    expect(brief.status).toEqual({ phase: 'Pending' });
    expect(listed.items[0]?.status).toEqual({ phase: 'Pending' });
    expect(full.items[0]?.status).toEqual({ phase: 'Pending', trace: ['step'] });
  });

  it('is no other version when the status of a single read is written back', async () => {
    const trace = [{ timestamp: '2026-01-01T00:00:00Z', type: 'task_start', attempt: 1 }];
    fixture = await setupRegistry({ hooks: new Map([['Task', { expandStatus: async () => ({ trace }) }]]) });
    await fixture.post({ kind: 'Task', metadata: { name: 't' }, spec: { system: 's' } });
    const key = { kind: 'Task', namespace: 'default', name: 't' };
    const { metadata, status } = await fixture.registry.get(as('reader'), key);
    const written = await fixture.registry.putStatus(as('admin'), { ...key, body: { metadata, status } });
    expect([written.metadata.resourceVersion, written.status]).toEqual(['1', { phase: 'Pending' }]);
    expect(status).toHaveProperty('trace');
  });
});

describe('list', () => {
  async function setup() {
    fixture = await setupRegistry();
    for (const [namespace, name, app] of [
      ['default', 'c', 'x'],
      ['default', 'a', 'x'],
      ['team', 'a', 'y'],
      ['default', 'B', 'y'],
      ['default', 'b', 'x'],
    ] as const) {
      fixture.clock.advance(1000);
      await fixture.post(role(name, { namespace, labels: { app } }));
    }
  }

  it.each<[string, Omit<ListRequest, 'kind'>, string[][]]>([
    [
      'by namespace and name, bytewise',
      { limit: 3 },
      [
        ['default/B', 'default/a', 'default/b'],
        ['default/c', 'team/a'],
      ],
    ],
    ['of one namespace', { namespace: 'team', limit: 3 }, [['team/a']]],
    [
      'whose last page is full',
      { namespace: 'default', limit: 2 },
      [
        ['default/B', 'default/a'],
        ['default/b', 'default/c'],
      ],
    ],
    ['of labels, each page filled', { labels: parseLabelSelector('app=x'), limit: 2 }, [['default/a', 'default/b'], ['default/c']]],
    ['oldest first', { order: 'createdAt', limit: 2 }, [['default/c', 'default/a'], ['team/a', 'default/B'], ['default/b']]],
    [
      'newest first',
      { order: '-createdAt', limit: 3 },
      [
        ['default/b', 'default/B', 'team/a'],
        ['default/a', 'default/c'],
      ],
    ],
    ['of nothing', { namespace: 'empty', limit: 3 }, [[]]],
  ])('pages %s', async (_title, request, expected) => {
    await setup();
    expect(await pages(request)).toEqual(expected);
  });

  it('continues from a plain cursor in createdAt order too', async () => {
    await setup();
    const page = await fixture.registry.list(as('reader'), {
      kind: 'AgentRole',
      order: 'createdAt',
      after: parseCursor('default/a', undefined),
      limit: 2,
    });
    expect(ids(page)).toEqual(['team/a', 'default/B']);
  });

  it.each([
    [
      'a field the kind does not index',
      { kind: 'Task', fields: [{ path: 'spec.color', op: 'eq', value: 'red' }], limit: 5 },
      /spec\.color.*it takes only .*status\.phase/,
    ],
    [
      'any field of a kind without indexed ones',
      { kind: 'AgentRole', fields: [{ path: 'status.phase', op: 'eq', value: 'x' }], limit: 5 },
      /it takes no fields/,
    ],
    ['limit 0', { kind: 'Task', limit: 0 }, /limit must be a whole number from 1 to 1000/],
    ['limit 1001', { kind: 'Task', limit: 1001 }, /limit/],
    ['a limit that is no number', { kind: 'Task', limit: Number.NaN }, /limit/],
    ['an odd namespace', { kind: 'Task', namespace: 'A B', limit: 5 }, /namespace/],
  ] as const)('refuses %s', async (_title, request, message) => {
    await setup();
    await expect(fixture.registry.list(as('reader'), request)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(message),
    });
  });

  it('selects by an indexed field', async () => {
    fixture = await setupRegistry();
    await fixture.post({ kind: 'Task', metadata: { name: 't1' }, spec: { system: 's1' } });
    await fixture.post({ kind: 'Task', metadata: { name: 't2' }, spec: { system: 's2' } });
    const page = await fixture.registry.list(as('reader'), {
      kind: 'Task',
      fields: [{ path: 'spec.system', op: 'eq', value: 's2' }],
      limit: 5,
    });
    expect(ids(page)).toEqual(['default/t2']);
  });
});

describe('listNamespaces', () => {
  it('always has default', async () => {
    fixture = await setupRegistry();
    expect(await fixture.registry.listNamespaces(as('reader'))).toEqual(['default']);
    await fixture.post(role('r', { namespace: 'alpha' }));
    expect(await fixture.registry.listNamespaces(as('reader'))).toEqual(['alpha', 'default']);
  });
});
