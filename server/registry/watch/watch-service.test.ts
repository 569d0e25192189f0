import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { parseLabelSelector } from '@svc/shared/labels';
import { as, role, setupRegistry } from '../../testing/registry-fixture.ts';
import type { RegistryFixture } from '../../testing/registry-fixture.ts';
import { updateStatus } from '../own-writes.ts';
import { createWatchService } from './watch-service.ts';
import type { EventQuery, WatchMessage, WatchQuery, WatchStream } from './watch.ts';
import { overlay } from '../../overlay.ts';

let fixture: RegistryFixture;
let end: AbortController;

async function setup() {
  fixture = await setupRegistry();
  end = new AbortController();
  setMaxListeners(0, end.signal);
  return fixture;
}

afterEach(async () => {
  end.abort();
  await fixture.store.close();
});

const key = (name: string) => ({ kind: 'AgentRole', namespace: 'default', name });
const watch = (query: Partial<WatchQuery> = {}, since?: number) =>
  reader(
    fixture.watches.watch(as('reader'), { kind: 'AgentRole', ...query }, { ...(since !== undefined && { since }), signal: end.signal }),
  );
const watchEvents = (query: EventQuery = {}, since?: number) =>
  reader(fixture.watches.watchEvents(as('reader'), query, { ...(since !== undefined && { since }), signal: end.signal }));

/** Reads a stream message by message. */
function reader<Item>(stream: WatchStream<Item>) {
  const batches = stream[Symbol.asyncIterator]();
  const waiting: WatchMessage<Item>[] = [];
  const next = async (): Promise<WatchMessage<Item>> => {
    while (!waiting.length) {
      const batch = await batches.next();
      if (batch.done) throw new Error('the stream ended');
      waiting.push(...batch.value);
    }
    return waiting.shift()!;
  };
  const take = async (count: number) => {
    const messages: WatchMessage<Item>[] = [];
    while (messages.length < count) messages.push(await next());
    return messages;
  };
  return { next, take, batches };
}

const brief = (message: WatchMessage<any>) =>
  message.type === 'item'
    ? `${message.seq} ${message.item.type} ${message.item.name}${message.item.snapshot ? ' (snapshot)' : ''}`
    : `${message.seq} ${message.type}`;

describe('watch', () => {
  it('sends the existing objects, then synced, then live changes', async () => {
    const { post, registry } = await setup();
    await post(role('a'));
    await post(role('b'));
    const stream = watch();
    expect((await stream.take(3)).map(brief)).toEqual(['0 created a (snapshot)', '2 created b (snapshot)', '2 synced']);
    await post(role('c'));
    await post(role('a', { description: 'second' }));
    const { resource } = await registry.remove(as('admin'), key('a'));
    const live = await stream.take(3);
    expect(live.map(brief)).toEqual(['3 created c', '4 updated a', '5 deleted a']);
    expect(live[2]).toEqual({
      type: 'item',
      seq: 5,
      item: { type: 'deleted', kind: 'AgentRole', namespace: 'default', name: 'a', resourceVersion: '2', resource },
    });
  });

  it.each<[string, Partial<WatchQuery>, string[]]>([
    ['a namespace', { namespace: 'team' }, ['a team']],
    ['a name', { name: 'a' }, ['a default', 'a team']],
    ['one object', { namespace: 'default', name: 'a' }, ['a default']],
    ['labels', { labels: parseLabelSelector('app=x') }, ['a default']],
  ])('is limited to %s, in the snapshot and live', async (_title, query, expected) => {
    const { post } = await setup();
    const write = async (description: string) => {
      await post({ ...role('b', { description }), metadata: { name: 'b' } });
      await post(role('a', { description, labels: { app: 'x' } }));
      await post(role('a', { description, namespace: 'team' }));
    };
    const names = (messages: WatchMessage<any>[]) => messages.map((m) => m.type === 'item' && `${m.item.name} ${m.item.namespace}`);
    await write('first');
    const stream = watch(query);
    expect(names(await stream.take(expected.length))).toEqual(expected);
    expect((await stream.next()).type).toBe('synced');
    await write('second');
    expect(names(await stream.take(expected.length))).toEqual(expected);
  });

  it('resumes after a cursor with every change since, in order', async () => {
    const { post, registry } = await setup();
    await post(role('a'));
    await post({ kind: 'Secret', metadata: { name: 's' }, spec: {} });
    await registry.remove(as('admin'), key('a'));
    await post(role('b'));
    expect((await watch({}, 0).take(3)).map(brief)).toEqual(['1 created a', '3 deleted a', '4 created b']);
    const stream = watch({}, 3);
    expect(brief(await stream.next())).toBe('4 created b');
    await post(role('c'));
    expect(brief(await stream.next())).toBe('5 created c');
  });

  it('shows an object that leaves and enters the selector after a resume too', async () => {
    const { post, store, clock } = await setup();
    await post(role('in', { labels: { app: 'x' } }));
    await post(role('out', { labels: { app: 'y' } }));
    const fact = { type: 'role.seen', source: 'test', action: 'seen', message: 'seen' };
    for (let i = 0; i < 30; i++) await store.transaction((tx) => tx.appendFact(key('in'), new Date(clock.now()).toISOString(), fact));
    await post(role('in', { labels: { app: 'y' } }));
    await post(role('out', { labels: { app: 'x' } }));
    await post(role('out', { labels: { app: 'x' }, description: 'second' }));
    const stream = watch({ labels: parseLabelSelector('app=x') }, 2);
    expect((await stream.take(3)).map(brief)).toEqual(['33 deleted in', '34 created out', '35 updated out']);
  });

  it.each([
    ['older than what is retained', 1],
    ['from the future', 99],
  ])('answers a cursor %s with a resync and a fresh snapshot', async (_title, since) => {
    const { post, store } = await setup();
    for (const name of ['a', 'b', 'c']) await post(role(name));
    await store.pruneChanges({ keepNewest: 1 });
    expect((await watch({}, since).take(5)).map(brief)).toEqual([
      '0 resync',
      '0 created a (snapshot)',
      '0 created b (snapshot)',
      '3 created c (snapshot)',
      '3 synced',
    ]);
  });

  it('keeps a cursor at the edge of what is retained', async () => {
    const { post, store } = await setup();
    for (const name of ['a', 'b', 'c']) await post(role(name));
    await store.pruneChanges({ keepNewest: 1 });
    expect(brief(await watch({}, 2).next())).toBe('3 created c');
    await store.pruneChanges({ keepNewest: 0 });
    const stream = watch({}, 3);
    const next = stream.next();
    await post(role('d'));
    expect(brief(await next)).toBe('4 created d');
  });

  it('gives all watchers the same item objects', async () => {
    const { post } = await setup();
    const streams = [watch(), watch(), watch({ namespace: 'default' })];
    for (const stream of streams) expect((await stream.next()).type).toBe('synced');
    await post(role('a'));
    const items = await Promise.all(streams.map(async (stream) => (await stream.next()) as { item: unknown }));
    expect(new Set(items.map(({ item }) => item)).size).toBe(1);
  });

  it('reads the log once per commit, however many watch', async () => {
    const { post, store, clock } = await setup();
    let reads = 0;
    const counted = overlay(store, {
      readChangePage(...args) {
        reads++;
        return store.readChangePage(...args);
      },
    });
    const watches = createWatchService({ store: counted, clock, reportError: () => undefined });
    const streams = Array.from({ length: 200 }, () => reader(watches.watch(as('reader'), { kind: 'AgentRole' }, { signal: end.signal })));
    await Promise.all(streams.map((stream) => stream.next()));
    const pending = streams.map((stream) => stream.next());
    reads = 0;
    await post(role('a'));
    expect((await Promise.all(pending)).every((message) => message.type === 'item')).toBe(true);
    expect(reads).toBeLessThanOrEqual(2);
  });

  it('finds a change whose wake-up was missed at the next re-check', async () => {
    const { post, store, clock } = await setup();
    const deaf = overlay(store, { onCommit: () => () => undefined });
    const watches = createWatchService({ store: deaf, clock, reportError: () => undefined });
    const stream = reader(watches.watch(as('reader'), { kind: 'AgentRole' }, { signal: end.signal }));
    expect((await stream.next()).type).toBe('synced');
    await post(role('a'));
    const next = stream.next();
    clock.advance(60_000);
    expect(brief(await next)).toBe('1 created a');
  });

  it('reports a read that fails and continues with the next', async () => {
    const { post, store, clock } = await setup();
    let broken = false;
    const failing = overlay(store, {
      readChangePage: (...args) => (broken ? Promise.reject(new Error('the disk is away')) : store.readChangePage(...args)),
    });
    const reported: unknown[] = [];
    const watches = createWatchService({ store: failing, clock, reportError: (error) => reported.push(error) });
    const stream = reader(watches.watch(as('reader'), { kind: 'AgentRole' }, { signal: end.signal }));
    await stream.next();
    const next = stream.next();
    broken = true;
    await post(role('a'));
    while (!reported.length) await nextTurn();
    broken = false;
    await post(role('b'));
    expect([brief(await next), brief(await stream.next())]).toEqual(['1 created a', '2 created b']);
  });

  it.each([['the signal'], ['return()']])('ends by %s while it waits, and stops reading the log', async (how) => {
    const { store, clock } = await setup();
    let listeners = 0;
    const counted = overlay(store, {
      onCommit(listener) {
        listeners++;
        const remove = store.onCommit(listener);
        return () => {
          listeners--;
          remove();
        };
      },
    });
    const watches = createWatchService({ store: counted, clock, reportError: () => undefined });
    const stream = reader(watches.watch(as('reader'), { kind: 'AgentRole' }, { signal: end.signal }));
    await stream.next();
    const waiting = stream.batches.next();
    await nextTurn();
    expect(listeners).toBe(1);
    if (how === 'return()') await stream.batches.return!();
    else end.abort();
    expect(await waiting).toMatchObject({ done: true });
    expect(listeners).toBe(0);
  });

  it('refuses a role, a kind or a filter before it streams', async () => {
    const { watches } = await setup();
    const options = { signal: end.signal };
    expect(() => watches.watch(as('a2a'), { kind: 'AgentRole' }, options)).toThrow(expect.objectContaining({ code: 'forbidden' }));
    expect(() => watches.watch(as('reader'), { kind: 'Unicorn' }, options)).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => watches.watch(as('reader'), { kind: 'AgentRole', namespace: 'A B' }, options)).toThrow(
      expect.objectContaining({ code: 'invalid' }),
    );
    expect(() => watches.watchEvents(as('a2a'), {}, options)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

describe('events', () => {
  const fact = { type: 'role.seen', source: 'worker', action: 'seen', message: 'the role was seen', data: { by: 'me' } };

  async function write() {
    const { post, store, clock, registry } = await setup();
    await post(role('a'));
    await store.transaction((tx) => tx.appendFact(key('a'), new Date(clock.now()).toISOString(), fact));
    await store.transaction((tx) => updateStatus(tx, { key: key('a'), clock, by: 'ann', change: () => ({ phase: 'Ready' }) }));
    await post(role('b', { namespace: 'team' }));
    await registry.remove(as('admin'), key('a'));
  }

  it('are the writes and the facts as they are', async () => {
    await write();
    const timestamp = new Date(fixture.clock.now()).toISOString();
    const common = { timestamp, kind: 'AgentRole', namespace: 'default', name: 'a' };
    const { items } = await fixture.watches.listEvents(as('reader'), { limit: 3 });
    expect(items).toEqual([
      {
        id: '1',
        ...common,
        source: 'registry',
        type: 'resource.created',
        action: 'created',
        message: 'AgentRole default/a was created',
        data: { resourceVersion: '1', phase: 'Pending', updatedBy: 'the-admin' },
      },
      { id: '2', ...common, ...fact },
      {
        id: '3',
        ...common,
        source: 'registry',
        type: 'resource.updated',
        action: 'updated',
        message: 'AgentRole default/a was updated',
        data: { resourceVersion: '2', phase: 'Ready', updatedBy: 'ann' },
      },
    ]);
  });

  it.each<[string, Parameters<RegistryFixture['watches']['listEvents']>[1], string[], string | undefined]>([
    ['from the oldest', { limit: 2 }, ['1', '2'], '2'],
    ['after a page', { limit: 2, after: 2 }, ['3', '4'], '4'],
    ['to the end', { limit: 2, after: 4 }, ['5'], undefined],
    ['exactly to the end', { limit: 5 }, ['1', '2', '3', '4', '5'], undefined],
    ['newest first', { limit: 2, order: '-createdAt' }, ['5', '4'], '4'],
    ['newest first, after a page', { limit: 3, order: '-createdAt', after: 4 }, ['3', '2', '1'], undefined],
    ['newest first, down to a seq', { limit: 5, order: '-createdAt', since: 3 }, ['5', '4'], undefined],
    ['since a seq', { limit: 5, since: 3 }, ['4', '5'], undefined],
    ['of a type', { limit: 5, type: 'role.seen' }, ['2'], undefined],
    ['of a type with more to come', { limit: 1, type: 'resource.created' }, ['1'], '1'],
    ['of a namespace', { limit: 5, namespace: 'team' }, ['4'], undefined],
    ['of an object', { limit: 5, kind: 'AgentRole', namespace: 'default', name: 'a', type: 'resource.deleted' }, ['5'], undefined],
    ['of nothing', { limit: 5, kind: 'Task' }, [], undefined],
  ])('are listed %s', async (_title, ...[request, ids, next]) => {
    await write();
    const page = await fixture.watches.listEvents(as('reader'), request);
    expect([page.items.map((item) => item.id), page.continue]).toEqual([ids, next]);
  });

  it.each(['createdAt', '-createdAt'] as const)('of a uid leave out those of earlier objects of the name, by %s', async (order) => {
    await write();
    const { store, clock } = fixture;
    const addFact = () => store.transaction((tx) => tx.appendFact(key('a'), new Date(clock.now()).toISOString(), fact));
    const about = { kind: 'AgentRole', namespace: 'default', name: 'a', order } as const;
    const uidOf = async () => (await fixture.registry.get(as('reader'), key('a'))).metadata.uid;
    await addFact();
    await fixture.post(role('a'));
    const uid = await uidOf();
    await addFact();
    await addFact();
    const pages = async (limit: number) => {
      const ids: string[] = [];
      for (let after: number | undefined, more = true; more;) {
        const page = await fixture.watches.listEvents(as('reader'), { ...about, uid, limit, ...(after !== undefined && { after }) });
        ids.push(...page.items.map(({ id }) => id));
        more = page.continue !== undefined;
        after = Number(page.continue);
      }
      return ids.sort();
    };
    expect([await pages(10), await pages(1)]).toEqual([
      ['7', '8', '9'],
      ['7', '8', '9'],
    ]);
    await expect(fixture.watches.listEvents(as('reader'), { uid, limit: 1 })).rejects.toMatchObject({ code: 'invalid' });
  });

  it('are watched from the call on, or from a cursor', async () => {
    await write();
    const live = watchEvents({ type: 'resource.created' });
    await fixture.post(role('c'));
    expect(brief(await live.next())).toBe('6 resource.created c');
    expect((await watchEvents({ namespace: 'default' }, 3).take(2)).map(brief)).toEqual(['5 resource.deleted a', '6 resource.created c']);
  });

  it('continue with the oldest retained event after a resync', async () => {
    await write();
    await fixture.store.pruneChanges({ keepNewest: 2 });
    expect((await watchEvents({}, 1).take(3)).map(brief)).toEqual(['3 resync', '4 resource.created b', '5 resource.deleted a']);
    const future = watchEvents({}, 99);
    expect(brief(await future.next())).toBe('5 resync');
    await fixture.post(role('c'));
    expect(brief(await future.next())).toBe('6 resource.created c');
  });
});
