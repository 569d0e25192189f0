import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseLabelSelector } from '@svc/shared/labels';
import { as, role, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture } from '../testing/registry-fixture.ts';
import type { ApplyOptions } from './registry.ts';

let fixture: RegistryFixture;

beforeEach(async () => {
  fixture = await setupRegistry();
});

afterEach(async () => {
  await fixture.store.close();
});

const apply = (documents: readonly unknown[], options: Partial<ApplyOptions> = {}) =>
  fixture.registry.apply(as('writer'), documents, { namespace: 'default', ...options });
const head = async () => (await fixture.store.changeBounds()).head;
const session = { kind: 'Session', metadata: { name: 's' }, spec: { system: 'sys' } };
const system = { kind: 'AgentSystem', metadata: { name: 'sys' }, spec: { agents: ['a'] } };

describe('apply', () => {
  it('creates, configures and leaves unchanged in one go', async () => {
    await fixture.post(role('same'));
    await fixture.post(role('other'));
    const found = { uid: expect.any(String), resourceVersion: '1' };
    expect(await apply([role('same'), role('other', { description: 'second' }), role('new', { namespace: 'team' })])).toEqual([
      { kind: 'AgentRole', namespace: 'default', name: 'same', action: 'unchanged', resourceVersion: '1', found },
      { kind: 'AgentRole', namespace: 'default', name: 'other', action: 'configured', resourceVersion: '2', found },
      { kind: 'AgentRole', namespace: 'team', name: 'new', action: 'created', resourceVersion: '1' },
    ]);
  });

  it('writes in dependency order, whatever the order of the documents', async () => {
    expect((await apply([session, system])).map((result) => result.name)).toEqual(['sys', 's']);
  });

  it('lists missing references on request, and counts the documents themselves as present', async () => {
    const missing = { kind: 'Agent', namespace: 'default', name: 'a', path: 'spec.agents[0]' };
    const asked = await apply([session, system], { dryRun: true, findMissing: true });
    expect(asked.map((result) => [result.name, result.missing])).toEqual([
      ['sys', [missing]],
      ['s', undefined],
    ]);
    expect((await apply([system]))[0]).not.toHaveProperty('missing');
  });

  it.each([
    ['Agnt', '"Agnt" is not a kind; did you mean "Agent"?'],
    ['agents', '"agents" is not a kind; did you mean "Agent"?'],
    ['Unicorn', expect.stringMatching(/^"Unicorn" is not a kind; the kinds are Secret, /) as string],
    [undefined, expect.stringMatching(/^must be one of Secret, /) as string],
  ])('refuses the kind %s with the nearest one', async (kind, message) => {
    await expect(apply([{ kind, metadata: { name: 'u' } }])).rejects.toMatchObject({ details: [{ path: 'documents[0].kind', message }] });
  });

  it('names every problem of every document and writes nothing', async () => {
    const documents = [
      role('fine'),
      { kind: 'Unicorn', metadata: { name: 'u' } },
      { kind: 'AgentRole', metadata: { name: 'r', labels: { a: 1 } }, spec: { permissions: 'all' } },
      'text',
      role('fine'),
    ];
    const refusal = await apply(documents).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'invalid' });
    expect((refusal as { details: { path: string }[] }).details.map((detail) => detail.path)).toEqual([
      'documents[1].kind',
      'documents[2].metadata.labels.a',
      'documents[2].spec.permissions',
      'documents[3]',
      'documents[4].metadata.name',
    ]);
    expect(await head()).toBe(0);
  });

  it('takes the whole back when a later document fails in the store', async () => {
    await expect(apply([role('r'), session])).rejects.toMatchObject({ code: 'invalid', details: [{ path: 'documents[1].spec.system' }] });
    const stale = { ...role('q'), metadata: { name: 'q', resourceVersion: '3' } };
    await expect(apply([role('r'), stale])).rejects.toMatchObject({ code: 'conflict', details: [{ path: 'documents[1]' }] });
    expect(await head()).toBe(0);
  });

  it('a dry run answers the same and writes nothing, references among the documents included', async () => {
    const rehearsed = await apply([session, system], { dryRun: true });
    expect(await head()).toBe(0);
    expect(await apply([session, system])).toEqual(rehearsed);
  });

  it('warns of unknown fields per document', async () => {
    const [result] = await apply([{ ...role('r'), color: 'red' }]);
    expect(result?.warnings).toEqual(['unknown field "color" was ignored']);
  });

  it('takes an empty request', async () => {
    expect(await apply([])).toEqual([]);
  });
});

describe('apply with preconditions', () => {
  const documents = ['a', 'b', 'c', 'new'].map((name) => role(name, { description: 'imported' }));
  const rehearsed = async () => {
    for (const name of ['a', 'b', 'c']) await fixture.post(role(name));
    return (await apply(documents, { dryRun: true })).map(({ found }) => found ?? ({ mustNotExist: true } as const));
  };

  it('writes objects that have not changed since the dry run', async () => {
    const preconditions = await rehearsed();
    expect((await apply(documents, { preconditions })).map(({ action }) => action)).toEqual([
      'configured',
      'configured',
      'configured',
      'created',
    ]);
  });

  it('names every document whose object changed, was recreated or created, and writes nothing', async () => {
    const preconditions = await rehearsed();
    await fixture.post(role('a', { description: 'theirs' }));
    await fixture.registry.remove(as('writer'), { kind: 'AgentRole', namespace: 'default', name: 'b' });
    await fixture.post(role('b'));
    await fixture.post(role('new'));
    const before = await head();
    const refusal = await apply(documents, { preconditions }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'conflict' });
    const { metadata } = await fixture.registry.get(as('reader'), { kind: 'AgentRole', namespace: 'default', name: 'a' });
    expect((refusal as { details: object[] }).details).toEqual([
      { path: 'documents[0]', message: expect.stringContaining(`a is at resourceVersion ${metadata.resourceVersion} now, not `) },
      { path: 'documents[1]', message: expect.stringContaining('b was deleted and recreated meanwhile') },
      { path: 'documents[3]', message: expect.stringContaining('new was made meanwhile') },
    ]);
    expect(await head()).toBe(before);
  });

  it('a deleted object is not recreated by mistake, and null means no precondition', async () => {
    const preconditions = await rehearsed();
    await fixture.registry.remove(as('writer'), { kind: 'AgentRole', namespace: 'default', name: 'c' });
    const details = [{ path: 'documents[2]', message: expect.stringMatching(/c was deleted meanwhile$/) }];
    await expect(apply(documents, { preconditions })).rejects.toMatchObject({ code: 'conflict', details });
    expect(await apply(documents, { preconditions: documents.map(() => null) })).toHaveLength(4);
  });
});

describe('prune', () => {
  const labels = { app: 'x' };
  const prune = parseLabelSelector('app=x');
  const names = async (kind: string, namespace = 'default') =>
    (await fixture.registry.list(as('reader'), { kind, namespace, limit: 100 })).items.map((item) => item.metadata.name);

  it('deletes what matches and is no longer named, of every kind and in the namespaces concerned', async () => {
    await apply([role('keep', { labels }), role('drop', { labels }), role('unlabelled'), role('far', { namespace: 'team', labels })]);
    await apply([{ kind: 'Secret', metadata: { name: 'last', labels }, spec: { stringData: { value: 'v' } } }]);
    const results = await apply([role('keep', { labels })], { prune });
    expect(results.map(({ name, action }) => `${name} ${action}`).sort()).toEqual(['drop pruned', 'keep unchanged', 'last pruned']);
    expect(await names('AgentRole')).toEqual(['keep', 'unlabelled']);
    expect(await names('Secret')).toEqual([]);
    expect(await names('AgentRole', 'team')).toEqual(['far']);
  });

  it('spares what controllers made from another object', async () => {
    const annotations = { 'svc.dev/sealedsecret-owner': 'default/made' };
    await fixture.post({ kind: 'Secret', metadata: { name: 'made', labels, annotations }, spec: { stringData: { value: 'v' } } });
    expect(await apply([role('r')], { prune })).toHaveLength(1);
    expect(await names('Secret')).toEqual(['made']);
  });

  it('deletes dependents first', async () => {
    await apply([
      { ...system, metadata: { name: 'sys', labels } },
      { ...session, metadata: { name: 's', labels } },
    ]);
    expect((await apply([], { prune })).map((result) => result.name)).toEqual(['s', 'sys']);
  });

  it('reaches beyond one page', async () => {
    await apply(Array.from({ length: 250 }, (_, i) => role(`r${i}`, { labels })));
    expect(await apply([], { prune, dryRun: true })).toHaveLength(250);
    expect(await apply([], { prune })).toHaveLength(250);
    expect(await names('AgentRole')).toEqual([]);
  });

  it('refuses an empty selector', async () => {
    await fixture.post(role('r'));
    await expect(apply([], { prune: [] })).rejects.toMatchObject({ code: 'invalid' });
    expect(await names('AgentRole')).toEqual(['r']);
  });
});
