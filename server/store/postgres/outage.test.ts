// The shared store during an outage of its server: requests fail at once and clearly, and everything continues afterwards.
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import { makeItem, makeObject, seed, suiteClock } from '../../testing/store-conformance/fixture.ts';
import type { CommitNotice, Store } from '../store.ts';
import { openPostgresStore } from './open.ts';

/** Waits for a fact, on a machine however busy. */
function until<T>(fact: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(fact, { timeout: 20_000 });
}

const key = { kind: 'Task', namespace: 'default', name: 'alpha' };

describe.skipIf(withoutPostgres('outages of PostgreSQL'))('outages', () => {
  let server: PostgresServer;
  let url: string;
  let one: Store;
  let two: Store;
  beforeAll(async () => {
    server = await startPostgres({ fsync: true });
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    url = await server.createDatabase();
    [one, two] = await Promise.all([openPostgresStore({ url, clock: suiteClock }), openPostgresStore({ url, clock: suiteClock })]);
  });
  afterEach(() => Promise.all([one.close(), two.close()]));

  for (const mode of ['fast', 'immediate'] as const) {
    it(`are over by themselves after the server was ended (${mode}), for listeners too`, async () => {
      await seed(one, [makeObject()]);
      await one.transaction((tx) => tx.enqueueWork(makeItem({ queue: 'seen', key: 'x' })));
      const heard: CommitNotice[] = [];
      two.onCommit((notice) => heard.push(notice));
      await one.transaction((tx) => tx.enqueueWork(makeItem({ queue: 'seen', key: 'z' })));
      await until(() => expect(heard.some((notice) => notice.queues.has('seen'))).toBe(true));
      heard.length = 0;
      await server.stop(mode);
      for (const store of [one, two]) {
        await expect(store.getObject(key)).rejects.toMatchObject({ code: 'unavailable' });
        await expect(store.transaction((tx) => tx.insertObject(makeObject({ name: 'lost' })))).rejects.toMatchObject({
          code: 'unavailable',
        });
        await expect(store.checkHealth()).rejects.toMatchObject({ code: 'unavailable' });
      }
      await server.start();
      await until(() => one.checkHealth());
      expect((await one.getObject(key))?.name).toBe('alpha');
      expect(await one.getObject({ ...key, name: 'lost' })).toBeUndefined();
      // After a time without notices, every known queue is checked again.
      await until(() => expect(heard.some((notice) => notice.queues.has('seen') && notice.head === 1)).toBe(true));
      await until(async () => {
        await one.transaction((tx) => tx.enqueueWork(makeItem({ queue: 'after', key: 'y' })));
        expect(heard.some((notice) => notice.queues.has('after'))).toBe(true);
      });
    });
  }

  it('are over by themselves after the database took no writes for a while', async () => {
    const database = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    try {
      await admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()', [
        database,
      ]);
      const write = (name: string) => one.transaction((tx) => tx.insertObject(makeObject({ name })));
      await until(() => expect(write('refused')).rejects.toThrow(/is read-only/));
      // Sessions that only read meanwhile are read-only as well.
      await Promise.all(Array.from({ length: 20 }, () => one.getObject(key)));
      await expect(one.checkHealth()).rejects.toMatchObject({ code: 'unavailable', message: expect.stringMatching(/is read-only/) });
      await admin.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
      await until(() => one.checkHealth());
      await Promise.all(Array.from({ length: 20 }, (_, index) => write(`after-${index}`)));
    } finally {
      await admin.end();
    }
  });

  it('end a transaction in the middle as a whole', async () => {
    const half = one.transaction(async (tx) => {
      await tx.insertObject(makeObject());
      await server.stop('fast');
      await server.start();
      await tx.insertObject(makeObject({ name: 'beta' }));
    });
    await expect(half).rejects.toMatchObject({ code: 'unavailable' });
    await until(() => one.checkHealth());
    expect(await one.getObject(key)).toBeUndefined();
    expect((await one.changeBounds()).head).toBe(0);
  });

  it('keep what was acknowledged under load, whatever happened to the rest', async () => {
    const acknowledged: string[] = [];
    let failed = 0;
    let stopping = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let i = 0; !stopping; i += 1) {
        const name = `t-${writer}-${i}`;
        await one
          .transaction((tx) => tx.insertObject(makeObject({ name })))
          .then(
            () => acknowledged.push(name),
            () => (failed += 1),
          );
      }
    });
    const more = async (wanted: number) => until(() => expect(acknowledged.length).toBeGreaterThan(wanted));
    try {
      await more(50);
      await server.stop('immediate');
      await until(() => expect(failed).toBeGreaterThan(8));
      await server.start();
      await more(acknowledged.length + 50);
    } finally {
      stopping = true;
      await Promise.all(writers);
    }
    const stored = await one.listObjects({ kind: 'Task', limit: 100_000 });
    const names = new Set(stored.map((object) => object.name));
    expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
    const changes = await one.readChanges({ after: 0, limit: 200_000 });
    expect(changes.map((change) => change.seq)).toEqual(changes.map((_, i) => i + 1));
    expect(changes).toHaveLength(stored.length);
  });

  it('report that the outcome is not known when the connection is lost during a commit', async () => {
    const proxy = await startProxy(server.port);
    const proxied = await openPostgresStore({ url: url.replace(`:${server.port}/`, `:${proxy.port}/`), clock: suiteClock });
    const write = proxied.transaction(async (tx) => {
      await tx.insertObject(makeObject());
      proxy.dropAnswers();
    });
    await expect(write).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/whether it was written is not known/) as string,
    });
    // The server had the commit: this one was written.
    await until(async () => expect(await one.getObject(key)).toBeDefined());
    await proxied.close();
    await proxy.close();
  });

  it('do not hold up closing, nor health checks, when the server hangs', async () => {
    const proxy = await startProxy(server.port);
    const proxied = await openPostgresStore({ url: url.replace(`:${server.port}/`, `:${proxy.port}/`), clock: suiteClock });
    await seed(proxied, [makeObject()]);
    proxy.freeze();
    const began = performance.now();
    await expect(proxied.checkHealth()).rejects.toMatchObject({ code: 'unavailable' });
    expect(performance.now() - began).toBeLessThan(6_000);
    const write = proxied.transaction((tx) => tx.insertObject(makeObject({ name: 'beta' })));
    await expect(write).rejects.toMatchObject({ code: 'unavailable', message: expect.stringMatching(/did not answer/) as string });
    await proxied.close();
    await proxy.close();
  });

  it('cost few attempts to connect while they last', async () => {
    const proxy = await startProxy(server.port);
    const proxied = await openPostgresStore({ url: url.replace(`:${server.port}/`, `:${proxy.port}/`), clock: suiteClock });
    await seed(proxied, [makeObject()]);
    proxy.refuse();
    const before = proxy.attempts();
    const began = performance.now();
    let refused = 0;
    while (performance.now() - began < 2_000) {
      await proxied.getObject(key).catch(() => (refused += 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refused).toBeGreaterThan(100);
    expect(proxy.attempts() - before).toBeLessThan(25);
    await proxied.close();
    await proxy.close();
  });
});

/** A server between a store and its database that can lose what passes through it. */
async function startProxy(target: number) {
  const { connect } = await import('node:net');
  const pairs = new Set<Socket>();
  let attempts = 0;
  let refusing = false;
  let silent = false;
  let frozen = false;
  const proxy = createServer({ allowHalfOpen: true }, (near) => {
    attempts += 1;
    if (refusing) return void near.destroy();
    const far = connect(target, '127.0.0.1');
    for (const socket of [near, far]) {
      pairs.add(socket);
      socket.on('error', () => undefined);
    }
    near.on('data', (data) => void (frozen || far.write(data)));
    far.on('data', (data) => void (silent ? near.destroy() : frozen || near.write(data)));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.on('end', () => void (frozen || near.destroy()));
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    port: (proxy.address() as AddressInfo).port,
    attempts: () => attempts,
    /** The next answer of the server is lost, and the connection with it. */
    dropAnswers: () => (silent = true),
    /** Nothing passes, as if the machine stood still. */
    freeze: () => (frozen = true),
    /** Ends every connection and takes no more. */
    refuse() {
      refusing = true;
      for (const socket of pairs) socket.destroy();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of pairs) socket.destroy();
        proxy.close(() => resolve());
      }),
  };
}
