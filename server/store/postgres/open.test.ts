// Refusals when the shared store is opened, each one actionable sentence without the password.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { inspect } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../clock.ts';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import { makeObject, seed, suiteClock } from '../../testing/store-conformance/fixture.ts';
import type { Store } from '../store.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { openPostgresStore } from './open.ts';
import { parseTarget } from './target.ts';

const PASSWORD = 'hunter2-9f3a';
const INT4_OID = 23;

/** The sentence of a refusal; nothing of the error, causes included, may show the password. */
async function refusal(url: string): Promise<{ code: string; message: string }> {
  const outcome = await openPostgresStore({ url, clock: systemClock }).then(
    async (store) => {
      await store.close();
      throw new Error('it was opened');
    },
    (error: { code: string; message: string }) => error,
  );
  expect(inspect(outcome, { depth: 10, showHidden: true })).not.toContain(PASSWORD);
  expect(outcome.message.split('\n')).toHaveLength(1);
  return { code: outcome.code, message: outcome.message };
}

describe('a database URL', () => {
  it('is refused as invalid when it is malformed, without being quoted', async () => {
    const reasons = {
      'not a url': /cannot be understood/,
      [`mysql://me:${PASSWORD}@host/db`]: /must begin with postgres:\/\//,
      [`postgres://me:${PASSWORD}@host:99999/db`]: /cannot be understood/,
      [`postgres://me:${PASSWORD}@host/db?sslmode=maybe`]: /unknown sslmode; use one of disable/,
      [`postgres://me:${PASSWORD}@host/%zz`]: /broken % escape/,
      [`postgres://me:${PASSWORD}@host/db?sslmode=verify-full&sslrootcert=/absent.pem`]:
        /names the file \/absent\.pem, which cannot be read/,
      // Passwords that end early: at an @, a slash, a hash and a question mark.
      [`postgres://me:p@ss/${PASSWORD}@host/db`]: /unescaped @, #, \? or \//,
      [`postgres://me:12/${PASSWORD}@host/db`]: /unescaped/,
      [`postgres://me:12#${PASSWORD}@host/db`]: /unescaped/,
      [`postgres://me:12?${PASSWORD}@host/db`]: /unescaped/,
    };
    for (const [url, reason] of Object.entries(reasons)) {
      const { code, message } = await refusal(url);
      expect(code).toBe('invalid');
      expect(message).toMatch(reason);
    }
  });

  it('is spoken of by its place, whatever its form', () => {
    const places = {
      'postgres://me:pw@db.example:6000/svc': 'PostgreSQL at db.example:6000, database svc',
      'postgresql://me@[::1]/svc': 'PostgreSQL at [::1]:5432, database svc',
      'postgres://me@/svc?host=/run/postgresql': 'PostgreSQL at /run/postgresql, database svc',
      'postgres:///svc?host=/run/postgresql&user=me': 'PostgreSQL at /run/postgresql, database svc',
      'postgres://me@%2Frun%2Fpostgresql/svc': 'PostgreSQL at /run/postgresql, database svc',
      'postgres://me@host': 'PostgreSQL at host:5432, database me',
    };
    for (const [url, place] of Object.entries(places)) expect(parseTarget(url).place).toBe(place);
  });

  it('reaches the driver with every part that matters', () => {
    const parts = (url: string) => {
      const client = new pg.Client({ connectionString: parseTarget(url).connectionString });
      return { host: client.host, port: client.port, database: client.database, user: client.user, ssl: client.ssl };
    };
    expect(parts('postgres://me:pw@[::1]:6000/svc')).toEqual({ host: '::1', port: 6000, database: 'svc', user: 'me', ssl: false });
    expect(parts('postgres://me@/svc?host=/run/postgresql')).toMatchObject({ host: '/run/postgresql', database: 'svc' });
    expect(parts('postgres://me@%2Frun%2Fpostgresql/svc')).toMatchObject({ host: '/run/postgresql', database: 'svc' });
    // As libpq: encrypted, and verified only when that is requested.
    expect(parts('postgres://me@h/svc?sslmode=require').ssl).toMatchObject({ rejectUnauthorized: false });
    expect(parts('postgres://me@h/svc?sslmode=verify-full').ssl).not.toMatchObject({ rejectUnauthorized: false });
    expect(parts('postgres://me@h/svc?sslmode=disable').ssl).toBe(false);
  });
});

describe('a server', () => {
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  async function serve(onConnection: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      onConnection(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  it('is named when it does not exist', async () => {
    const port = await serve(() => undefined);
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
    const { code, message } = await refusal(`postgres://me:${PASSWORD}@127.0.0.1:${port}/svc`);
    expect(code).toBe('unavailable');
    expect(message).toBe(
      `PostgreSQL at 127.0.0.1:${port}, database svc cannot be reached: nothing listens there; check the database URL and that the server runs`,
    );
  });

  it('is named when its host cannot be resolved', async () => {
    const { message } = await refusal(`postgres://me:${PASSWORD}@no-such-host.invalid/svc`);
    expect(message).toBe('the host name of PostgreSQL at no-such-host.invalid:5432, database svc cannot be resolved');
  });

  it('times out after a few seconds when it accepts and sends nothing', async () => {
    const port = await serve(() => undefined);
    const { code, message } = await refusal(`postgres://me:${PASSWORD}@127.0.0.1:${port}/svc`);
    expect({ code, message }).toEqual({
      code: 'unavailable',
      message: `PostgreSQL at 127.0.0.1:${port}, database svc did not answer in time`,
    });
  });

  it('is refused with the needed version when it is too old', async () => {
    const port = await serve(answerAsVersion12);
    const { code, message } = await refusal(`postgres://me:${PASSWORD}@127.0.0.1:${port}/svc`);
    expect(code).toBe('unavailable');
    expect(message).toMatch(/is version 12, and this server needs 13 or newer/);
  });
});

/** Speaks just enough of the protocol to tell its version: https://www.postgresql.org/docs/current/protocol-message-formats.html */
function answerAsVersion12(socket: Socket): void {
  const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    const head = Buffer.alloc(5);
    head.write(type);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const int16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
  const int32 = (value: number) => Buffer.concat([int16(value >> 16), int16(value & 0xffff)]);
  const text = (value: string) => Buffer.from(`${value}\0`);
  const column = (name: string) => [text(name), int32(0), int16(0), int32(INT4_OID), int16(4), int32(-1), int16(0)];
  const value = (content: string) => [int32(content.length), Buffer.from(content)];
  const ready = message('Z', Buffer.from('I'));
  const fields = message('T', int16(3), ...column('version'), ...column('encoding'), ...column('now'));
  const row = message('D', int16(3), ...value('120022'), ...value('1'), ...value('0'));
  socket.once('data', () => {
    socket.write(Buffer.concat([message('R', int32(0)), ready]));
    socket.once('data', () => socket.write(Buffer.concat([fields, row, message('C', text('SELECT 1')), ready])));
  });
}

/** A pooler in transaction mode at its simplest: all its clients use one session, in turn. */
async function startPooler(url: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const session = new pg.Client({ connectionString: url });
  await session.connect();
  const { stream } = session.connection;
  stream.removeAllListeners();
  let current: Socket | undefined;
  stream.on('data', (bytes: Buffer) => current?.write(bytes)).on('error', () => undefined);
  const pooler = createServer((client) => {
    client.on('error', () => undefined);
    client.once('data', () => {
      const other = [...'1234567'].map(Number);
      client.write(Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0, ...Buffer.from('K'), 0, 0, 0, 12, 0, ...other]));
      client.write(Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')]));
      client.on('data', (bytes: Buffer) => {
        current = client;
        if (bytes[0] === 'X'.charCodeAt(0)) client.end();
        else stream.write(bytes);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(pooler, 'listening');
  const at = new URL(url);
  at.port = String((pooler.address() as AddressInfo).port);
  const stop = async () => {
    stream.destroy();
    await new Promise((resolve) => pooler.close(resolve));
  };
  return { url: at.toString(), stop };
}

describe.skipIf(withoutPostgres('opening PostgreSQL'))('a real server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  async function run(url: string, sql: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  it('refuses a wrong password, a missing database, and a user without login', async () => {
    const url = await server.createDatabase();
    const wrong = new URL(url);
    wrong.password = PASSWORD;
    expect(await refusal(wrong.toString())).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/^PostgreSQL at 127\.0\.0\.1:\d+, database test_\d+ refuses the password of user svc$/) as string,
    });
    const absent = new URL(url);
    absent.pathname = '/absent';
    expect(await refusal(absent.toString())).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/database absent does not exist; create the database/) as string,
    });
    await run(url, `CREATE ROLE barred NOLOGIN PASSWORD '${PASSWORD}'`);
    const barred = new URL(url);
    barred.username = 'barred';
    barred.password = PASSWORD;
    expect((await refusal(barred.toString())).message).toMatch(/refuses user barred; check the user, whether it requires TLS/);
    const none = new URL(url);
    none.password = '';
    expect((await refusal(none.toString())).message).toMatch(/requires a password, which the database URL lacks/);
  });

  it('is not named to clients once the store is open', async () => {
    const url = await server.createDatabase();
    const store = await openPostgresStore({ url, clock: systemClock });
    const { host, pathname } = new URL(url);
    await run(url.replace(/[^/]*$/, 'postgres'), `DROP DATABASE ${pathname.slice(1)} WITH (FORCE)`);
    for (const ask of [() => store.checkHealth(), () => store.getObject({ kind: 'Agent', namespace: 'default', name: 'a' })]) {
      const { code, message } = (await ask().then(
        () => undefined,
        (error: unknown) => error,
      )) as { code: string; message: string };
      expect(code).toBe('unavailable');
      expect(message).toMatch(/the PostgreSQL database/);
      for (const part of [host, pathname.slice(1)]) expect(message).not.toContain(part);
    }
    await store.close();
  });

  it('is refused without TLS that the URL requires, and used without TLS that it only prefers', async () => {
    const url = await server.createDatabase();
    expect(await refusal(`${url}?sslmode=require`)).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/did not agree to a TLS connection/) as string,
    });
    const store = await openPostgresStore({ url: `${url}?sslmode=prefer`, clock: systemClock });
    await store.checkHealth();
    await store.close();
  });

  it('is refused when its schema is newer, its tables foreign, or it is read-only', async () => {
    const newer = await server.createDatabase();
    await (await openPostgresStore({ url: newer, clock: systemClock })).close();
    await run(newer, `INSERT INTO svc.schema_migrations (version, name) VALUES (99, 'future')`);
    expect((await refusal(newer)).message).toMatch(/has schema version 99, and this server knows versions up to \d+; use the newer server/);
    const foreign = await server.createDatabase();
    await run(foreign, 'CREATE SCHEMA svc; CREATE TABLE svc.other (x text)');
    expect((await refusal(foreign)).message).toMatch(/holds tables of another program/);
    const standby = await server.createDatabase();
    await run(standby, `ALTER DATABASE ${new URL(standby).pathname.slice(1)} SET default_transaction_read_only = on`);
    expect((await refusal(standby)).message).toMatch(/is read-only, as a standby is/);
  });

  it('keeps its schema after a refusal ahead of the upgrade, which reads its documents', async () => {
    const older = await server.createDatabase();
    const client = new pg.Client({ connectionString: older });
    await client.connect();
    await migrate(client, migrations.slice(0, -1), 'the database');
    await client.end();
    await run(older, `INSERT INTO svc.documents (collection, id, document) VALUES ('kept', 'one', '{"value":1}')`);
    const beforeUpgrade = async (reader: Pick<Store, 'getDocument'>) => {
      throw new Error(JSON.stringify([await reader.getDocument('kept', 'one'), await reader.getDocument('kept', 'two')]));
    };
    const refused = openPostgresStore({ url: older, clock: systemClock, beforeUpgrade });
    await expect(refused).rejects.toMatchObject({ cause: { message: '[{"value":1},null]' } });
    expect(await run(older, 'SELECT max(version) AS version FROM svc.schema_migrations')).toEqual([{ version: migrations.length - 1 }]);
    await (await openPostgresStore({ url: older, clock: systemClock })).close();
    expect(await run(older, 'SELECT max(version) AS version FROM svc.schema_migrations')).toEqual([{ version: migrations.length }]);
  });

  it('is refused behind a pooler that gives each transaction another session', async () => {
    const url = await server.createDatabase();
    const pooler = await startPooler(url);
    expect(await refusal(pooler.url)).toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/is behind a connection pooler .* \(PgBouncer: pool_mode = session\)/) as string,
    });
    await pooler.stop();
    expect(await run(url, `SELECT to_regnamespace('svc') AS schema`)).toEqual([{ schema: null }]);
  });

  it('is warned of when its clock differs', async () => {
    const url = await server.createDatabase();
    const warnings: string[] = [];
    const store = await openPostgresStore({ url, clock: suiteClock, log: { warn: (_, message) => warnings.push(message) } });
    await store.close();
    expect(warnings).toEqual([expect.stringMatching(/the clock of this machine differs from that of PostgreSQL at .* by -?\d+ ms/)]);
  });

  it('gets no more connections than the store may have', async () => {
    const url = await server.createDatabase();
    const store = await openPostgresStore({ url, clock: systemClock, maxConnections: 3, applicationName: 'bounded' });
    await Promise.all(Array.from({ length: 40 }, (_, i) => seed(store, [makeObject({ name: `t-${i}` })])));
    const rows = await run(url, `SELECT 1 FROM pg_stat_activity WHERE application_name = 'bounded'`);
    // One more connection listens.
    expect(rows.length).toBeLessThanOrEqual(4);
    await store.close();
  });
});
