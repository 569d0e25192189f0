// Guarantees for several processes on one database: two stores on one server stand for two processes.
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import {
  EPOCH,
  at,
  claimNew,
  claimWork,
  makeItem,
  makeObject,
  nextVersion,
  seed,
  suiteClock,
} from '../../testing/store-conformance/fixture.ts';
import { LeaseLost } from '../lease-lost.ts';
import type { CommitNotice, Store, StoreTransaction } from '../store.ts';
import { racing, transactAgain, WriteRace } from '../write-race.ts';
import { openPostgresStore } from './open.ts';

const key = { kind: 'Task', namespace: 'default', name: 'alpha' };

/** A promise and what settles it. */
function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

/** Reads the log as a watch does, until it has seen `wanted` changes. */
async function tail(store: Store, wanted: number): Promise<number[]> {
  const seen: number[] = [];
  while (seen.length < wanted) {
    for (const { seq } of await store.readChanges({ after: seen.at(-1) ?? 0, limit: 50 })) seen.push(seq);
  }
  return seen;
}

describe.skipIf(withoutPostgres('several processes on PostgreSQL'))('several processes', () => {
  let server: PostgresServer;
  let one: Store;
  let two: Store;
  let url: string;
  async function query<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<pg.QueryResult<Row>> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client.query<Row>(text, values).finally(() => client.end());
  }
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    url = await server.createDatabase();
    // At once, on an empty database: only one of them makes the schema.
    [one, two] = await Promise.all([openPostgresStore({ url, clock: suiteClock }), openPostgresStore({ url, clock: suiteClock })]);
  });
  afterEach(() => Promise.all([one.close(), two.close()]));

  it('never let a tailing reader step over a change that commits later', async () => {
    const total = 300;
    const reader = tail(two, total);
    const write = (store: Store, i: number) =>
      store.transaction(async (tx) => {
        await tx.insertObject(makeObject({ name: `t-${i}` }));
        // Some take longer than others between their write and their commit.
        if (i % 3 === 0) await tx.getObject(key);
        if (i % 5 === 0) await tx.listObjects({ kind: 'Task', limit: 20 });
      });
    await Promise.all(Array.from({ length: total }, (_, i) => write(i % 2 ? one : two, i)));
    expect(await reader).toEqual(Array.from({ length: total }, (_, i) => i + 1));
  });

  it('create each object once when both create the same ones at once, in few commits', async () => {
    const total = 120;
    const create = (store: Store, n: number) =>
      transactAgain(
        store,
        async (tx) => {
          const name = `t-${n}`;
          if (await tx.getObjectForUpdate({ ...key, name })) return 0;
          await racing(tx.insertObject(makeObject({ name, uid: `${name}-${store === one ? 1 : 2}` })));
          return 1;
        },
        { repeatable: true },
      );
    // In opposite orders, so that groups of the two wait for each other.
    const numbers = Array.from({ length: total }, (_, n) => n);
    const made = await Promise.all([...numbers.map((n) => create(one, n)), ...numbers.toReversed().map((n) => create(two, n))]);
    expect(made.filter((each) => each === 1).length).toBe(total);
    expect(await tail(two, total)).toEqual(numbers.map((n) => n + 1));
    const more = Array.from({ length: total }, (_, n) => total + n);
    await Promise.all(more.map((n) => create(one, n)));
    const { rows } = await query<{ commits: string }>(
      `SELECT count(DISTINCT xmin::text) AS commits FROM svc.objects WHERE name = ANY ($1)`,
      [more.map((n) => `t-${n}`)],
    );
    expect(Number(rows[0]?.commits)).toBeLessThan(total / 2);
  });

  it('create while updates in the same commits wait for a locked row', async () => {
    await seed(one, [makeObject()]);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM svc.objects WHERE name = $1 FOR UPDATE', [key.name]);
    const write = (name: string) =>
      one.transaction(
        async (tx) => {
          const found = await tx.getObjectForUpdate({ ...key, name });
          if (found) await tx.updateObject(nextVersion(found, { status: { phase: 'Running' } }));
          else await tx.insertObject(makeObject({ name, uid: name }));
        },
        { repeatable: true },
      );
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    // One update ahead of each group of creates.
    const updates: Promise<void>[] = [];
    const creates = numbers.map((n) => {
      if (n % 5 === 0) updates.push(write(key.name));
      return write(`t-${n}`);
    });
    const ended = Promise.allSettled(updates);
    await Promise.all(creates);
    await other.query('ROLLBACK').finally(() => other.end());
    expect((await ended).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await one.getObject(key)).toMatchObject({ resourceVersion: 1 + updates.length });
  });

  it('keep late statements of a failed transaction out of the commit of its neighbours', async () => {
    const { open, passed } = gate();
    let late: Promise<unknown> = Promise.resolve();
    const share = (work: (tx: StoreTransaction) => Promise<void>) => one.transaction(work, { repeatable: true });
    const create = (name: string) => (tx: StoreTransaction) => tx.insertObject(makeObject({ name, uid: name }));
    const first = ['a', 'b', 'c', 'd'].map((name) => share(create(name)));
    const failing = share((tx) => {
      late = passed.then(() => create('late')(tx));
      return Promise.reject(new Error('no'));
    });
    const neighbour = share(async (tx) => {
      open();
      await late.catch(() => undefined);
      await create('neighbour')(tx);
    });
    await expect(failing).rejects.toThrow('no');
    await Promise.all([...first, neighbour]);
    await expect(late).rejects.toThrow('no');
    expect(await one.getObject({ ...key, name: 'late' })).toBeUndefined();
  });

  it('hold back a takeover while a fenced write is between its check and its commit', async () => {
    const claim = await claimNew(one);
    const checked = gate();
    const mayCommit = gate();
    const write = one.transaction(async (tx) => {
      await tx.appendJournal(claim, 0, [{ type: 'late', timestamp: at(0), data: {} }]);
      checked.open();
      await mayCommit.passed;
    });
    await checked.passed;
    const takeOver = () => claimWork(two, { owner: 'worker-2', now: EPOCH + 60_000 });
    expect(await takeOver()).toEqual([]);
    mayCommit.open();
    await write;
    expect(await takeOver()).toMatchObject([{ key: claim.key, fence: 2, takeover: true }]);
    const stale = one.transaction((tx) => tx.appendJournal(claim, 1, [{ type: 'stale', timestamp: at(0), data: {} }]));
    await expect(stale).rejects.toBeInstanceOf(LeaseLost);
    expect((await two.readJournal(claim.key, 0, 10)).map((entry) => entry.type)).toEqual(['late']);
  });

  it('let a fenced write that waits for a takeover find its claim lost', async () => {
    const claim = await claimNew(one);
    const taken = gate();
    const mayCommit = gate();
    const takeOver = two.transaction(async (tx) => {
      const capabilities = { gpu: false, supportedModels: [], secrets: true };
      await tx.claimWork({ queue: 'task', owner: 'worker-2', now: EPOCH + 60_000, leaseMs: 1_000, limit: 1, capabilities });
      taken.open();
      await mayCommit.passed;
    });
    await taken.passed;
    const writes = [
      one.transaction((tx) => tx.appendJournal(claim, 0, [{ type: 'late', timestamp: at(0), data: {} }])),
      one.transaction((tx) => tx.assertClaim(claim)),
      one.transaction((tx) => tx.finishWork(claim)),
    ].map((write) => expect(write).rejects.toBeInstanceOf(LeaseLost));
    mayCommit.open();
    await takeOver;
    await Promise.all(writes);
  });

  it('give disjoint items to eight claimers at once, of one demand and of several', async () => {
    const requirements = [{}, { model: 'm' }, { gpu: true }];
    await one.transaction(async (tx) => {
      for (let i = 0; i < 240; i += 1) {
        const queue = i % 2 ? 'plain' : 'task';
        await tx.enqueueWork(makeItem({ queue, key: `k-${i}`, rank: i, requirements: i % 2 ? {} : (requirements[i % 3] ?? {}) }));
      }
    });
    const capabilities = { gpu: true, supportedModels: ['m'], secrets: true };
    const claimer = async (store: Store, owner: string) => {
      const keys: string[] = [];
      for (const queue of ['plain', 'task']) {
        for (let claims = await claimWork(store, { queue, owner, limit: 3, capabilities }); claims.length > 0;) {
          keys.push(...claims.map((claim) => claim.key));
          claims = await claimWork(store, { queue, owner, limit: 3, capabilities });
        }
      }
      return keys;
    };
    const taken = (await Promise.all(Array.from({ length: 8 }, (_, i) => claimer(i % 2 ? one : two, `w-${i}`)))).flat();
    expect(taken).toHaveLength(240);
    expect(new Set(taken).size).toBe(240);
  });

  it('claim past items that another claimer holds uncommitted, without waiting', async () => {
    await one.transaction(async (tx) => {
      for (let i = 0; i < 4; i += 1) await tx.enqueueWork(makeItem({ key: `k-${i}`, rank: i }));
    });
    const capabilities = { gpu: false, supportedModels: [], secrets: true };
    await one.transaction(async (tx) => {
      const query = { queue: 'task', owner: 'w-1', now: EPOCH, leaseMs: 1_000, limit: 2, capabilities };
      expect((await tx.claimWork(query)).map((claim) => claim.key)).toEqual(['k-0', 'k-1']);
      expect((await claimWork(two, { owner: 'w-2', limit: 2 })).map((claim) => claim.key)).toEqual(['k-2', 'k-3']);
    });
  });

  it('never deadlock between a write under a claim and a write of the same Task without one', async () => {
    await seed(one, [makeObject({ status: { count: 0 } })]);
    const claim = await claimNew(one);
    const underClaim = (i: number) =>
      transactAgain(one, async (tx) => {
        await tx.assertClaim(claim);
        const task = await tx.getObjectForUpdate(key);
        if (task) await tx.updateObject(nextVersion(task, { status: { by: 'claim', i } }));
      });
    const withoutClaim = (i: number) =>
      transactAgain(two, async (tx) => {
        const task = await tx.getObjectForUpdate(key);
        if (task) await tx.updateObject(nextVersion(task, { status: { by: 'registry', i } }));
        await tx.sendSignal('task', { stream: claim.key, type: 'cancel', timestamp: at(0), data: {} });
        await tx.removeUnclaimedWork('task', claim.key);
      });
    const began = performance.now();
    const each = async (write: (i: number) => Promise<void>) => {
      for (let i = 0; i < 25; i += 1) await write(i);
    };
    await Promise.all([each(underClaim), each(withoutClaim)]);
    expect((await one.getObject(key))?.resourceVersion).toBe(51);
    // A deadlock would cost a second each before the server breaks it.
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('tell a write without a claim at once that the item is in use', async () => {
    const claim = await claimNew(one);
    await one.transaction(async (tx) => {
      await tx.assertClaim(claim);
      const writes = [
        two.transaction((other) => other.dropWork('task', claim.key)),
        two.transaction((other) => other.removeUnclaimedWork('task', claim.key)),
        two.transaction((other) => other.enqueueWork(makeItem({ key: claim.key }))),
        two.transaction((other) => other.sendSignal('task', { stream: claim.key, type: 'x', timestamp: at(0), data: {} })),
      ];
      await Promise.all(writes.map((write) => expect(write).rejects.toBeInstanceOf(WriteRace)));
    });
  });

  it('lose no wake-up when a signal and the parking of its item cross', async () => {
    for (let round = 0; round < 20; round += 1) {
      const claim = await claimNew(one, { key: `run-${round}` });
      const signal = { stream: claim.key, type: 'cancel', timestamp: at(0), data: {} };
      await Promise.all([
        transactAgain(one, (tx) => tx.releaseWork(claim, { notBefore: EPOCH, parked: true })),
        transactAgain(two, (tx) => tx.sendSignal('task', signal)),
      ]);
      expect((await claimWork(two, { owner: 'worker-2' })).map((taken) => taken.key)).toEqual([claim.key]);
    }
  });

  it('keep one increment after another when both processes write the same object', async () => {
    await seed(one, [makeObject({ status: { count: 0 } })]);
    const increment = (store: Store) =>
      transactAgain(store, async (tx) => {
        const current = await tx.getObjectForUpdate(key);
        if (!current) throw new Error('gone');
        await tx.updateObject(nextVersion(current, { status: { count: Number(current.status['count']) + 1 } }));
      });
    await Promise.all(Array.from({ length: 60 }, (_, i) => increment(i % 2 ? one : two)));
    expect((await one.getObject(key))?.status).toEqual({ count: 60 });
  });

  it('lose a race, and keep nothing of it, when both make an object that neither found', async () => {
    let rounds = 0;
    let looked = 0;
    const bothHaveLooked = gate();
    const make = (store: Store, uid: string) =>
      transactAgain(store, async (tx) => {
        rounds += 1;
        const found = await tx.getObjectForUpdate(key);
        if (found) return found.uid;
        looked += 1;
        if (looked === 2) bothHaveLooked.open();
        await bothHaveLooked.passed;
        await tx.insertObject(makeObject({ uid }));
        await tx.enqueueWork(makeItem({ key: uid }));
        return uid;
      });
    const [made, also] = await Promise.all([make(one, 'uid-one'), make(two, 'uid-two')]);
    expect(also).toBe(made);
    expect(rounds).toBe(3);
    const items = await Promise.all(['uid-one', 'uid-two'].map((uid) => one.getWorkItem('task', uid)));
    expect(items.map((item) => item?.key)).toEqual(['uid-one', 'uid-two'].map((uid) => (uid === made ? uid : undefined)));
    expect((await one.changeBounds()).head).toBe(1);
  });

  it('receive the commits of the other once, and no echo of their own', async () => {
    const claim = await claimNew(one, { key: 'run-1' });
    const heard: { one: CommitNotice[]; two: CommitNotice[] } = { one: [], two: [] };
    one.onCommit((notice) => heard.one.push(notice));
    two.onCommit((notice) => heard.two.push(notice));
    await one.transaction(async (tx) => {
      await tx.insertObject(makeObject());
      await tx.enqueueWork(makeItem({ queue: 'other', key: 'x' }));
      await tx.sendSignal('task', { stream: 'uid-9', type: 'cancel', timestamp: at(0), data: {} });
      await tx.appendJournal(claim, 0, [{ type: 'a', timestamp: at(0), data: {} }]);
      await tx.appendEvents('s-1', [{ type: 'a', timestamp: at(0), data: {} }]);
    });
    const notice = {
      head: 1,
      queues: new Set(['other']),
      signalled: new Set(['uid-9']),
      journals: new Set(['run-1']),
      events: new Set(['s-1']),
    };
    await vi.waitFor(() => expect(heard.two).toContainEqual(notice), { timeout: 20_000 });
    await seed(two, [makeObject({ name: 'beta' })]);
    await vi.waitFor(() => expect(heard.one).toHaveLength(2), { timeout: 20_000 });
    expect(heard.one).toEqual([notice, { head: 2, queues: new Set(), signalled: new Set(), journals: new Set(), events: new Set() }]);
  });

  it('receive the newest change within seconds where its notice is lost', async () => {
    const url = await server.createDatabase();
    const writer = await openPostgresStore({ url, clock: suiteClock });
    // Receives no notices of changes, as if each was lost.
    const reader = await openPostgresStore({ url, clock: suiteClock, listensToChanges: false });
    const heads: number[] = [];
    reader.onCommit(({ head }) => heads.push(head));
    await seed(writer, [makeObject()]);
    await vi.waitFor(() => expect(heads).toEqual([1]), { timeout: 20_000 });
    await Promise.all([writer.close(), reader.close()]);
  });

  it('receive the broadcasts of the other, in order and without an echo', async () => {
    const url = await server.createDatabase();
    const server1 = await openPostgresStore({ url, clock: suiteClock });
    const server2 = await openPostgresStore({ url, clock: suiteClock });
    const worker = await openPostgresStore({ url, clock: suiteClock, listensToChanges: false });
    const heard = new Map([server1, server2, worker].map((store) => [store, [] as string[]]));
    for (const [store, texts] of heard) store.onBroadcast(({ text }) => texts.push(text));
    const texts = Array.from({ length: 50 }, (_, i) => `${i} ü`);
    worker.broadcast(texts.map((text) => ({ audience: 'readers', text })));
    server1.broadcast([{ audience: 'everybody', text: 'a call' }]);
    await vi.waitFor(() => expect(heard.get(server2)).toHaveLength(51), { timeout: 20_000 });
    await vi.waitFor(() => expect(heard.get(worker)).toHaveLength(51), { timeout: 20_000 });
    await vi.waitFor(() => expect(heard.get(server1)).toHaveLength(51), { timeout: 20_000 });
    expect(heard.get(server2)?.filter((text) => text !== 'a call')).toEqual(texts);
    worker.broadcast([{ audience: 'everybody', text: 'end' }]);
    await vi.waitFor(() => expect(heard.get(server1)?.at(-1)).toBe('end'), { timeout: 20_000 });
    expect(heard.get(server1)).toHaveLength(52);
    await Promise.all([server1.close(), server2.close(), worker.close()]);
  });

  it('answer reads inside transactions while all connections for transactions are in use', async () => {
    await seed(one, [makeObject()]);
    const nested = Array.from({ length: 30 }, () => one.transaction(async () => one.getObject(key)));
    expect((await Promise.all(nested)).map((object) => object?.name)).toEqual(Array.from({ length: 30 }, () => 'alpha'));
  });

  it('roll back a transaction that waits for something else, with a reason', async () => {
    const url = await server.createDatabase();
    const hasty = await openPostgresStore({ url, clock: suiteClock, transactionTimeMaxMs: 200 });
    const forever = hasty.transaction(async (tx) => {
      await tx.insertObject(makeObject());
      await new Promise(() => undefined);
    });
    await expect(forever).rejects.toMatchObject({ code: 'internal' });
    expect(await hasty.getObject(key)).toBeUndefined();
    await seed(hasty, [makeObject()]);
    await hasty.close();
  });

  it('roll back a transaction of too many statements, and do not blame the database', async () => {
    const url = await server.createDatabase();
    const hasty = await openPostgresStore({ url, clock: suiteClock, transactionTimeMaxMs: 200 });
    let statements: Promise<void> | undefined;
    const long = hasty.transaction((tx) => {
      const endless = async () => {
        for (let n = 0; ; n += 1) await tx.getObjectForUpdate({ ...key, name: `object-${n}` });
      };
      return (statements = endless());
    });
    const expired = { code: 'unavailable', message: expect.stringMatching(/although it answers/) as string };
    await expect(long).rejects.toMatchObject(expired);
    await expect(statements).rejects.toMatchObject(expired);
    await hasty.close();
  });
});
