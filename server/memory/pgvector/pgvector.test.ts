// Provider pgvector over a real PostgreSQL with pgvector: conformance, its table, failures and recovery.
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeMemoryProvider, memoryTarget } from '../../testing/memory-conformance.ts';
import { startPgvectorServer, type PgvectorServer } from '../../testing/pgvector-server.ts';
import { startPostgres, withoutPostgres } from '../../testing/postgres-server.ts';
import type { MemoryBackend, MemoryProvider, MemoryTarget } from '../backend.ts';
import { databaseEndpoint } from './endpoint.ts';
import { createPgvectorProvider } from './pgvector-provider.ts';

// PGlite compiles for seconds, and much longer on a machine that has other work.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const permittedBy = 'the server option --allow-private-tool-endpoints';
let server: PgvectorServer;
let provider: MemoryProvider;
beforeAll(async () => {
  server = await startPgvectorServer();
  provider = createPgvectorProvider({ allowPrivate: true, permittedBy });
});
afterAll(async () => {
  await provider.close?.();
  await server.stop();
});

const spec = () => ({ provider: 'pgvector', endpoint: server.endpoint, embedding_model: 'embed' });
const signal = () => AbortSignal.timeout(60_000);
const open = (more: Partial<MemoryTarget> = {}): MemoryBackend => provider.open(memoryTarget(spec(), more));
const put = (backend: MemoryBackend, key: string, vector?: readonly number[]) =>
  backend.write({ puts: [{ key, value: `value of ${key}`, vector: vector && Float32Array.from(vector) }], deletes: [] }, signal());

describeMemoryProvider('pgvector', { provider: () => provider, spec, keepsVectors: true, writesAtOnce: false, searchesWords: true });

describe('table of a Memory', () => {
  const tables = () =>
    server.query<{ name: string; comment: string; indexes: string }>(
      `SELECT c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
         (SELECT coalesce(string_agg(pg_get_indexdef(indexrelid), '; '), '') FROM pg_index WHERE indrelid = c.oid AND NOT indisprimary) AS indexes
       FROM pg_class c WHERE relname LIKE 'svc_memory_%' AND relkind = 'r' ORDER BY relname`,
    );

  it('is named after the Memory, has an index of its vectors, and is dropped with the Memory', async () => {
    const backend = open({ namespace: 'team-a', name: 'Odd.name_with-"all"' });
    await put(backend, 'a', [1, 0, 0]);
    const [table] = (await tables()).filter(({ name }) => name.includes('team_a'));
    expect(table?.name).toMatch(/^svc_memory_team_a_odd_name_with__all_+[0-9a-f]{16}$/);
    expect(table?.comment).toBe('agent-orchestration-service memory format 1: team-a/Odd.name_with-"all"');
    expect(table?.indexes).toMatch(/USING hnsw \(vector vector_cosine_ops\)/);
    await backend.erase(signal());
    expect((await tables()).filter(({ name }) => name.includes('team_a'))).toEqual([]);
  });

  it('compares long vectors with half of their precision by an index, and the longest without', async () => {
    for (const [dimensions, index] of [
      [3_072, 'halfvec_cosine_ops'],
      [5_000, ''],
    ] as const) {
      const name = `long-${dimensions}`;
      const backend = open({ name });
      const vector = Array.from({ length: dimensions }, (_, place) => (place === 7 ? 1 : 0));
      await put(backend, 'a', vector);
      const found = await backend.search({ query: 'x', vector: Float32Array.from(vector), limit: 1 }, signal());
      expect(found).toMatchObject([{ key: 'a', score: 1 }]);
      const [table] = (await tables()).filter((row) => row.name.includes(`long_${dimensions}`));
      expect(table?.indexes).toContain(index);
      expect(table?.indexes === '').toBe(index === '');
    }
    await expect(
      put(
        open(),
        'a',
        Array.from({ length: 16_001 }, () => 1),
      ),
    ).rejects.toMatchObject({ code: 'runtime_policy_invalid' });
  });

  it('takes vectors of every backend of the same Memory', async () => {
    const target = memoryTarget(spec(), { name: 'shared' });
    const [one, other] = [provider.open(target), provider.open(target)];
    await put(other, 'before');
    await put(one, 'a', [1, 0]);
    await put(other, 'b', [0, 1]);
    expect((await other.search({ query: 'x', vector: Float32Array.from([0, 1]), limit: 5 }, signal())).map(({ key }) => key)).toEqual([
      'b',
      'a',
    ]);
    expect(await other.ping(signal())).toEqual({ dimensions: 2, unembedded: 1 });
  });

  it('is created again after it was dropped from outside', async () => {
    const backend = open({ name: 'dropped' });
    await put(backend, 'a', [1]);
    const [table] = (await tables()).filter(({ name }) => name.includes('dropped'));
    await server.query(`DROP TABLE "${table?.name}"`);
    await expect(backend.get('a', signal())).rejects.toMatchObject({ retryable: true, reason: 'memory_unavailable' });
    expect(await backend.get('a', signal())).toBeUndefined();
  });

  it('takes vectors again after the extension was dropped with all columns of vectors', async () => {
    const backend = open({ name: 'no-extension' });
    await put(backend, 'a', [1, 0]);
    await server.query('DROP EXTENSION vector CASCADE');
    await expect(put(backend, 'b', [0, 1])).rejects.toMatchObject({ retryable: true, reason: 'memory_unavailable' });
    await put(backend, 'b', [0, 1]);
    expect(await backend.search({ query: 'x', vector: Float32Array.from([0, 1]), limit: 5 }, signal())).toMatchObject([{ key: 'b' }]);
    expect(await backend.ping(signal())).toEqual({ dimensions: 2, unembedded: 1 });
  });

  it('stays as it is when its format is a later one', async () => {
    const target = memoryTarget(spec(), { name: 'later' });
    await put(provider.open(target), 'a');
    const [table] = (await tables()).filter(({ name }) => name.includes('later'));
    await server.query(`COMMENT ON TABLE "${table?.name}" IS 'agent-orchestration-service memory format 2: default/later'`);
    await expect(provider.open(target).ping(signal())).rejects.toMatchObject({ reason: 'memory_unusable', retryable: false });
  });
});

describe('database of a Memory', () => {
  it('fails with a retryable error during an outage, and works again afterwards', async () => {
    const backend = open({ name: 'away' });
    await put(backend, 'a');
    await server.pause();
    await expect(backend.get('a', signal())).rejects.toMatchObject({ code: 'execution_failed', retryable: true });
    await server.resume();
    await expect.poll(() => backend.get('a', signal()).catch(() => 'away'), { timeout: 30_000 }).toBe('value of a');
  });

  it('may have the extension in a schema outside of the search path', async () => {
    await server.query('CREATE SCHEMA extensions');
    await server.query('ALTER EXTENSION vector SET SCHEMA extensions');
    // Connections that are open have the old path.
    await server.pause();
    await server.resume();
    const backend = open({ name: 'elsewhere' });
    await expect.poll(() => put(backend, 'a', [1, 0]).then(() => 'written'), { timeout: 30_000 }).toBe('written');
    expect(await backend.search({ query: 'x', vector: Float32Array.from([1, 0]), limit: 5 }, signal())).toMatchObject([{ key: 'a' }]);
    await server.query('ALTER EXTENSION vector SET SCHEMA public');
  });

  it('ends a call with its signal when no answer comes', async () => {
    const silent = createServer((socket) => setTimeout(() => socket.destroy(), 400));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const backend = open({ spec: { ...spec(), endpoint: `postgres://u@127.0.0.1:${port}/d` } });
    await expect(backend.get('a', AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' });
    await new Promise((resolve) => silent.close(resolve));
  });

  it.each([
    ['a metadata address', 'postgres://u@169.254.169.254/d', true],
    ['a private address without the option', 'postgres://u@10.0.0.1/d', false],
    ['loopback as a number without the option', 'postgres://u@2130706433/d', false],
    ['a public address in the clear', 'postgres://u@93.184.216.34/d?sslmode=disable', true],
  ])('is not dialled at %s', async (_, endpoint, allowPrivate) => {
    const strict = createPgvectorProvider({ allowPrivate, permittedBy });
    const backend = strict.open(memoryTarget({ ...spec(), endpoint }));
    await expect(backend.ping(signal())).rejects.toMatchObject({ code: 'egress_blocked', retryable: false });
    await strict.close?.();
  });
});

describe('database with passwords', () => {
  it.skipIf(withoutPostgres('Memories over PostgreSQL without pgvector'))(
    'takes the Secret as the password, and is refused without pgvector',
    async () => {
      const postgres = await startPostgres();
      try {
        const url = new URL(await postgres.createDatabase());
        const endpoint = `postgres://${url.username}@${url.host}${url.pathname}`;
        const withPassword = (password: string, database = endpoint) =>
          open({ spec: { ...spec(), endpoint: database }, secret: () => Promise.resolve(password) });
        const refused: unknown = await withPassword('not-the-password')
          .ping(signal())
          .catch((error: unknown) => error);
        expect(refused).toMatchObject({ code: 'auth_invalid', retryable: false });
        expect(String(refused)).not.toContain('not-the-password');
        await expect(withPassword(url.password).ping(signal())).rejects.toMatchObject({
          code: 'runtime_policy_invalid',
          reason: 'memory_extension',
        });
        await expect(withPassword(url.password, `${endpoint}_absent`).ping(signal())).rejects.toMatchObject({
          code: 'runtime_policy_invalid',
          reason: 'sqlstate_3D000',
        });
      } finally {
        await postgres.remove();
      }
    },
  );
});

it.each([
  ['no URL', 'host=db dbname=x', /must be postgres:/],
  ['another scheme', 'mysql://u@db/x', /must be postgres:/],
  ['no database', 'postgres://u@db', /must be postgres:/],
  ['a password', 'postgres://u:hunter2@db/x', /holds a password; put it into a Secret/],
  ['a password as a parameter', 'postgres://u@db/x?password=hunter2', /holds a password/],
  ['an unknown parameter', 'postgres://u@db/x?options=-csearch_path', /has the parameter "options"/],
  ['an unknown sslmode', 'postgres://u@db/x?sslmode=maybe', /has an unknown sslmode/],
  ['an sslmode of every object', 'postgres://u@db/x?sslmode=toString', /has an unknown sslmode/],
])('an endpoint with %s is refused without being quoted', (_, endpoint, problem) => {
  const failure = (() => {
    try {
      return databaseEndpoint('Memory "default/notes"', endpoint);
    } catch (error) {
      return error as Error;
    }
  })();
  expect(failure).toMatchObject({ code: 'runtime_policy_invalid', message: expect.stringMatching(problem) as string });
  expect(String(failure)).not.toContain('hunter2');
});

it.each([
  ['postgresql://db/x', { host: 'db', port: 5432, user: 'postgres', database: 'x', tls: undefined }],
  ['postgres://a%40b@[::1]:6432/x%20y?sslmode=require', { host: '::1', port: 6432, user: 'a@b', database: 'x y', tls: true }],
  ['POSTGRES://u@db/x?sslmode=disable&application_name=z', { host: 'db', port: 5432, user: 'u', database: 'x', tls: false }],
])('the endpoint %s is read', (endpoint, read) => {
  expect(databaseEndpoint('Memory', endpoint)).toEqual(read);
});
