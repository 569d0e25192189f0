import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { projectDirectory } from '../../installation.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../testing/postgres-server.ts';
import { queueFixture } from '../../testing/queue-fixture.ts';
import { createPostgresQueues } from './postgres-queue.ts';

const secrets: Record<string, Record<string, string>> = { wrong: { value: 'svc:not-the-password' }, token: { value: 'some-token' } };
const auth = { profile: 'basic', secretRef: 'login' };
const OK = { status: 'ok', output: { result: { n: 1 } } };
const RETRYABLE = { status: 'error', error: { code: 'execution_failed', retryable: true, message: 'later' } };

describe.skipIf(withoutPostgres('queue tools over PostgreSQL'))('a queue tool over PostgreSQL', () => {
  const port = queueFixture(secrets);
  let server: PostgresServer;
  let tools: pg.Client;
  let endpoint: string;
  let empty: string;

  const endpointOf = (url: string) => {
    const { host, pathname, username, password } = new URL(url);
    secrets['login'] = { value: `${username}:${password}` };
    return `postgres://${host}${pathname}?queue=search`;
  };
  beforeAll(async () => {
    server = await startPostgres();
    const url = await server.createDatabase();
    endpoint = endpointOf(url);
    empty = endpointOf(await server.createDatabase());
    tools = new pg.Client({ connectionString: url });
    await tools.connect();
    const schema = readFileSync(join(projectDirectory(), 'resources', 'sql', 'tool-queue.sql'), 'utf8');
    await tools.query(schema);
    await tools.query(schema);
  });
  beforeEach(() => tools.query('TRUNCATE svc_tool_requests CASCADE'));
  afterAll(async () => {
    await port.close();
    await tools.end();
    await server.remove();
  });

  /** Takes a request as a worker does, in the way resources/sql/tool-queue.sql documents. */
  const take = async () => {
    const { rows } = await tools.query<{ request_id: string; request: any }>(
      `UPDATE svc_tool_requests SET taken_at = now(), taken_by = 'w' WHERE (queue, request_id) = (
         SELECT queue, request_id FROM svc_tool_requests WHERE queue = 'search' AND taken_at IS NULL AND expires_at > now()
         ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING request_id, request`,
    );
    return rows[0];
  };
  const reply = (requestId: string, value: unknown) =>
    tools.query(`INSERT INTO svc_tool_replies (queue, request_id, reply) VALUES ('search', $1, $2) ON CONFLICT DO NOTHING`, [
      requestId,
      JSON.stringify(value),
    ]);
  const taken = async () => {
    let request: Awaited<ReturnType<typeof take>>;
    await expect.poll(async () => (request = await take())).toBeDefined();
    return request;
  };
  const requests = async () => (await tools.query('SELECT request_id FROM svc_tool_requests')).rows.map((row: any) => row.request_id);

  test('inserts the request, waits for the reply, and finds it again when it is sent again', async () => {
    const call = port.invoke(endpoint, { spec: { auth } });
    const request = await taken();
    expect(request?.request).toMatchObject({ tool_contract_version: 'v1', request_id: 'req-1', input: { q: 'tides' }, attempt: 1 });
    await reply('req-1', OK);
    expect(await call).toEqual({ output: '{"n":1}', attempts: 1, contractVersion: 'v1' });
    expect((await port.invoke(endpoint, { spec: { auth } })).output).toBe('{"n":1}');
    expect(await requests()).toEqual(['req-1']);
  });

  test('is woken by the reply, without looking for it', async () => {
    const queues = createPostgresQueues({ allowPrivate: true, permittedBy: 'this test' }, 3_600_000);
    const [user = '', password = ''] = (secrets['login']?.['value'] ?? '').split(':');
    const where = { kind: 'postgres', host: '127.0.0.1', port: server.port, database: 'test_1', queue: 'search', tls: undefined } as const;
    const asked = { requestId: 'req-1', request: '{"attempt":1}', waitMs: 60_000, replyMaxBytes: 1_000, title: 'the tool', ca: undefined };
    const call = queues.exchange({ ...asked, endpoint: where, login: { user, password }, signal: new AbortController().signal });
    await taken();
    await reply('req-1', OK);
    expect(JSON.parse(await call)).toEqual(OK);
    await queues.close();
  });

  test('works without notifications, by looking', async () => {
    await tools.query('ALTER TABLE svc_tool_replies DISABLE TRIGGER ALL');
    const call = port.invoke(endpoint, { spec: { auth } });
    await taken();
    await reply('req-1', OK);
    expect((await call).output).toBe('{"n":1}');
    await tools.query('ALTER TABLE svc_tool_replies ENABLE TRIGGER ALL');
  });

  test('a reply that says "try again" is requested again by the next attempt, and only by that', async () => {
    const call = port.invoke(endpoint, { spec: { auth, runtime: { retry: { max_attempts: 2 } } } });
    await taken();
    await reply('req-1', RETRYABLE);
    expect((await taken())?.request).toMatchObject({ attempt: 2 });
    await reply('req-1', OK);
    expect(await call).toMatchObject({ output: '{"n":1}', attempts: 2 });
  });

  test('a second attempt after a timeout waits for the same request', async () => {
    const call = port.invoke(endpoint, { spec: { auth, runtime: { timeout: '500ms', retry: { max_attempts: 20 } } } });
    await taken();
    const expiry = async () => Number((await tools.query('SELECT extract(epoch FROM expires_at) AS at FROM svc_tool_requests')).rows[0].at);
    const first = await expiry();
    await expect.poll(expiry).toBeGreaterThan(first);
    expect(await take()).toBeUndefined();
    await reply('req-1', OK);
    expect((await call).attempts).toBeGreaterThan(1);
  });

  test('many calls at once need few connections', async () => {
    const calls = Array.from({ length: 40 }, (_, n) => port.invoke(endpoint, { spec: { auth }, requestId: `req-${n}` }));
    for (let n = 0; n < 40; n += 1) await reply((await taken())?.request_id ?? '', OK);
    expect((await Promise.all(calls)).every(({ output }) => output === '{"n":1}')).toBe(true);
    const { rows } = await tools.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'agent-orchestration-service'`,
    );
    expect(rows[0].n).toBeLessThanOrEqual(5);
  });

  test('a canceled call withdraws a request that no consumer has taken', async () => {
    const abort = new AbortController();
    const call = port.failure(endpoint, { spec: { auth }, signal: abort.signal });
    await expect.poll(requests).toEqual(['req-1']);
    abort.abort();
    expect(await call).toMatchObject({ code: 'canceled', retryable: false });
    expect(await requests()).toEqual([]);
  });

  test('an unanswered call ends at its timeout', async () => {
    const error = await port.failure(endpoint, { spec: { auth, runtime: { timeout: '300ms' } } });
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
  });

  test.each<[string, unknown, string]>([
    ['nonsense', 'hello', 'tool_protocol'],
    ['too much', { status: 'ok', output: { result: 'x'.repeat(3 * 1024 * 1024) } }, 'response_too_large'],
  ])('a reply of %s is malformed', async (_, value, reason) => {
    const call = port.failure(endpoint, { spec: { auth } });
    await taken();
    await reply('req-1', value);
    expect(await call).toMatchObject({ code: 'execution_failed', reason, retryable: false });
  });

  test.each<[string, () => string, Record<string, unknown>, string]>([
    ['a wrong password', () => endpoint, { auth: { profile: 'basic', secretRef: 'wrong' } }, 'auth_invalid'],
    ['no login', () => endpoint, {}, 'runtime_policy_invalid'],
    ['a login of another kind', () => endpoint, { auth: { secretRef: 'token' } }, 'runtime_policy_invalid'],
    ['a database without the tables', () => empty, { auth }, 'runtime_policy_invalid'],
    ['a database that is not there', () => endpoint.replace('/test_1', '/gone'), { auth }, 'runtime_policy_invalid'],
    ['a server without TLS', () => `${endpoint}&sslmode=verify-full`, { auth }, 'execution_failed'],
  ])('%s is typed', async (...[, at, spec, code]) => {
    const error = await port.failure(at(), { spec });
    expect(error.code).toBe(code);
    expect(error.message).not.toContain('not-the-password');
  });

  test.each([
    ['U+0000', 'a\u0000b'],
    ['a lone high surrogate', 'a\ud800b'],
    ['a lone low surrogate', 'a\udc00b'],
    ['U+0000 in a key', { 'k\u0000': 1 }],
  ])('refuses an input with %s once, before it is queued', async (_, q) => {
    const error = await port.failure(endpoint, { spec: { auth, runtime: { retry: { max_attempts: 3 } } }, input: { q } });
    expect(error).toMatchObject({ code: 'invalid_input', retryable: false, attempts: 1 });
    expect(error.message).toContain('remove U+0000 and unpaired surrogates');
    expect(await requests()).toEqual([]);
  });

  test('refused inputs open no further connections beside calls that wait', async () => {
    const waiting: Promise<unknown>[] = [];
    for (let n = 0; n < 4; n += 1) {
      waiting.push(port.invoke(endpoint, { spec: { auth }, requestId: `wait-${n}` }));
      await expect.poll(requests).toHaveLength(n + 1);
      await port.failure(endpoint, { spec: { auth }, requestId: `bad-${n}`, input: { q: '\u0000' } });
    }
    const { rows } = await tools.query(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'agent-orchestration-service'`,
    );
    expect(rows[0].n).toBeLessThanOrEqual(5);
    for (let n = 0; n < 4; n += 1) await reply((await taken())?.request_id ?? '', OK);
    await Promise.all(waiting);
  });

  test('carries 1 MiB of input and of output', async () => {
    const text = 'x'.repeat(1024 * 1024 - 100);
    const call = port.invoke(endpoint, { spec: { auth }, input: { q: text } });
    expect((await taken())?.request.input.q).toBe(text);
    await reply('req-1', { status: 'ok', output: { result: text } });
    expect((await call).output).toBe(text);
  });

  test('a server that restarts only delays the call', async () => {
    const call = port.invoke(endpoint, {
      spec: { auth, runtime: { timeout: '10s', retry: { max_attempts: 50, backoff: '50ms', max_backoff: '200ms' } } },
    });
    await expect.poll(requests).toEqual(['req-1']);
    tools.on('error', () => undefined);
    await server.stop('immediate');
    await server.start();
    tools = new pg.Client({ connectionString: `postgres://${secrets['login']?.['value']}@127.0.0.1:${server.port}/test_1` });
    await tools.connect();
    await reply('req-1', OK);
    expect((await call).output).toBe('{"n":1}');
  });
});
