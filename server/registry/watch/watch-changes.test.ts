// Stream of all kinds' changes: its start, its content, and that random writes, reconnects and pruning deliver each change once.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { WatchItem } from '@svc/shared/api/watch';
import { as, role, setupRegistry } from '../../testing/registry-fixture.ts';
import type { RegistryFixture } from '../../testing/registry-fixture.ts';
import { createWatchService } from './watch-service.ts';
import type { ChangesQuery, WatchMessage, WatchService } from './watch.ts';

let fixture: RegistryFixture | undefined;
let end = new AbortController();

async function setup(): Promise<RegistryFixture> {
  end = new AbortController();
  return (fixture = await setupRegistry());
}

afterEach(async () => {
  end.abort();
  await fixture?.store.close();
  fixture = undefined;
});

const brief = (message: WatchMessage<WatchItem>) =>
  message.type === 'item'
    ? `${message.seq} ${message.item.type} ${message.item.kind} ${message.item.namespace}/${message.item.name}`
    : `${message.seq} ${message.type}`;

/** Reads a stream message by message, from its first one. */
function reader(watches: WatchService, query: ChangesQuery = {}, since?: number) {
  const stream = watches.watchChanges(as('reader'), query, { ...(since !== undefined && { since }), signal: end.signal });
  const batches = stream[Symbol.asyncIterator]();
  const waiting: WatchMessage<WatchItem>[] = [];
  return async (count: number): Promise<string[]> => {
    while (waiting.length < count) waiting.push(...((await batches.next()).value ?? []));
    return waiting.splice(0, count).map(brief);
  };
}

const secret = (name: string, namespace = 'default') => ({
  kind: 'Secret',
  metadata: { name, namespace },
  spec: { stringData: { value: 'hush' } },
});
const fact = { type: 'role.seen', source: 'test', action: 'seen', message: 'seen' };

describe('watchChanges', () => {
  it('sends its start, then the changes of every kind, and no facts', async () => {
    const { watches, registry, store, post } = await setup();
    await post(role('before'));
    const take = reader(watches);
    expect(await take(1)).toEqual(['1 synced']);
    await post(role('a'));
    await store.transaction((tx) =>
      tx.appendFact({ kind: 'AgentRole', namespace: 'default', name: 'a' }, '2026-01-01T00:00:00.000Z', fact),
    );
    await post(secret('s', 'team'));
    await registry.remove(as('admin'), { kind: 'AgentRole', namespace: 'default', name: 'a' });
    expect(await take(3)).toEqual(['2 created AgentRole default/a', '4 created Secret team/s', '5 deleted AgentRole default/a']);
  });

  it('sends the changes of the requested namespace only', async () => {
    const { watches, post } = await setup();
    const take = reader(watches, { namespace: 'team' });
    await take(1);
    await post(secret('s'));
    await post(role('r', { namespace: 'team' }));
    expect(await take(1)).toEqual(['2 created AgentRole team/r']);
  });

  it('sends the kinds of everywhere from all namespaces, live and from the log', async () => {
    const { watches, post } = await setup();
    const query = { namespace: 'team', everywhere: ['Secret'] };
    const take = reader(watches, query);
    await take(1);
    await post(secret('s'));
    await post(role('elsewhere'));
    await post(role('r', { namespace: 'team' }));
    const told = ['1 created Secret default/s', '3 created AgentRole team/r'];
    expect(await take(2)).toEqual(told);
    // A tail of its own begins at the head, so that what was before comes from the log.
    const behind = createWatchService({ store: fixture!.store, clock: fixture!.clock, reportError: () => undefined });
    expect(await reader(behind, query, 0)(3)).toEqual(['0 synced', ...told]);
  });

  it('merges a namespace with kinds from everywhere over many batches, each change once and in order', async () => {
    const { store, clock, post } = await setup();
    const expected: string[] = [];
    // Runs of one kind that are longer than a batch, so that the ranges reach differently far.
    for (let index = 0; index < 900; index += 1) {
      const inside = index % 3 === 0;
      if (index >= 300 && index < 600) await post(secret(`s${index}`, inside ? 'team' : 'default'));
      else await post(role(`r${index}`, { namespace: inside ? 'team' : 'default' }));
      if (index >= 300 && index < 600) expected.push(`${index + 1} created Secret ${inside ? 'team' : 'default'}/s${index}`);
      else if (inside) expected.push(`${index + 1} created AgentRole team/r${index}`);
    }
    const behind = createWatchService({ store, clock, reportError: () => undefined });
    const take = reader(behind, { namespace: 'team', everywhere: ['Secret'] }, 0);
    expect(await take(1 + expected.length)).toEqual(['0 synced', ...expected]);
  });

  it('continues after a cursor', async () => {
    const { watches, post } = await setup();
    for (const name of ['a', 'b', 'c']) await post(role(name));
    expect(await reader(watches, {}, 1)(3)).toEqual(['1 synced', '2 created AgentRole default/b', '3 created AgentRole default/c']);
    expect(await reader(watches, {}, 3)(1)).toEqual(['3 synced']);
  });

  it.each([
    ['too old', 1],
    ['from the future', 99],
  ])('answers a cursor that is %s with a resync, and continues with new changes', async (_, since) => {
    const { watches, store, post } = await setup();
    for (const name of ['a', 'b', 'c', 'd']) await post(role(name));
    await store.pruneChanges({ keepNewest: 1 });
    const take = reader(watches, {}, since);
    expect(await take(1)).toEqual(['4 resync']);
    await post(role('e'));
    expect(await take(1)).toEqual(['5 created AgentRole default/e']);
  });

  it('shows no secret values, and the same item object as other watchers get', async () => {
    const { watches, post } = await setup();
    const first = watches.watchChanges(as('reader'), {}, { signal: end.signal })[Symbol.asyncIterator]();
    const second = watches.watch(as('reader'), { kind: 'Secret' }, { signal: end.signal })[Symbol.asyncIterator]();
    await Promise.all([first.next(), second.next()]);
    await post(secret('s'));
    const [one, other] = await Promise.all([first.next(), second.next()]);
    expect(JSON.stringify(one)).not.toContain('hush');
    const itemOf = (result: typeof one) => (result.value as WatchMessage<WatchItem>[])[0];
    expect(itemOf(one)).toMatchObject({ type: 'item', item: itemOf(other)?.type === 'item' ? {} : undefined });
    expect((itemOf(one) as { item: WatchItem }).item).toBe((itemOf(other) as { item: WatchItem }).item);
  });

  it('brings every change since an earlier position', async () => {
    const { watches, post } = await setup();
    await post(role('before'));
    const position = await watches.position(as('reader'));
    await post(role('between'));
    expect(await reader(watches, {}, position)(2)).toEqual(['1 synced', '2 created AgentRole default/between']);
    await expect(watches.position(as('a2a'))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('needs role reader and a valid namespace', async () => {
    const { watches } = await setup();
    const { signal } = end;
    expect(() => watches.watchChanges(as('a2a'), {}, { signal })).toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(() => watches.watchChanges(as('reader'), { namespace: 'No Such' }, { signal })).toThrow(
      expect.objectContaining({ code: 'invalid' }),
    );
  });
});

interface Step {
  readonly type: 'role' | 'secret' | 'delete' | 'fact' | 'prune';
  readonly name: string;
  readonly namespace: string;
}

const step = (types: readonly Step['type'][]): fc.Arbitrary<Step> =>
  fc.record({ type: fc.constantFrom(...types), name: fc.constantFrom('a', 'b', 'c'), namespace: fc.constantFrom('default', 'team') });

async function perform({ store, registry, post }: RegistryFixture, { type, name, namespace }: Step, index: number): Promise<void> {
  if (type === 'role') await post(role(name, { namespace, description: `d${index}` }));
  if (type === 'secret') await post(secret(name, namespace));
  if (type === 'delete') await registry.remove(as('admin'), { kind: 'AgentRole', namespace, name }).catch(() => undefined);
  const key = { kind: 'AgentRole', namespace, name };
  if (type === 'fact') await store.transaction((tx) => tx.appendFact(key, '2026-01-01T00:00:00.000Z', fact));
  if (type === 'prune') await store.pruneChanges({ keepNewest: 2 });
}

interface Told {
  readonly seqs: number[];
  /** Stretches a resync passed over: after the first, up to the second. */
  readonly missed: [number, number][];
  from: number | undefined;
  at: number;
}

function note(told: Told, { type, seq }: WatchMessage<WatchItem>): void {
  if (type === 'item') told.seqs.push(seq);
  if (type === 'resync') told.missed.push([told.at, seq]);
  told.from ??= seq;
  told.at = seq;
}

/** Follows the stream, dropping the connection after each number of batches. */
async function follow(watches: WatchService, told: Told, { patience, namespace }: { patience: readonly number[]; namespace?: string }) {
  for (const batches of [...patience, Number.POSITIVE_INFINITY]) {
    if (end.signal.aborted) return;
    let left = batches;
    const options = { ...(told.from !== undefined && { since: told.at }), signal: end.signal };
    for await (const batch of watches.watchChanges(as('reader'), namespace === undefined ? {} : { namespace }, options)) {
      for (const message of batch) note(told, message);
      if (--left <= 0) break;
      await nextTurn();
    }
  }
}

describe('watchChanges under random writes and reconnects', () => {
  it.each<[string, readonly Step['type'][]]>([
    ['tells each change once and in order', ['role', 'role', 'secret', 'delete', 'fact']],
    ['leaves out only what a resync says it does, when the log is pruned', ['role', 'role', 'secret', 'delete', 'fact', 'prune']],
  ])('%s', async (_, types) => {
    const run = async (steps: readonly Step[], patience: readonly number[], namespace: string | undefined) => {
      const own = await setup();
      const reportError = (error: unknown) => end.abort(error);
      const watches = createWatchService({ store: own.store, clock: own.clock, reportError, ring: { changesMax: 3, sizeMax: 1e6 } });
      const told: Told = { seqs: [], missed: [], from: undefined, at: 0 };
      const following = follow(watches, told, { patience, ...(namespace !== undefined && { namespace }) });
      const written: number[] = [];
      for (const [index, next] of steps.entries()) {
        const { head } = await own.store.changeBounds();
        await perform(own, next, index);
        const [change] = await own.store.readChanges({ after: head, limit: 1 });
        if (change && change.type !== 'fact' && (namespace === undefined || change.namespace === namespace)) written.push(change.seq);
        if (index % 3 === 0) await nextTurn();
      }
      const expected = () =>
        written.filter((seq) => seq > (told.from ?? 0) && !told.missed.some(([after, to]) => seq > after && seq <= to));
      const isComplete = () => told.from !== undefined && told.seqs.join() === expected().join();
      for (let turns = 0; turns < 3_000 && !isComplete(); turns += 1) await nextTurn();
      const outcome = { told: [...told.seqs], failure: end.signal.reason as unknown };
      end.abort();
      await following;
      await own.store.close();
      fixture = undefined;
      expect(outcome).toEqual({ told: expected(), failure: undefined });
    };
    const namespace = fc.constantFrom(undefined, 'team');
    const patience = fc.array(fc.integer({ min: 1, max: 4 }), { maxLength: 5 });
    await fc.assert(fc.asyncProperty(fc.array(step(types), { minLength: 3, maxLength: 30 }), patience, namespace, run), { numRuns: 60 });
  });
});
