// Statuses of objects whose references come and go, over real stores.
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock, type Clock } from '../../clock.ts';
import { keptLog, storeEngines, takeLease, type StoreEngine } from '../../testing/background.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { as, registryOver } from '../../testing/registry-fixture.ts';
import { startTestServer } from '../../testing/running-server.ts';
import { createMissingReferences } from './controller.ts';

async function setup(open: StoreEngine['open'], clock: Clock = systemClock) {
  const store = await open(clock);
  onTestFinished(() => store.close());
  const registry = registryOver(store, clock);
  const claim = await takeLease(store, clock.now());
  const kept = keptLog();
  const begin = () => {
    const controller = createMissingReferences({
      ...{ store, clock, log: kept.log, claim },
      ...{ random: () => 1, isProvided: () => false, coalesceMs: 0 },
    });
    onTestFinished(() => controller.stop());
    return controller;
  };
  const controller = begin();
  const document = (kind: string, name: string, spec: object) => ({ kind, metadata: { name }, spec });
  const get = (kind: string, name: string) => registry.get(as('reader'), { kind, namespace: 'default', name });
  return {
    store,
    begin,
    start: controller.start,
    registry,
    get,
    lastError: async (kind: string, name: string) => (await get(kind, name)).status['lastError'],
    async settle() {
      await controller.runOnce();
      expect(kept.lines).toEqual([]);
    },
    document,
    post: (kind: string, name: string, spec: object) =>
      registry.post(as('writer'), { kind, namespace: 'default', body: document(kind, name, spec) }),
    remove: (kind: string, name: string) => registry.remove(as('writer'), { kind, namespace: 'default', name }),
  };
}

const agent = (model: string) => ({ model_ref: model, prompt: 'Answer.' });
const MODEL = { provider: 'mock' };
const missing = (model: string) => `spec.model_ref names ModelEndpoint default/${model}, which does not exist`;

describe.each(storeEngines.filter(({ skip }) => !skip))('the controller of missing references over $name', ({ open }) => {
  it('clears a status once the object is created, and sets it again when that is deleted', async () => {
    const { post, remove, get, settle } = await setup(open);
    await post('Agent', 'a', agent('m'));
    await settle();
    await post('ModelEndpoint', 'm', MODEL);
    await settle();
    expect((await get('Agent', 'a')).status).toEqual({ phase: 'Pending', observedGeneration: 1 });
    await remove('ModelEndpoint', 'm');
    await settle();
    const { status, metadata } = await get('Agent', 'a');
    expect(status).toEqual({ phase: 'Pending', lastError: missing('m'), observedGeneration: 1 });
    expect(metadata).toMatchObject({ resourceVersion: '3', generation: 1, updatedBy: 'system:controllers' });
  });

  it('corrects a status after concurrent transactions created and deleted its references', async () => {
    const { post, remove, lastError, settle } = await setup(open);
    const names = Array.from({ length: 20 }, (_, index) => `m${index}`);
    for (const name of names) await Promise.all([post('Agent', `new-${name}`, agent(name)), post('ModelEndpoint', name, MODEL)]);
    await settle();
    for (const name of names) expect(await lastError('Agent', `new-${name}`)).toBeUndefined();
    for (const name of names) await Promise.all([post('Agent', `old-${name}`, agent(name)), remove('ModelEndpoint', name)]);
    await settle();
    for (const name of names) expect(await lastError('Agent', `old-${name}`)).toBe(missing(name));
  });

  it('writes nothing where nothing is missing, nor when another component reported the error', async () => {
    const { registry, post, get, settle } = await setup(open);
    await post('ModelEndpoint', 'm', MODEL);
    await post('Agent', 'fine', agent('m'));
    await post('Agent', 'told', agent('m'));
    const status = { phase: 'Pending', lastError: 'from elsewhere' };
    const body = { metadata: { resourceVersion: '1' }, status };
    await registry.putStatus(as('admin'), { kind: 'Agent', namespace: 'default', name: 'told', body });
    await settle();
    expect(await get('Agent', 'fine')).toMatchObject({ status: { phase: 'Pending' }, metadata: { resourceVersion: '1' } });
    expect(await get('Agent', 'told')).toMatchObject({ status, metadata: { resourceVersion: '2' } });
  });

  it('examines every object at the start of a term', async () => {
    const { begin, post, remove, lastError } = await setup(open);
    await post('ModelEndpoint', 'm', MODEL);
    await post('Agent', 'a', agent('m'));
    await remove('ModelEndpoint', 'm');
    await begin().runOnce();
    expect(await lastError('Agent', 'a')).toBe(missing('m'));
  });

  it('clears a status whose model was created beside it, before or after it in the log', async () => {
    const clock = createManualClock();
    const { store, post, remove, lastError, settle } = await setup(open, clock);
    await settle();
    // From now on changes are judged by what was seen in the log.
    clock.advance(60_000);
    await post('Agent', 'first', agent('m'));
    await post('Agent', 'late', agent('m'));
    const late = (await store.getObject({ kind: 'Agent', namespace: 'default', name: 'late' }))!;
    await remove('Agent', 'late');
    await settle();
    await post('ModelEndpoint', 'm', MODEL);
    await settle();
    expect(await lastError('Agent', 'first')).toBeUndefined();
    await store.transaction((tx) => tx.insertObject(late));
    expect(await lastError('Agent', 'late')).toBe(missing('m'));
    await settle();
    expect(await lastError('Agent', 'late')).toBeUndefined();
  });

  it('checks again after a deletion, for objects whose transaction began before it', async () => {
    const clock = createManualClock();
    const { store, start, post, remove, lastError, settle } = await setup(open, clock);
    await post('ModelEndpoint', 'm', MODEL);
    await post('Agent', 'late', agent('m'));
    const late = (await store.getObject({ kind: 'Agent', namespace: 'default', name: 'late' }))!;
    await settle();
    await remove('Agent', 'late');
    await remove('ModelEndpoint', 'm');
    await settle();
    await store.transaction((tx) => tx.insertObject(late));
    await settle();
    expect(await lastError('Agent', 'late')).toBeUndefined();
    clock.advance(10_000);
    start();
    await expect.poll(() => lastError('Agent', 'late')).toBe(missing('m'));
  });

  it('renews all agents that name a model, more than a page of a list', async () => {
    const { registry, document, post, remove, get, lastError, settle } = await setup(open);
    // As many as a page of 200 twice and a part; a transaction of all of them would reach its time limit on a busy machine.
    for (let part = 0; part < 5; part += 1) {
      const agents = Array.from({ length: 90 }, (_, index) => document('Agent', `a${part}-${index}`, agent('m')));
      await registry.apply(as('admin'), agents, { namespace: 'default' });
    }
    await settle();
    await post('ModelEndpoint', 'm', MODEL);
    // The creation itself leaves them as they are.
    expect(await lastError('Agent', 'a4-89')).toBe(missing('m'));
    await settle();
    for (const name of ['a0-0', 'a2-45', 'a4-89']) expect(await lastError('Agent', name)).toBeUndefined();
    await remove('ModelEndpoint', 'm');
    expect((await get('Agent', 'a4-89')).metadata.resourceVersion).toBe('2');
  });
});

it('renews statuses in a server', async () => {
  const server = await startTestServer();
  onTestFinished(server.stop);
  const post = (path: string, name: string, spec: object) =>
    fetch(`${server.url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ metadata: { name }, spec }),
    });
  const lastError = async () => {
    const response = await fetch(`${server.url}/v1/agents/a`);
    return ((await response.json()) as { status: { lastError?: string } }).status.lastError;
  };
  expect(await (await post('agents', 'a', agent('m'))).json()).toMatchObject({ status: { lastError: missing('m') } });
  await post('model-endpoints', 'm', MODEL);
  await expect.poll(lastError, { timeout: 5_000 }).toBeUndefined();
  await fetch(`${server.url}/v1/model-endpoints/m`, { method: 'DELETE' });
  await expect.poll(lastError, { timeout: 5_000 }).toBe(missing('m'));
});
