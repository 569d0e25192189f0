// Migrations of the shared store: frozen once released, all or nothing, by one process of many, never backwards.
import { createHash } from 'node:crypto';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { PostgresServer } from '../../testing/postgres-server.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations/list.ts';

/** A released migration has run on databases we cannot see. To change the schema, append a migration and its hash. */
const RELEASED: Readonly<Record<number, string>> = {
  1: '04cacfdb87c96e8805170439f050628cf15f9321be4c808f84c5ce6e1c596fd1',
  2: '0b627fc5cd857227a8a3c695842bab37ed15ba48e66f6fb9992d92f3fcf50ff4',
  3: 'a50037d8fa2e98d1b0c165aeb40bcc537530e6c594e184ea67b5221ebdbee18e',
  4: '5a8095e4b981d02bf2e9d6cf1eb1cd3c7e5a28cce77a75c7152a0728c1b4baed',
  5: 'b7b279064224ae02b7bdf1e3759c244b5da719223dba4f910c56cebb4fd8acaa',
  6: 'bd71d2814b10b149f26b16113182810adaa6f545f65de2f44bd5d660c25db0c4',
  7: '10e96d57df1678ebc3e01dc5ca196925523848c8cd1451a9b5393575ffdfc0ba',
  8: '086dcd2e3769caed1f7e4f6be5910d3cdb9b0f91c40889b121dafec56732a533',
  9: '09e3414f655256d01f7683a22048dcf7b946c1d4f8c1936950f92503a1e001f9',
};

const first = { version: 1, name: 'first', sql: 'CREATE TABLE a (x text)' };
const second = { version: 2, name: 'second', sql: 'CREATE TABLE b (x text)' };
const failing = { version: 3, name: 'failing', sql: 'CREATE TABLE c (x text); INSERT INTO absent VALUES (1)' };

it('leaves released migrations as they are', () => {
  const hashes = migrations.map((m) => [m.version, createHash('sha256').update(m.sql).digest('hex')]);
  expect(Object.fromEntries(hashes)).toEqual(RELEASED);
});

it('numbers migrations 1, 2, 3, … in order', () => {
  expect(migrations.map((m) => m.version)).toEqual(migrations.map((_, i) => i + 1));
});

describe.skipIf(withoutPostgres('migrations of PostgreSQL'))('migrations', () => {
  let server: PostgresServer;
  let clients: pg.Client[];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    const connectionString = await server.createDatabase();
    clients = Array.from({ length: 4 }, () => new pg.Client({ connectionString }));
    await Promise.all(clients.map((client) => client.connect()));
  });
  afterEach(() => Promise.all(clients.map((client) => client.end())));

  function client(): pg.Client {
    const [any] = clients;
    if (!any) throw new Error('no client');
    return any;
  }

  async function tables(): Promise<string[]> {
    const { rows } = await client().query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'svc' AND tablename <> 'schema_migrations' ORDER BY 1`,
    );
    return rows.map((row) => row.name);
  }

  it('are run once when many processes start at the same time', async () => {
    await Promise.all(clients.map((each) => migrate(each, [first, second], 'the database')));
    expect(await tables()).toEqual(['a', 'b']);
    const { rows } = await client().query('SELECT version, name FROM svc.schema_migrations ORDER BY version');
    expect(rows).toEqual([
      { version: 1, name: 'first' },
      { version: 2, name: 'second' },
    ]);
  });

  it('are undone together when one fails half-way', async () => {
    await migrate(client(), [first], 'the database');
    await expect(migrate(client(), [first, second, failing], 'the database')).rejects.toThrow();
    expect(await tables()).toEqual(['a']);
    await migrate(client(), [first, second], 'the database');
    expect(await tables()).toEqual(['a', 'b']);
  });

  it('refuse a newer schema in one sentence and change nothing', async () => {
    await migrate(client(), [first, second], 'the database');
    await expect(migrate(client(), [first], 'the database')).rejects.toMatchObject({
      code: 'unavailable',
      message:
        'the database has schema version 2, and this server knows versions up to 1; use the newer server, or restore the backup made before its upgrade',
    });
    expect(await tables()).toEqual(['a', 'b']);
  });

  it('refuse the tables of another program in the same schema', async () => {
    await client().query('CREATE SCHEMA svc; CREATE TABLE svc.bookmarks (url text)');
    await expect(migrate(client(), [first], 'the database')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/holds tables of another program/) as string,
    });
    expect(await tables()).toEqual(['bookmarks']);
  });

  it('report what is missing when the user may not make the schema', async () => {
    await client().query(`DROP ROLE IF EXISTS guest; CREATE ROLE guest; SET ROLE guest`);
    await expect(migrate(client(), [first], 'the database')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/no right to make or change the schema svc/) as string,
    });
  });
});
