import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { as, setupRegistry } from '../testing/registry-fixture.ts';
import type { RegistryFixture, ResourceBody } from '../testing/registry-fixture.ts';

let fixture: RegistryFixture;

beforeEach(async () => {
  fixture = await setupRegistry({ isProvided: ({ kind, name }) => kind === 'Secret' && name === 'in-the-environment' });
});

afterEach(async () => {
  await fixture.store.close();
});

const agent = (spec: Readonly<Record<string, unknown>>): ResourceBody => ({
  kind: 'Agent',
  metadata: { name: 'a' },
  spec: { model_ref: 'm', prompt: 'Answer.', ...spec },
});
const model = (spec = {}): ResourceBody => ({ kind: 'ModelEndpoint', metadata: { name: 'm' }, spec: { provider: 'mock', ...spec } });
const read = (kind: string, name: string) => fixture.registry.get(as('reader'), { kind, namespace: 'default', name });
const MISSING_MODEL = 'spec.model_ref names ModelEndpoint default/m, which does not exist';

describe('references that lead nowhere', () => {
  it('are in the answer of the write already, with the generation that they belong to', async () => {
    const { resource } = await fixture.post(agent({ tools: ['t', 'other/u'] }));
    expect(resource.status).toEqual({
      phase: 'Pending',
      lastError: `${MISSING_MODEL}; spec.tools[0] names Tool default/t, which does not exist; spec.tools[1] names Tool other/u, which does not exist`,
      observedGeneration: 1,
    });
    expect(resource.metadata.resourceVersion).toBe('1');
  });

  it('are not the built-in tools that rules name', async () => {
    const rule = { kind: 'ToolPermission', metadata: { name: 'r' }, spec: { tool_ref: 'memory.write', required_permissions: ['p'] } };
    const policy = { kind: 'AgentPolicy', metadata: { name: 'p' }, spec: { blocked_tools: ['memory.ingest', 'route.choose', 'other/t'] } };
    expect((await fixture.post(rule)).resource.status).not.toHaveProperty('lastError');
    expect((await fixture.post(policy)).resource.status).toMatchObject({
      lastError: 'spec.blocked_tools[2] names Tool other/t, which does not exist',
    });
    const results = await fixture.registry.apply(as('admin'), [rule, policy], { namespace: 'default', findMissing: true });
    expect(results.map(({ missing }) => missing?.map(({ path }) => path))).toEqual([undefined, ['spec.blocked_tools[2]']]);
    await fixture.post(model());
    expect((await fixture.post(agent({ tools: ['memory.read'] }))).resource.status).toMatchObject({
      lastError: 'spec.tools[0] names Tool default/memory.read, which does not exist',
    });
  });

  it('follow the spec', async () => {
    await fixture.post(agent({}));
    const request = { kind: 'Agent', namespace: 'default', name: 'a' };
    await fixture.post({ ...model(), metadata: { name: 'n' } });
    const body = { spec: { model_ref: 'n', tools: ['t'] } };
    const { resource } = await fixture.registry.patch(as('admin'), { ...request, body });
    expect(resource.status).toMatchObject({
      lastError: 'spec.tools[0] names Tool default/t, which does not exist',
      observedGeneration: 2,
    });
    expect((await fixture.registry.patch(as('admin'), { ...request, body: { spec: { tools: null } } })).resource.status).not.toHaveProperty(
      'lastError',
    );
  });

  it('write no further version of an object without missing references', async () => {
    await fixture.post(model());
    expect((await fixture.post(agent({}))).resource).toMatchObject({ status: { phase: 'Pending' }, metadata: { resourceVersion: '1' } });
    await fixture.post({ kind: 'Tool', metadata: { name: 't' }, spec: { type: 'http', endpoint: 'https://tools.example.com' } });
    expect((await read('Agent', 'a')).metadata.resourceVersion).toBe('1');
  });

  it('are none within one apply, in any order of the documents', async () => {
    const system = { kind: 'AgentSystem', metadata: { name: 's' }, spec: { agents: ['a'] } };
    const policy = { kind: 'AgentPolicy', metadata: { name: 'p' }, spec: { apply_mode: 'scoped', target_systems: ['s'] } };
    await fixture.registry.apply(as('admin'), [system, policy, agent({}), model()], { namespace: 'default' });
    for (const [kind, name] of [
      ['AgentPolicy', 'p'],
      ['AgentSystem', 's'],
      ['Agent', 'a'],
    ] as const)
      expect(await read(kind, name)).toMatchObject({ status: { phase: 'Pending' }, metadata: { resourceVersion: '1' } });
  });

  it('change no version that a document of the same apply expects', async () => {
    await fixture.post(agent({}));
    const changed = { ...agent({ prompt: 'Changed.' }), metadata: { name: 'a', resourceVersion: '1' } };
    await fixture.registry.apply(as('admin'), [model(), changed], { namespace: 'default' });
    expect(await read('Agent', 'a')).toMatchObject({ metadata: { resourceVersion: '2' }, spec: { prompt: 'Changed.' } });
    expect((await read('Agent', 'a')).status).not.toHaveProperty('lastError');
  });

  it('exclude Secrets from variables and Tasks that a policy targets in advance', async () => {
    const withSecret = (secretRef: string) => fixture.post({ ...model({ auth: { secretRef } }), metadata: { name: secretRef } });
    expect((await withSecret('in-the-environment')).resource.status).not.toHaveProperty('lastError');
    expect((await withSecret('nowhere')).resource.status).toHaveProperty('lastError');
    const policy = { kind: 'AgentPolicy', metadata: { name: 'p' }, spec: { apply_mode: 'scoped', target_tasks: ['later'] } };
    expect((await fixture.post(policy)).resource.status).not.toHaveProperty('lastError');
  });

  it('do not overwrite errors from other writers', async () => {
    await fixture.post(model());
    await fixture.post(agent({}));
    const request = { kind: 'Agent', namespace: 'default', name: 'a' };
    const status = { phase: 'Pending', lastError: 'from elsewhere' };
    await fixture.registry.putStatus(as('admin'), { ...request, body: { metadata: { resourceVersion: '1' }, status } });
    await fixture.registry.patch(as('admin'), { ...request, body: { metadata: { labels: { x: 'y' } } } });
    expect((await read('Agent', 'a')).status).toEqual(status);
  });

  it('are listed up to a limit, then counted', async () => {
    const tools = Array.from({ length: 9 }, (_, index) => `t${index}`);
    const { lastError } = (await fixture.post(agent({ tools }))).resource.status as { lastError: string };
    expect(lastError.split('; ')).toHaveLength(6);
    expect(lastError).toMatch(/; 5 more$/);
  });
});
