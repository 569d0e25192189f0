// Entries of deleted Memories: removed by the controller, even after a restart and once a backend answers again.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceError } from '@svc/shared/errors';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createEgress } from '../egress/create-egress.ts';
import type { Registry } from '../registry/registry.ts';
import type { Store, StoredObject } from '../store/store.ts';
import { keptLog, takeLease } from '../testing/background.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { as, setupRegistry } from '../testing/registry-fixture.ts';
import { CallError } from '../engine/ports.ts';
import type { MemoryBackend, MemoryProvider, MemoryTarget } from './backend.ts';
import { createMemoryController } from './controller.ts';
import { createMemories, type Memories } from './create-memories.ts';
import { erasuresOf } from './erasures.ts';
import { createMemoryHooks } from './memory-hooks.ts';

interface World {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: ManualClock;
  readonly dataDir: string;
  /** The Memories of a process and a run of its controller. */
  readonly start: (
    providers?: readonly MemoryProvider[],
  ) => Promise<{ memories: Memories; follow: () => void; runOnce: () => Promise<void>; warnings: () => number }>;
  readonly create: (provider: string, endpoint?: string) => Promise<StoredObject>;
  readonly remove: () => Promise<unknown>;
}

const KEY = { namespace: 'default', name: 'notes' };

async function setup(): Promise<World> {
  const memoryHooks = createMemoryHooks({ embedded: true, clock: { now: () => clock.now() } });
  const { store, clock, registry, post } = await setupRegistry({ hooks: [['Memory', memoryHooks]] });
  const dataDir = await mkdtemp(join(tmpdir(), 'svcd-erasures-'));
  onTestFinished(() => store.close());
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const claim = await takeLease(store, clock.now());
  const unused = () => Promise.reject(new Error('not used here'));
  return {
    store,
    registry,
    clock,
    dataDir,
    async start(providers = []) {
      const secrets = { resolveValue: unused, resolveEntries: unused };
      const egress = createEgress();
      const rules = { allowPrivate: false, permittedBy: '' };
      const memory = createMemories({
        store,
        clock,
        random: () => 0,
        secrets,
        embeddings: { embed: unused },
        dataDir,
        rules,
        egress,
        providers,
      });
      const { log, lines } = keptLog();
      const controller = createMemoryController({ store, clock, log, random: () => 0, claim, memory, coalesceMs: 0 });
      onTestFinished(() => egress.close());
      onTestFinished(() => memory.close());
      onTestFinished(() => controller.stop());
      const follow = () => controller.start();
      return { memories: memory, follow, runOnce: () => controller.runOnce(), warnings: () => lines.length };
    },
    async create(provider, endpoint) {
      await post({ kind: 'Memory', metadata: { name: 'notes' }, spec: { provider, endpoint } });
      return (await store.getObject({ kind: 'Memory', ...KEY })) as StoredObject;
    },
    remove: () => registry.remove(as('admin'), { kind: 'Memory', ...KEY }),
  };
}

const signal = () => AbortSignal.timeout(10_000);
const write = ({ memories }: Memories, object: StoredObject) =>
  memories.open(object).backend.write({ puts: [{ key: 'k', value: 'v' }], deletes: [] }, signal());
const files = (dataDir: string) => readdir(join(dataDir, 'memories'));

it('removes the file of an embedded Memory that was deleted', async () => {
  const world = await setup();
  const { memories, runOnce } = await world.start();
  await write(memories, await world.create('embedded'));
  await runOnce();
  expect(await files(world.dataDir)).not.toEqual([]);
  await world.remove();
  await runOnce();
  expect(await files(world.dataDir)).toEqual([]);
  expect(await erasuresOf(world.store, KEY)).toEqual([]);
});

it('removes the file of an embedded Memory that was deleted before the server ended', async () => {
  const world = await setup();
  const first = await world.start();
  await write(first.memories, await world.create('embedded'));
  await first.memories.close();
  await world.remove();
  expect(await files(world.dataDir)).not.toEqual([]);
  const second = await world.start();
  await second.runOnce();
  expect(await files(world.dataDir)).toEqual([]);
});

it('removes the file once the store answers, when it was away as the controller started', async () => {
  const world = await setup();
  const first = await world.start();
  await write(first.memories, await world.create('embedded'));
  await first.memories.close();
  await world.remove();
  const list = vi.spyOn(world.store, 'listDocuments').mockRejectedValueOnce(new ServiceError('unavailable', 'away'));
  const { follow } = await world.start();
  follow();
  await vi.waitFor(() => expect(list).toHaveBeenCalled(), { timeout: 20_000 });
  const removed = async () => {
    world.clock.advance(1_000);
    expect(await files(world.dataDir)).toEqual([]);
  };
  await vi.waitFor(removed, { timeout: 20_000 });
});

it('removes the entries at every place that the Memory had', async () => {
  const world = await setup();
  const { state, provider } = failing(true);
  const { memories, runOnce } = await world.start([provider]);
  await write(memories, await world.create('embedded'));
  await world.create('hosted', 'https://one.example');
  await world.create('hosted', 'https://two.example');
  await world.create('hosted', 'https://two.example/#again');
  await runOnce();
  expect(await files(world.dataDir)).not.toEqual([]);
  expect(state.erased).toEqual([]);
  await world.remove();
  await runOnce();
  expect(await files(world.dataDir)).toEqual([]);
  expect(state.erased.sort()).toEqual(['https://one.example', 'https://two.example/#again']);
  expect(await erasuresOf(world.store, KEY)).toEqual([]);
});

it('leaves the entries of a Memory that was created again', async () => {
  const world = await setup();
  const { memories, runOnce } = await world.start();
  await write(memories, await world.create('embedded'));
  await world.remove();
  const again = await world.create('embedded');
  await write(memories, again);
  await runOnce();
  expect(await memories.memories.open(again).backend.get('k', signal())).toBe('v');
  expect((await files(world.dataDir)).filter((name) => name.endsWith('.db'))).toEqual([`${again.uid}.db`]);
});

/** A provider whose erasure fails as long as `problem` says. */
function failing(byName: boolean) {
  const state: { problem: CallError | undefined; erased: (string | undefined)[] } = { problem: undefined, erased: [] };
  const backend = ({ spec }: MemoryTarget): Partial<MemoryBackend> => ({
    ping: () => Promise.resolve({ dimensions: undefined, unembedded: 0 }),
    get: () => Promise.resolve('v'),
    close: () => Promise.resolve(),
    erase() {
      if (state.problem) return Promise.reject(state.problem);
      state.erased.push(spec.endpoint);
      return Promise.resolve();
    },
  });
  const provider: MemoryProvider = {
    name: 'hosted',
    usesVectors: false,
    remote: true,
    byName,
    open: (target) => backend(target) as MemoryBackend,
  };
  return { state, provider };
}

it('tries again while a backend is away, and holds a Memory of the same name back until then', async () => {
  const world = await setup();
  const { state, provider } = failing(true);
  const { memories, runOnce, warnings } = await world.start([provider]);
  await world.create('hosted');
  await runOnce();
  state.problem = new CallError('execution_failed', 'away', { retryable: true });
  await world.remove();
  await world.create('hosted');
  await runOnce();
  await expect(memories.memories.find(KEY)).rejects.toMatchObject({ retryable: true, reason: 'memory_unavailable' });
  expect((await world.store.getObject({ kind: 'Memory', ...KEY }))?.status).toMatchObject({ phase: 'Error' });
  expect(warnings()).toBeGreaterThan(0);
  state.problem = undefined;
  await runOnce();
  expect(state.erased).toHaveLength(1);
  expect(await memories.memories.find(KEY)).toMatchObject({ name: 'notes' });
  await runOnce();
  expect((await world.store.getObject({ kind: 'Memory', ...KEY }))?.status).toMatchObject({ phase: 'Ready' });
});

it.each([
  ['https://h.example/notes/', 'https://H.example:443/notes#x', 'memory_unavailable'],
  ['https://h.example/notes?t=1', 'https://h.example/notes?t=2', undefined],
])('waits for entries at %s before it uses %s: %s', async (before, after, reason) => {
  const world = await setup();
  const { state, provider } = failing(true);
  const { memories, runOnce } = await world.start([provider]);
  await world.create('hosted', before);
  state.problem = new CallError('execution_failed', 'away', { retryable: true });
  await world.remove();
  await world.create('hosted', after);
  await runOnce();
  const found = await memories.memories.find(KEY).then(
    () => undefined,
    (error: CallError) => error.reason,
  );
  expect(found).toBe(reason);
});

it('gives up after a day, and at once where the provider is unknown', async () => {
  const world = await setup();
  const { state, provider } = failing(false);
  const { runOnce } = await world.start([provider]);
  await world.create('hosted');
  state.problem = new CallError('auth_invalid', 'no', { retryable: false });
  await world.remove();
  await runOnce();
  expect(await erasuresOf(world.store, KEY)).toHaveLength(1);
  world.clock.advance(25 * 60 * 60 * 1000);
  await runOnce();
  expect(await erasuresOf(world.store, KEY)).toEqual([]);
  await world.create('nobody');
  await world.remove();
  await runOnce();
  expect(await erasuresOf(world.store, KEY)).toEqual([]);
});
