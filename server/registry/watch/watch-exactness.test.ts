// Random writes against watchers with random filters, pauses and reconnects: every watcher's client ends with exactly the stored objects,
// and never receives a change twice or out of order on the way.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WatchItem } from '@svc/shared/api/watch';
import { matchesLabels, parseLabelSelector } from '@svc/shared/labels';
import type { Store, StoredObject } from '../../store/store.ts';
import { as, role, setupRegistry } from '../../testing/registry-fixture.ts';
import type { RegistryFixture } from '../../testing/registry-fixture.ts';
import { updateStatus } from '../own-writes.ts';
import { createWatchService } from './watch-service.ts';
import type { WatchMessage, WatchQuery, WatchService } from './watch.ts';

const KIND = 'AgentRole';
const NAMESPACES = ['default', 'team'] as const;
const TURNS_MAX = 5000;

interface Operation {
  readonly type: 'write' | 'status' | 'delete' | 'fact' | 'prune';
  readonly name: string;
  readonly namespace: string;
  readonly app: string;
}

interface Plan {
  readonly query: { namespace?: string; name?: string; selector?: string };
  /** Writes that happen before the client comes. */
  readonly joinsAfter: number;
  /** Batches read on each connection before it is dropped. */
  readonly patience: readonly number[];
  /** Turns of the event loop that the client needs for one batch. */
  readonly slowness: number;
}

const operation = (types: readonly Operation['type'][]) =>
  fc.record({
    type: fc.constantFrom(...types),
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    namespace: fc.constantFrom(...NAMESPACES),
    app: fc.constantFrom('x', 'y'),
  });
const plan: fc.Arbitrary<Plan> = fc.record({
  query: fc.record(
    { namespace: fc.constantFrom(...NAMESPACES), name: fc.constantFrom('a', 'b'), selector: fc.constantFrom('app=x', 'app!=x', '!app') },
    { requiredKeys: [] },
  ),
  joinsAfter: fc.integer({ min: 0, max: 20 }),
  patience: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 5 }),
  slowness: fc.constantFrom(0, 0, 3, 40),
});

/** Client that applies the messages; throws at the first one that does not follow from those before. */
class Client {
  readonly held = new Map<string, { uid: string; version: number }>();
  readonly #strict: boolean;
  #lastSeq = 0;
  #syncing = true;
  cursor: number | undefined;

  /** Not strict: after pruning, a labelled watcher may receive the deletion of an object it does not have. */
  constructor(strict: boolean) {
    this.#strict = strict;
  }

  /** A new connection. Without a cursor that holds, the client has no state. */
  connect(): number | undefined {
    if (!this.cursor) this.#reset();
    return this.cursor || undefined;
  }

  take(message: WatchMessage<WatchItem>): void {
    this.cursor = message.seq;
    if (message.type === 'resync') return this.#reset();
    if (message.type === 'synced') {
      this.#syncing = false;
      this.#lastSeq = message.seq;
      return;
    }
    if (!this.#syncing) {
      if (message.seq <= this.#lastSeq) throw new Error(`seq ${message.seq} after ${this.#lastSeq}`);
      this.#lastSeq = message.seq;
    }
    this.#apply(message.item);
  }

  #reset(): void {
    this.held.clear();
    this.#syncing = true;
  }

  #apply({ type, namespace, name, resource, snapshot }: WatchItem): void {
    const id = `${namespace}/${name}`;
    const known = this.held.get(id);
    const next = { uid: resource.metadata.uid, version: Number(resource.metadata.resourceVersion) };
    if (type === 'created' && known) throw new Error(`${id} created twice${snapshot ? ' (snapshot)' : ''}`);
    if (this.#strict && type !== 'created' && !known) throw new Error(`${id} ${type} but never created`);
    if (type === 'updated' && known && (known.uid !== next.uid || known.version >= next.version)) throw new Error(`${id} went back`);
    if (type === 'deleted') this.held.delete(id);
    else this.held.set(id, next);
  }
}

async function runOperation({ store, clock, registry, post }: RegistryFixture, { type, name, namespace, app }: Operation, index: number) {
  const key = { kind: KIND, namespace, name };
  if (type === 'write') await post(role(name, { namespace, labels: { app }, description: `d${index}` }));
  if (type === 'delete') await registry.remove(as('admin'), key).catch(() => undefined);
  if (type === 'status') {
    const change = () => ({ phase: 'Ready', observedGeneration: index });
    await store.transaction((tx) => updateStatus(tx, { key, clock, by: 'ann', change }));
  }
  const fact = { type: 'role.seen', source: 'test', action: 'seen', message: 'seen' };
  if (type === 'fact') await store.transaction((tx) => tx.appendFact(key, new Date(clock.now()).toISOString(), fact));
  if (type === 'prune') await store.pruneChanges({ keepNewest: 3 });
}

/** The same store, whose reads let others run before and after them. */
function unhurried(store: Store, random: () => number): Store {
  const pause = async () => {
    for (let turns = Math.floor(random() * 4); turns > 0; turns--) await nextTurn();
  };
  return new Proxy(store, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      if (!['listPage', 'getObject', 'readChanges', 'readChangePage', 'changeBounds'].includes(String(property)))
        return member.bind(target);
      return async (...args: unknown[]) => {
        await pause();
        const result: unknown = await member.apply(target, args);
        await pause();
        return result;
      };
    },
  });
}

function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}

interface Visit extends Pick<Plan, 'patience' | 'slowness'> {
  readonly query: WatchQuery;
  readonly signal: AbortSignal;
}

/** Reads until the signal, with the planned disconnects, and then without further ones. */
async function watchAs(client: Client, watches: WatchService, { query, patience, slowness, signal }: Visit) {
  for (const batches of [...patience, Number.POSITIVE_INFINITY]) {
    if (signal.aborted) return;
    const since = client.connect();
    let left = batches;
    for await (const batch of watches.watch(as('reader'), query, { ...(since !== undefined && { since }), signal })) {
      // A connection may break within a batch: what follows was sent but never arrived.
      const arrived = left === 1 ? batch.slice(0, Math.ceil(batch.length / 2)) : batch;
      for (const message of arrived) client.take(message);
      if (--left <= 0) break;
      for (let turns = slowness; turns > 0 && !signal.aborted; turns--) await nextTurn();
    }
  }
}

function watchQuery({ namespace, name, selector }: Plan['query']): WatchQuery {
  return { kind: KIND, ...(namespace && { namespace }), ...(name && { name }), ...(selector && { labels: parseLabelSelector(selector) }) };
}

const describeHeld = (held: Client['held']) => [...held].map(([id, { uid, version }]) => `${id} ${uid} v${version}`).sort();

function expected(objects: readonly StoredObject[], { namespace, name, labels }: WatchQuery): string[] {
  const selected = objects.filter(
    (o) => (!namespace || o.namespace === namespace) && (!name || o.name === name) && matchesLabels(labels ?? [], o.labels),
  );
  return selected.map((o) => `${o.namespace}/${o.name} ${o.uid} v${o.resourceVersion}`).sort();
}

async function play({
  operations,
  plans,
  seed,
}: {
  operations: readonly Operation[];
  plans: readonly Plan[];
  seed: number;
}): Promise<void> {
  const fixture = await setupRegistry();
  const random = seeded(seed);
  const end = new AbortController();
  const store = unhurried(fixture.store, random);
  const fail = (error: unknown) => end.abort(error);
  const watches = createWatchService({
    store,
    clock: fixture.clock,
    reportError: fail,
    ring: { changesMax: 4, sizeMax: 1e6 },
    snapshotPageSize: 2,
  });
  const strict = operations.every(({ type }) => type !== 'prune');
  const clients = plans.map((own) => ({ own, client: new Client(strict || !own.query.selector), query: watchQuery(own.query) }));
  const visits: Promise<void>[] = [];
  const admit = (written: number) => {
    for (const { own, client, query } of clients.filter(({ own }) => Math.min(own.joinsAfter, operations.length) === written)) {
      visits.push(watchAs(client, watches, { ...own, query, signal: end.signal }).catch(fail));
    }
  };
  for (const [index, next] of operations.entries()) {
    admit(index);
    await runOperation(fixture, next, index);
    for (let turns = Math.floor(random() * 3); turns > 0; turns--) await nextTurn();
  }
  admit(operations.length);
  const objects = await fixture.store.listObjects({ kind: KIND, limit: 1000 });
  const behind = () => clients.filter(({ client, query }) => describeHeld(client.held).join() !== expected(objects, query).join());
  for (let turns = 0; behind().length && turns < TURNS_MAX && !end.signal.aborted; turns++) await nextTurn();
  const failure: unknown = end.signal.aborted ? end.signal.reason : undefined;
  const outcome = behind().map(({ client, query }) => ({ query, held: describeHeld(client.held), stored: expected(objects, query) }));
  end.abort();
  await Promise.all(visits);
  await fixture.store.close();
  expect({ failure, outcome }).toEqual({ failure: undefined, outcome: [] });
}

describe('watches under random writes and reconnects', () => {
  it.each<[string, readonly Operation['type'][]]>([
    ['neither lose nor repeat', ['write', 'write', 'write', 'status', 'delete', 'fact']],
    ['catch up by resync when the log is pruned under them', ['write', 'write', 'write', 'status', 'delete', 'fact', 'prune']],
  ])('%s', { timeout: 60_000 }, async (_title, types) => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          operations: fc.array(operation(types), { minLength: 5, maxLength: 40 }),
          plans: fc.array(plan, { minLength: 1, maxLength: 5 }),
          seed: fc.integer(),
        }),
        play,
      ),
      { numRuns: 150 },
    );
  });
});
