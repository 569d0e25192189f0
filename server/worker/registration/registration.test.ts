import { afterEach, expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { nameProblem, SUSPEND_REASON } from '@svc/shared/resource';
import type { StoredObject } from '../../store/store.ts';
import { as, setupRegistry, type RegistryFixture } from '../../testing/registry-fixture.ts';
import { workerHooks } from './worker-hooks.ts';
import { Registration, type RegistrationOptions } from './registration.ts';
import { REGISTERED_BY, workerKey } from './worker-object.ts';
import { defaultWorkerId } from './worker-name.ts';

const LEASE_MS = 30_000;
const HEARTBEAT_MS = 10_000;
const OFFER = { region: 'eu', gpu: true, supportedModels: ['fast'], maxConcurrentTasks: 4 };

type Log = { level: string; message: string }[];

interface Bundle {
  readonly fixture: RegistryFixture;
  readonly registration: Registration;
  readonly logged: Log;
  /** Reports to the worker, in order. */
  readonly told: string[];
  readonly read: () => Promise<StoredObject | undefined>;
  readonly facts: () => Promise<string[]>;
}

const opened: RegistryFixture[] = [];
afterEach(async () => {
  for (const { store } of opened.splice(0)) await store.close();
});

async function setup(overrides: Partial<RegistrationOptions> = {}, existing?: RegistryFixture): Promise<Bundle> {
  const fixture = existing ?? (await setupRegistry({ hooks: [workerHooks] }));
  if (!existing) opened.push(fixture);
  const logged: Log = [];
  const write = (level: string) => (_fields: unknown, message: string) => void logged.push({ level, message });
  const told: string[] = [];
  const { store, registry, clock } = fixture;
  const registration = new Registration({
    store,
    registry,
    clock,
    log: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } as never,
    id: 'w1',
    instance: 'first',
    offer: OFFER,
    leaseMs: LEASE_MS,
    heartbeatMs: HEARTBEAT_MS,
    soleOwner: false,
    secretsProblem: async () => undefined,
    isolation: () => [{ backend: 'docker', modes: ['container'], available: false, message: 'no engine' }],
    mcpStdio: false,
    held: () => 0,
    onChange: () => void told.push('change'),
    onReplaced: () => void told.push('replaced'),
    ...overrides,
  });
  const read = () => store.getObject(workerKey(overrides.id ?? 'w1'));
  const facts = async () => {
    const changes = await store.readChanges({ after: 0, limit: 100, kind: 'Worker' });
    return changes.flatMap(({ fact }) => (fact ? [fact.type] : []));
  };
  return { fixture, registration, logged, told, read, facts };
}

test('a worker makes its object, reports with each heartbeat, and reports when it drains and has stopped', async () => {
  let held = 2;
  const { registration, fixture, read, facts } = await setup({ held: () => held });
  await registration.register();
  const at = (ms: number) => new Date(Date.parse('2026-01-02T03:04:05.000Z') + ms).toISOString();
  expect(await read()).toMatchObject({
    namespace: 'default',
    annotations: { [REGISTERED_BY]: 'worker' },
    spec: { region: 'eu', capabilities: { gpu: true, supported_models: ['fast'] }, max_concurrent_tasks: 4 },
    status: { phase: 'Ready', instance: 'first', lastHeartbeat: at(0), currentTasks: 2, observedGeneration: 1 },
  });
  registration.start();
  fixture.clock.advance(HEARTBEAT_MS);
  await expect.poll(async () => (await read())?.status['lastHeartbeat'], { interval: 2 }).toBe(at(HEARTBEAT_MS));
  await registration.drain();
  expect((await read())?.status).toMatchObject({ phase: 'Draining', currentTasks: 2 });
  held = 0;
  await registration.stop();
  expect((await read())?.status).toMatchObject({ phase: 'NotReady', lastError: 'stopped', currentTasks: 0 });
  expect(await facts()).toEqual(['worker.ready', 'worker.draining', 'worker.stopped']);
});

test('an object that was declared beforehand keeps its labels and annotations, and takes the flags of the start', async () => {
  const { registration, fixture, read } = await setup();
  const metadata = { name: 'w1', labels: { team: 'a' }, annotations: { note: 'rack 7' } };
  await fixture.post({ kind: 'Worker', metadata, spec: { max_concurrent_tasks: 9 } });
  await registration.register();
  expect(await read()).toMatchObject({
    generation: 2,
    labels: { team: 'a' },
    annotations: { note: 'rack 7', [REGISTERED_BY]: 'worker' },
    spec: { max_concurrent_tasks: 4 },
    status: { observedGeneration: 2 },
  });
});

test('an edit of the object takes effect with the next heartbeat', async () => {
  const { registration, fixture, read, told } = await setup();
  await registration.register();
  expect(registration.capabilities()).toEqual({ region: 'eu', gpu: true, supportedModels: ['fast'], secrets: true, mcpStdio: false });
  const spec = { region: null, capabilities: { gpu: false, supported_models: ['slow'] }, max_concurrent_tasks: 1 };
  await fixture.registry.patch(as('writer'), { ...workerKey('w1'), body: { spec } });
  expect([registration.maxConcurrentTasks(), told]).toEqual([4, []]);
  await registration.runOnce();
  expect([registration.maxConcurrentTasks(), told]).toEqual([1, ['change']]);
  expect(registration.capabilities()).toEqual({ gpu: false, supportedModels: ['slow'], secrets: true, mcpStdio: false });
  expect((await read())?.status['observedGeneration']).toBe(2);
});

test('a suspended worker claims nothing, is Draining, and takes tasks again once it is resumed', async () => {
  const { registration, fixture, read, facts, told } = await setup({ held: () => 2 });
  await registration.register();
  const suspend = (value: boolean | null) =>
    fixture.registry.patch(as('writer'), { ...workerKey('w1'), body: { spec: { suspend: value } } });
  await suspend(true);
  await registration.runOnce();
  expect([registration.maxConcurrentTasks(), told]).toEqual([0, ['change']]);
  expect((await read())?.status).toMatchObject({ phase: 'Draining', currentTasks: 2 });
  await suspend(null);
  await registration.runOnce();
  expect([registration.maxConcurrentTasks(), told]).toEqual([4, ['change', 'change']]);
  expect((await read())?.status['phase']).toBe('Ready');
  expect(await facts()).toEqual(['worker.ready', 'worker.draining', 'worker.ready']);
});

test('a worker is still suspended after its restart', async () => {
  const { registration, fixture, read } = await setup();
  await registration.register();
  const body = { metadata: { annotations: { [SUSPEND_REASON]: 'new disk' } }, spec: { suspend: true } };
  await fixture.registry.patch(as('writer'), { ...workerKey('w1'), body });
  await registration.stop();
  const next = await setup({ instance: 'second' }, fixture);
  await next.registration.register();
  expect(next.registration.maxConcurrentTasks()).toBe(0);
  expect(await read()).toMatchObject({ annotations: { [SUSPEND_REASON]: 'new disk' }, status: { phase: 'Draining', instance: 'second' } });
});

test('a process that has the store to itself is suspended as the worker before it was, under another name', async () => {
  const { fixture, registration } = await setup({ soleOwner: true });
  await registration.register();
  const body = { metadata: { annotations: { [SUSPEND_REASON]: 'new disk' } }, spec: { suspend: true } };
  await fixture.registry.patch(as('writer'), { ...workerKey('w1'), body });
  await registration.stop();
  const next = await setup({ soleOwner: true, id: 'w2', instance: 'second' }, fixture);
  await next.registration.register();
  expect(next.registration.maxConcurrentTasks()).toBe(0);
  expect(await next.read()).toMatchObject({
    annotations: { [SUSPEND_REASON]: 'new disk' },
    spec: { suspend: true, max_concurrent_tasks: 4 },
    status: { phase: 'Draining' },
  });
});

test('a write of the object reaches the worker without a heartbeat', async () => {
  const { registration, fixture, read } = await setup();
  await registration.register();
  registration.start();
  const written = { ...workerKey('w1'), body: { spec: { suspend: true } } };
  await fixture.registry.patch(as('writer'), written);
  await expect.poll(async () => (await read())?.status['phase'], { interval: 2 }).toBe('Draining');
  await registration.stop();
});

test('a document that was saved before a restart takes the object from no worker', async () => {
  const { registration, fixture, read, told } = await setup();
  await registration.register();
  const saved = await fixture.registry.get(as('writer'), workerKey('w1'));
  await registration.stop();
  const next = await setup({ instance: 'second' }, fixture);
  await next.registration.register();
  const { resourceVersion: _old, ...metadata } = saved.metadata;
  const body = { ...saved, metadata: { ...metadata, annotations: { 'svc.dev/instance': 'first' } }, spec: {} };
  await fixture.registry.post(as('writer'), { ...workerKey('w1'), body });
  await next.registration.runOnce();
  expect([told, next.told, next.registration.maxConcurrentTasks()]).toEqual([[], ['change'], 1]);
  expect((await read())?.status).toMatchObject({ phase: 'Ready', instance: 'second', observedGeneration: 2 });
});

test('a deleted object is recreated with the next heartbeat', async () => {
  const { registration, fixture, read, facts } = await setup();
  await registration.register();
  await fixture.registry.remove(as('writer'), workerKey('w1'));
  await registration.runOnce();
  expect(await read()).toMatchObject({ spec: { max_concurrent_tasks: 4 }, status: { phase: 'Ready' } });
  expect(await facts()).toEqual(['worker.ready', 'worker.ready']);
});

test('a Worker that a controller called NotReady reports that it is Ready again', async () => {
  const { registration, fixture, read, facts } = await setup();
  await registration.register();
  await fixture.store.transaction(async (tx) => {
    const worker = (await tx.getObjectForUpdate(workerKey('w1')))!;
    await tx.updateObject({ ...worker, resourceVersion: worker.resourceVersion + 1, status: { phase: 'NotReady', lastError: 'silent' } });
  });
  await registration.runOnce();
  expect((await read())?.status).toEqual({
    phase: 'Ready',
    instance: 'first',
    currentTasks: 0,
    mcpStdio: false,
    isolation: [{ backend: 'docker', modes: ['container'], available: false, message: 'no engine' }],
    observedGeneration: 1,
    lastHeartbeat: '2026-01-02T03:04:05.000Z',
  });
  expect(await facts()).toEqual(['worker.ready', 'worker.ready']);
});

test('heartbeats continue after the store was unavailable, and the log reports both changes once', async () => {
  let away = true;
  const { registration, fixture, logged, read } = await setup();
  await registration.register();
  const { transaction } = fixture.store;
  const whenThere = (work: never) =>
    away ? Promise.reject(new ServiceError('unavailable', 'the store is away')) : transaction.call(fixture.store, work);
  fixture.store.transaction = whenThere as typeof transaction;
  for (let beat = 0; beat < 3; beat += 1) await registration.runOnce();
  expect(logged.map(({ message }) => message)).toEqual(['the worker could not report; it tries again']);
  away = false;
  fixture.clock.advance(HEARTBEAT_MS);
  await registration.runOnce();
  expect((await read())?.status['lastHeartbeat']).toBe('2026-01-02T03:04:15.000Z');
  expect(logged.at(-1)?.message).toBe('the worker reports again');
});

test('a second process of the same id is refused as soon as the first shows that it lives', async () => {
  const first = await setup();
  await first.registration.register();
  const second = await setup({ instance: 'second' }, first.fixture);
  const refused = expect(second.registration.register()).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('give this one its own with --worker-id'),
  });
  first.fixture.clock.advance(HEARTBEAT_MS);
  await first.registration.runOnce();
  const beating = setInterval(() => first.fixture.clock.advance(250), 2);
  await refused;
  clearInterval(beating);
  expect((await first.read())?.status['instance']).toBe('first');
});

test('a process of the same id starts once a lease has passed since its predecessor died', async () => {
  const dead = await setup();
  await dead.registration.register();
  const heir = await setup({ instance: 'second' }, dead.fixture);
  const began = dead.fixture.clock.now();
  const registered = heir.registration.register();
  const passing = setInterval(() => dead.fixture.clock.advance(250), 1);
  await registered;
  clearInterval(passing);
  expect(dead.fixture.clock.now() - began).toBeGreaterThanOrEqual(LEASE_MS);
  expect((await heir.read())?.status['instance']).toBe('second');
});

test.each(['a clean stop', 'being the only process that can have the store'])('after %s the id is free at once', async (reason) => {
  const first = await setup();
  await first.registration.register();
  const soleOwner = reason !== 'a clean stop';
  if (!soleOwner) await first.registration.stop();
  const second = await setup({ instance: 'second', soleOwner }, first.fixture);
  await second.registration.register();
  expect((await second.read())?.status['instance']).toBe('second');
});

test('a suspended worker stops writing when another process took its id', async () => {
  const still = await setup();
  await still.registration.register();
  still.fixture.clock.advance(LEASE_MS);
  const heir = await setup({ instance: 'second' }, still.fixture);
  await heir.registration.register();
  const before = await heir.read();
  await still.registration.runOnce();
  await still.registration.stop();
  expect(still.told).toEqual(['replaced']);
  expect(await heir.read()).toEqual(before);
});

test('a worker that cannot open Secrets reports it once in the log, always in its status and its capabilities', async () => {
  let problem: string | undefined = 'the key is another one';
  const { registration, logged, read } = await setup({ secretsProblem: async () => problem });
  await registration.register();
  await registration.runOnce();
  expect(logged.filter(({ level }) => level === 'error')).toEqual([
    { level: 'error', message: 'the worker claims no tasks that need Secrets: the key is another one' },
  ]);
  expect((await read())?.status).toMatchObject({ phase: 'Ready', lastError: 'the key is another one' });
  expect(registration.capabilities().secrets).toBe(false);
  problem = undefined;
  await registration.runOnce();
  expect((await read())?.status).not.toHaveProperty('lastError');
  expect(registration.capabilities().secrets).toBe(true);
});

test('a process that has the store to itself removes the objects of workers before it, but not those an administrator declared', async () => {
  const { fixture, registration } = await setup({ soleOwner: true });
  await fixture.post({ kind: 'Worker', metadata: { name: 'declared' }, spec: {} });
  await fixture.post({ kind: 'Worker', metadata: { name: 'gone', annotations: { [REGISTERED_BY]: 'worker' } }, spec: {} });
  await registration.register();
  const left = await fixture.store.listObjects({ kind: 'Worker', limit: 10 });
  expect(left.map(({ name }) => name)).toEqual(['declared', 'w1']);
});

test('a worker that was never registered leaves no trace when it stops', async () => {
  const { registration, read, facts } = await setup();
  await registration.drain();
  await registration.stop();
  expect([await read(), await facts()]).toEqual([undefined, []]);
});

test.each([
  ['host.example', 'host.example-7'],
  ['my host!', 'my-host--7'],
  ['__lead', 'lead-7'],
  ['', 'worker-7'],
  ['ü'.repeat(300), 'worker-7'],
  ['h'.repeat(300), `${'h'.repeat(200)}-7`],
])('the host name %j makes a valid name', (host, expected) => {
  expect(defaultWorkerId(host, 7)).toBe(expected);
  expect(nameProblem(expected)).toBeUndefined();
});
