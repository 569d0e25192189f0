// Counting, searching and following references through the registry.
import { afterEach, describe, expect, it } from 'vitest';
import { as, role, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';
import type { RecordsRequest, SearchRequest } from './queries.ts';
import { createReferenceIndexer } from './reference-indexer.ts';
import { updateStatus } from './own-writes.ts';

let fixture: RegistryFixture;
afterEach(() => fixture.store.close());

const SYSTEM = { kind: 'AgentSystem', namespace: 'team-a', name: 'research' };
const body = (kind: string, name: string, spec: object, namespace = 'team-a') => ({ kind, metadata: { name, namespace }, spec });

async function setup(): Promise<RegistryFixture> {
  return (fixture = await setupRegistry());
}

async function postAll(bodies: readonly ReturnType<typeof body>[]): Promise<void> {
  for (const each of bodies) await fixture.post(each);
}

describe('count', () => {
  it('counts a kind, by namespace, label and field, up to a bound', async () => {
    const { registry, clock, store } = await setup();
    for (let i = 0; i < 5; i += 1)
      await fixture.post(role(`r${i}`, { namespace: i < 3 ? 'team-a' : 'team-b', labels: { app: `${i % 2}` } }));
    const count = (request: object) => registry.count(as('reader'), { kind: 'AgentRole', ...request });
    expect(await count({})).toEqual({ count: 5, more: false });
    expect(await count({ namespace: 'team-a' })).toEqual({ count: 3, more: false });
    expect(await count({ labels: [{ op: 'eq', key: 'app', value: '1' }] })).toEqual({ count: 2, more: false });
    expect(await count({ max: 4 })).toEqual({ count: 4, more: true });
    await postAll([body('Task', 't1', { system: 'research' }), body('Task', 't2', { system: 'research' })]);
    const t1 = { kind: 'Task', namespace: 'team-a', name: 't1' };
    await store.transaction((tx) => updateStatus(tx, { key: t1, clock, by: 'ann', change: () => ({ phase: 'Running' }) }));
    const running = { kind: 'Task', fields: [{ path: 'status.phase', op: 'eq', value: 'Running' }] } as const;
    expect(await registry.count(as('reader'), running)).toEqual({ count: 1, more: false });
  });

  it('refuses what lists refuse, a bound out of range, and who may not read', async () => {
    const { registry } = await setup();
    const count = (request: object, who = as('reader')) => registry.count(who, { kind: 'AgentRole', ...request });
    await expect(count({ max: 10_001 })).rejects.toMatchObject({ code: 'invalid' });
    await expect(count({ namespace: 'Not One' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(count({ fields: [{ path: 'spec.system', op: 'eq', value: 'x' }] })).rejects.toMatchObject({ code: 'invalid' });
    await expect(count({ kind: 'Nothing' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(count({}, as('a2a'))).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('search', () => {
  const search = async (text: string, more: Partial<SearchRequest> = {}) => {
    const hits = await fixture.registry.search(as('reader'), { text, limit: 10, ...more });
    return hits.map(({ kind, namespace, name, phase }) => `${kind} ${namespace}/${name} ${phase}`);
  };

  async function people(): Promise<void> {
    await setup();
    await postAll([
      body('Task', 'plan', { system: 'research' }),
      body('AgentRole', 'replanner', {}),
      body('AgentRole', 'trip-planner', {}),
      body('AgentRole', 'plan-b', {}, 'team-b'),
      body('AgentRole', 'plan', {}, 'team-b'),
      body('Memory', 'planning', { provider: 'in-memory' }),
    ]);
  }

  it('shows whole names first, then beginnings, beginnings of words and parts, and Tasks after definitions', async () => {
    await people();
    expect(await search('plan')).toEqual([
      'AgentRole team-b/plan Pending',
      'Task team-a/plan Pending',
      'Memory team-a/planning Pending',
      'AgentRole team-b/plan-b Pending',
      'AgentRole team-a/trip-planner Pending',
      'AgentRole team-a/replanner Pending',
    ]);
    expect(await search('plan', { limit: 2 })).toEqual(['AgentRole team-b/plan Pending', 'Task team-a/plan Pending']);
    expect(await search('PLANNER')).toEqual(['AgentRole team-a/trip-planner Pending', 'AgentRole team-a/replanner Pending']);
  });

  it('is limited to a namespace and a kind, given as options or in the text', async () => {
    await people();
    expect(await search('plan', { namespace: 'team-b' })).toEqual(['AgentRole team-b/plan Pending', 'AgentRole team-b/plan-b Pending']);
    expect(await search('team-b/plan')).toEqual(['AgentRole team-b/plan Pending', 'AgentRole team-b/plan-b Pending']);
    expect(await search(' team-b/plan-b ', { namespace: 'team-a' })).toEqual(['AgentRole team-b/plan-b Pending']);
    expect(await search('tasks:pl')).toEqual(['Task team-a/plan Pending']);
    expect(await search('Task:')).toEqual(['Task team-a/plan Pending']);
    expect(await search('nothing:pl')).toEqual([]);
    expect(await search('NoSuchNamespace/plan')).toEqual([]);
    expect(await search('  ')).toEqual([]);
  });

  it('returns phase and reason of an ended run', async () => {
    await people();
    const key = { kind: 'Task', namespace: 'team-a', name: 'plan' };
    const { store, clock, registry } = fixture;
    await store.transaction((tx) => updateStatus(tx, { key, clock, by: 'ann', change: () => ({ phase: 'Failed', reason: 'cancelled' }) }));
    expect(await registry.search(as('reader'), { text: 'Task:plan', limit: 1 })).toEqual([
      { ...key, phase: 'Failed', reason: 'cancelled' },
    ]);
  });

  it('refuses a limit out of range, a text too long, and callers who may not read', async () => {
    await people();
    await expect(search('plan', { limit: 51 })).rejects.toMatchObject({ code: 'invalid' });
    await expect(search('x'.repeat(400))).rejects.toMatchObject({ code: 'invalid' });
    await expect(fixture.registry.search(as('a2a'), { text: 'plan', limit: 5 })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

async function referrers(key = SYSTEM, request: Partial<RecordsRequest> = {}) {
  return fixture.registry.referrers(as('reader'), key, { limit: 100, ...request });
}

describe('referrers', () => {
  it('are found in every kind, with the places where they refer', async () => {
    await setup();
    await postAll([
      body('Secret', 'key', { stringData: { value: 'x' } }),
      body('ModelEndpoint', 'gpt', { provider: 'openai', auth: { secretRef: 'key' } }),
      body('Tool', 'mail', {
        type: 'cli',
        cli: {
          command: 'mail',
          image: 'mail:1',
          env_from: [
            { name: 'A', secretRef: 'key' },
            { name: 'B', secretRef: 'team-a/key' },
          ],
        },
      }),
      body(
        'Tool',
        'elsewhere',
        { type: 'cli', cli: { command: 'mail', image: 'mail:1', env_from: [{ name: 'A', secretRef: 'key' }] } },
        'team-b',
      ),
    ]);
    const { items } = await referrers({ kind: 'Secret', namespace: 'team-a', name: 'key' });
    expect(items).toEqual([
      { kind: 'ModelEndpoint', namespace: 'team-a', name: 'gpt', paths: ['spec.auth.secretRef'] },
      { kind: 'Tool', namespace: 'team-a', name: 'mail', paths: ['spec.cli.env_from[0].secretRef', 'spec.cli.env_from[1].secretRef'] },
    ]);
  });

  it('returns the Tasks that name a system alone in its namespace or by its full name anywhere', async () => {
    await setup();
    await postAll([
      body('Task', 'bare', { system: 'research' }),
      body('Task', 'full', { system: 'team-a/research' }),
      body('Task', 'from-afar', { system: 'team-a/research' }, 'team-b'),
      body('Task', 'another', { system: 'research' }, 'team-b'),
      body('AgentSystem', 'research', { agents: ['planner'] }),
      body('Session', 'talk', { system: 'research' }),
    ]);
    const { items } = await referrers();
    expect(items.map(({ kind, namespace, name, paths }) => `${kind} ${namespace}/${name} ${paths.join()}`)).toEqual([
      'Task team-a/full spec.system',
      'Task team-b/from-afar spec.system',
      'Task team-a/bare spec.system',
      'Session team-a/talk spec.system',
    ]);
    expect((await referrers({ ...SYSTEM, namespace: 'team-b' })).items).toMatchObject([{ namespace: 'team-b', name: 'another' }]);
  });

  it('come page by page, each once, whatever the size of the page', async () => {
    await setup();
    const tasks = Array.from({ length: 7 }, (_, i) => body('Task', `t${i}`, { system: i % 2 ? 'research' : 'team-a/research' }));
    await postAll([...tasks, body('AgentSystem', 'research', { agents: ['planner'] }), body('Session', 's', { system: 'research' })]);
    const all = (await referrers()).items;
    expect(all).toHaveLength(8);
    for (const limit of [1, 2, 3, 4, 7, 8]) {
      const found: unknown[] = [];
      let after: string | undefined;
      do {
        const page = await referrers(SYSTEM, { limit, ...(after !== undefined && { after }) });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items);
        after = page.continue;
      } while (after !== undefined);
      expect(found).toEqual(all);
    }
  });

  it('change with the objects, through writes of specs and of status', async () => {
    const { registry, store, clock } = await setup();
    const agent = (model: string) => body('Agent', 'planner', { model_ref: model, prompt: 'Plan.' });
    const gpt = { kind: 'ModelEndpoint', namespace: 'team-a', name: 'gpt' };
    const key = { kind: 'Agent', namespace: 'team-a', name: 'planner' };
    await postAll([agent('gpt')]);
    await store.transaction((tx) => updateStatus(tx, { key, clock, by: 'ann', change: (status) => ({ ...status, phase: 'Ready' }) }));
    expect((await referrers(gpt)).items).toMatchObject([{ name: 'planner' }]);
    await postAll([agent('other')]);
    expect((await referrers(gpt)).items).toEqual([]);
    await postAll([agent('gpt')]);
    await registry.remove(as('admin'), key);
    expect((await referrers(gpt)).items).toEqual([]);
  });

  it('refuse an invalid cursor, a limit out of range, an unknown kind and who may not read', async () => {
    await setup();
    for (const after of ['x', '99999/a/b', '0/A B/c', '0/a'])
      await expect(referrers(SYSTEM, { after })).rejects.toMatchObject({ code: 'invalid' });
    await expect(referrers(SYSTEM, { limit: 0 })).rejects.toMatchObject({ code: 'invalid' });
    await expect(referrers({ ...SYSTEM, kind: 'Nothing' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.registry.referrers(as('a2a'), SYSTEM, { limit: 1 })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('are marked incomplete until earlier writes are indexed', async () => {
    const { store, clock } = await setup();
    expect(await referrers()).toEqual({ items: [], incomplete: true });
    await createReferenceIndexer({ store, clock, reportError: () => undefined }).runOnce();
    expect(await referrers()).toEqual({ items: [], incomplete: false });
  });
});

describe('relations', () => {
  it('list the objects that an object refers to, and whether they exist', async () => {
    const { registry } = await setup();
    await postAll([
      body('AgentRole', 'writer', {}),
      body('Agent', 'planner', { model_ref: 'shared/gpt', prompt: 'Plan.', roles: ['writer', 'gone'] }),
    ]);
    expect(await registry.relations(as('reader'), { kind: 'Agent', namespace: 'team-a', name: 'planner' })).toEqual({
      outgoing: [
        { kind: 'ModelEndpoint', namespace: 'shared', name: 'gpt', path: 'spec.model_ref', exists: false },
        { kind: 'AgentRole', namespace: 'team-a', name: 'writer', path: 'spec.roles[0]', exists: true },
        { kind: 'AgentRole', namespace: 'team-a', name: 'gone', path: 'spec.roles[1]', exists: false },
      ],
    });
    await expect(registry.relations(as('reader'), { ...SYSTEM })).rejects.toMatchObject({ code: 'not_found' });
  });
});
