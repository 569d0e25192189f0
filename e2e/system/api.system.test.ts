// Guarantees of the API as its clients see them: a svcd of its own process, judged by its HTTP answers, its files and its exit code.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { kinds } from '@svc/shared/kinds';
import { startServerProcess, type ServerOptions, type ServerProcess } from '../../server/testing/server-process.ts';
import { sseMessages, type SseMessage } from '../../server/testing/sse-messages.ts';

const svcd = join(import.meta.dirname, '..', '..', 'server', 'dist', 'bin', 'svcd.js');

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: any;
}

interface Client {
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}

/** Text bodies are YAML, others JSON. */
function client(server: { readonly url: string }, token?: string): Client {
  return async (method, path, body, headers = {}) => {
    const type = typeof body === 'string' ? 'application/yaml' : 'application/json';
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': type }), ...(token && { authorization: `Bearer ${token}` }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  };
}

/** Reads a stream to the first event that `last` accepts, or to its end, and hangs up. */
async function readStream(url: string, last: (event: SseMessage) => boolean, headers: Record<string, string> = {}): Promise<SseMessage[]> {
  const seen: SseMessage[] = [];
  for await (const message of sseMessages(url, headers)) {
    seen.push(message);
    if (last(message)) break;
  }
  return seen;
}

const disposals: (() => Promise<void>)[] = [];
async function startOwn(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await startServerProcess(options);
  disposals.push(server.dispose);
  return server;
}
const temporaryDirectory = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'svcd-api-'));
  disposals.push(async () => rmSync(path, { recursive: true, force: true }));
  return path;
};
afterEach(async () => {
  for (const dispose of disposals.splice(0)) await dispose();
});

/** Minimal spec of each kind. Agents and AgentSystems name objects that exist: a controller renews the status of one that misses any. */
const MINIMAL: Readonly<Record<string, Record<string, unknown>>> = {
  Agent: { model_ref: 'lab/quick' },
  AgentSystem: { agents: ['lab/answerer'] },
  ModelEndpoint: { provider: 'mock' },
  Secret: { stringData: { value: 'x' } },
  McpServer: { transport: 'http', endpoint: 'http://127.0.0.1:9/mcp', reconnect: { max_attempts: 1 } },
  ToolApproval: { task_ref: 't', tool: 'x' },
  TaskApproval: { task_ref: 't', checkpoint_id: 'c' },
  Session: { system: 'bound' },
  Task: { system: 'bound', mode: 'template' },
  TaskSchedule: { task_ref: 't', schedule: '0 0 1 1 *' },
  TaskWebhook: { task_ref: 't', auth: { secret_ref: 's' } },
  Experiment: { system: 'lab/runnable', cases: [{ name: 'only', input: {} }], variants: [{ name: 'today' }] },
};

/** Phases that objects soon reach by themselves: what cannot work is found, and what runs ends. */
const REACHED: Readonly<Record<string, string>> = {
  SealedSecret: 'Error',
  McpServer: 'Error',
  TaskSchedule: 'Error',
  TaskWebhook: 'Error',
  Experiment: 'Completed',
};

/** Kinds whose controllers write the status once after the write, whatever the phase was. */
const OBSERVED: ReadonlySet<string> = new Set(['Memory']);

/** A system whose only agent answers at once. */
const RUNNABLE = `
kind: ModelEndpoint
metadata: { name: quick }
spec: { provider: mock }
---
kind: Agent
metadata: { name: answerer }
spec: { model_ref: quick }
---
kind: AgentSystem
metadata: { name: runnable }
spec: { agents: [answerer] }
`;

/** A system whose only agent takes half a minute to answer, and a Task that runs it. */
const SLOW_RUN = `
kind: ModelEndpoint
metadata: { name: slow }
spec: { provider: mock, options: { delay: 30s } }
---
kind: Agent
metadata: { name: thinker }
spec: { model_ref: slow }
---
kind: AgentSystem
metadata: { name: slow }
spec: { agents: [thinker] }
---
kind: Task
metadata: { name: slow }
spec: { system: slow }
`;

describe('a running server', () => {
  let server: ServerProcess;
  let call: Client;
  beforeAll(async () => {
    server = await startServerProcess();
    call = client(server);
    await call('POST', '/v1/agent-systems', { metadata: { name: 'bound' }, spec: { agents: ['a'] } });
    await call('POST', '/v1/apply?namespace=lab', RUNNABLE);
  });
  afterAll(() => server.dispose());

  test.each(kinds.map(({ kind, plural, initialPhase }) => ({ kind, plural, initialPhase })))(
    '$plural are created, applied, replaced, patched and deleted by version',
    async ({ kind, plural, initialPhase }) => {
      const spec = MINIMAL[kind] ?? {};
      const path = `/v1/${plural}/one`;
      const envelope = { apiVersion: 'svc.dev/v1', kind, metadata: { name: 'one', labels: { a: 'b' } }, spec };
      const created = await call('POST', `/v1/${plural}`, { ...envelope, status: { phase: 'Forged' } });
      expect(created).toMatchObject({
        status: 201,
        body: { kind, metadata: { resourceVersion: '1', generation: 1, namespace: 'default' }, status: { phase: initialPhase } },
      });
      expect(created.headers.get('x-request-id')).toBeTruthy();
      const phase = REACHED[kind] ?? initialPhase;
      await expect.poll(async () => (await call('GET', path)).body.status.phase).toBe(phase);
      if (OBSERVED.has(kind)) await expect.poll(async () => (await call('GET', path)).body.status.observedGeneration).toBe(1);
      const first = Number((await call('GET', path)).body.metadata.resourceVersion);
      const version = (writes: number) => ({ resourceVersion: String(first + writes) });
      expect(await call('POST', `/v1/${plural}`, envelope)).toMatchObject({ status: 200, body: { metadata: version(0) } });
      expect((await call('POST', `/v1/${plural}`, envelope, { 'if-none-match': '*' })).status).toBe(409);
      expect((await call('PUT', path, envelope)).status).toBe(409);
      expect((await call('PUT', path, envelope, { 'if-match': '"99"' })).status).toBe(409);
      const relabelled = { ...envelope, metadata: { name: 'one', labels: { a: 'c' } } };
      expect(await call('PUT', path, relabelled, { 'if-match': `W/"${first}"` })).toMatchObject({
        status: 200,
        body: { metadata: { ...version(1), generation: 1, labels: { a: 'c' } } },
      });
      expect(await call('PATCH', `${path}?dryRun=true`, { metadata: { labels: { a: null } } })).toMatchObject({
        status: 200,
        body: { metadata: { ...version(2), labels: {} } },
      });
      const stored = await call('GET', path);
      expect(stored.body.metadata).toMatchObject({ ...version(1), labels: { a: 'c' } });
      expect((await call('GET', `/v1/${plural}?labelSelector=a%3Dc`)).body.map((each: any) => each.metadata.name)).toEqual(['one']);
      const status = { ...(await call('GET', `${path}/status`)).body.status, lastError: 'told' };
      expect((await call('PUT', `${path}/status`, { status })).status).toBe(409);
      expect(await call('PUT', `${path}/status`, { metadata: version(1), status })).toMatchObject({
        status: 200,
        body: { metadata: { ...version(2), generation: 1 }, status: { lastError: 'told' } },
      });
      expect((await call('DELETE', `${path}?resourceVersion=${first + 1}`)).status).toBe(409);
      const deleted = await call('DELETE', path);
      expect(deleted.status).toBe(200);
      // A controller may have renewed the status, where the test of another kind has deleted an object that this one names.
      expect(Number(deleted.body.metadata.resourceVersion)).toBeGreaterThanOrEqual(first + 2);
      expect(await call('GET', path)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    },
  );

  test('drops unknown fields with a warning, or refuses them by path', async () => {
    const body = { metadata: { name: 'odd' }, spec: { model_ref: 'm', colour: 'red', limits: { size: 1 } } };
    const warned = await call('POST', '/v1/agents?dryRun=true', body);
    for (const path of ['spec.colour', 'spec.limits.size']) expect(warned.headers.get('warning')).toContain(path);
    expect(warned.body.spec).not.toHaveProperty('colour');
    const refused = await call('POST', '/v1/agents?fieldValidation=Strict', body);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } });
    expect(refused.body.error.details.map((each: any) => each.path).sort()).toEqual(['spec.colour', 'spec.limits.size']);
  });

  test('refuses invalid input with the code for its cause', async () => {
    const refusal = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
      const answer = await call(method, path, body, headers);
      return [answer.status, answer.body.error.code];
    };
    expect(await refusal('POST', '/v1/agents', { x: 1 }, { 'content-type': 'application/xml' })).toEqual([415, 'unsupported_media_type']);
    expect(await refusal('POST', '/v1/agents', `a: ${'x'.repeat(5_000_000)}`)).toEqual([413, 'too_large']);
    expect(await refusal('DELETE', '/v1/agents')).toEqual([405, 'method_not_allowed']);
    expect(await refusal('GET', '/v1/nothing')).toEqual([404, 'not_found']);
    expect(await refusal('GET', '/v1/agents?limit=1001')).toEqual([400, 'invalid']);
    expect(await refusal('GET', '/v1/agents/watch?since=now')).toEqual([400, 'invalid']);
    expect(await refusal('POST', '/v1/agents', 'metadata: { name: watch }\nspec: { model_ref: m }')).toEqual([400, 'invalid']);
    expect(await refusal('POST', '/v1/agents?namespace=a', { metadata: { name: 'x', namespace: 'b' } })).toEqual([400, 'invalid']);
    expect((await call('GET', '/v1/agents')).body).toEqual([]);
  });

  test('pages through a list in bytewise order while objects are written', async () => {
    for (const name of ['b', 'A', 'c', 'a', 'B']) await call('POST', '/v1/workers?namespace=paged', { metadata: { name }, spec: {} });
    const names: string[] = [];
    let after = '';
    do {
      const { body } = await call('GET', `/v1/workers?namespace=paged&limit=2${after && `&after=${encodeURIComponent(after)}`}`);
      names.push(...body.items.map((each: any) => each.metadata.name));
      after = body.continue ?? '';
      await call('POST', '/v1/workers?namespace=paged', { metadata: { name: '0' }, spec: {} });
    } while (after !== '');
    expect(names).toEqual(['A', 'B', 'a', 'b', 'c']);
  });

  test('applies documents together or not at all', async () => {
    const good = 'kind: Agent\nmetadata: { name: together, labels: { app: x } }\nspec: { model_ref: m }\n';
    const refused = await call(
      'POST',
      '/v1/apply',
      `${good}---\nkind: Agent\nmetadata: { name: bad }\nspec: { limits: { timeout: soon } }\n`,
    );
    expect(refused.status).toBe(400);
    expect(refused.body.error.details.map((each: any) => each.path).sort()).toEqual([
      'documents[1].spec.limits.timeout',
      'documents[1].spec.model_ref',
    ]);
    expect((await call('GET', '/v1/agents/together')).status).toBe(404);
    const applied = { kind: 'Agent', namespace: 'default', name: 'together', action: 'created', resourceVersion: '1' };
    expect((await call('POST', '/v1/apply', good)).body).toEqual({ results: [applied] });
    const other = 'kind: Agent\nmetadata: { name: other, labels: { app: x } }\nspec: { model_ref: m }\n';
    const pruned = await call('POST', '/v1/apply?prune=true&labelSelector=app%3Dx', other);
    expect(pruned.body.results.map((each: any) => [each.name, each.action])).toEqual([
      ['other', 'created'],
      ['together', 'pruned'],
    ]);
  });

  test('answers every route that its OpenAPI document names', async () => {
    const { body } = await call('GET', '/openapi.json');
    const routes = Object.entries<Record<string, unknown>>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
    );
    expect(routes.length).toBeGreaterThan(18 * 9);
    for (const { method, path } of routes.filter((route) => !/\/(watch|stream)$/.test(route.path))) {
      const body = ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined;
      const answer = await call(method, path.replaceAll(/\{\w+\}/g, 'absent'), body);
      // Without an encryption key there is no sealing key, which is 503.
      const served = answer.status < 500 || answer.body?.error?.code === 'unavailable';
      expect({ method, path, known: served && answer.status !== 405 && !answer.text.includes('nothing at') }).toEqual({
        method,
        path,
        known: true,
      });
    }
  });
});

describe('a stop and a start', () => {
  test(
    'end streams with their reason, give runs back, exit with 0, and lose nothing that a watch had not seen',
    { timeout: 30_000 },
    async () => {
      const first = await startOwn();
      const call = client(first);
      expect((await call('POST', '/v1/apply', SLOW_RUN)).status).toBe(200);
      const tasks = `${first.url}/v1/tasks/watch`;
      const running = await readStream(tasks, ({ data }) => data.resource?.status.phase === 'Running');
      expect(running.find(({ event }) => event === 'resource')?.data).toMatchObject({ type: 'created', snapshot: true, name: 'slow' });
      const streams = [`${first.url}/v1/agents/watch`, `${first.url}/v1/events/watch?since=0`];
      const opened = streams.map((url) => readStream(url, ({ event }) => event === 'close'));
      await readStream(`${first.url}/v1/agents/watch`, ({ event }) => event === 'synced');
      const began = performance.now();
      expect(await first.end('SIGTERM')).toBe(0);
      expect(performance.now() - began).toBeLessThan(10_000);
      for (const events of await Promise.all(opened)) {
        expect(events.at(-1)).toMatchObject({ event: 'close', data: { reason: 'server_shutting_down' } });
      }

      const second = await startOwn({ dataDir: first.dataDir, args: ['--embedded-worker=false'] });
      const { body } = await client(second)('GET', '/v1/tasks/slow');
      expect(body.status.history.map((each: any) => each.type)).toEqual(['claim', 'running', 'released']);
      expect(body.status).not.toHaveProperty('claimedBy');
      await client(second)('DELETE', '/v1/agents/thinker');
      const seen = running.findLast(({ id }) => id !== undefined)?.id ?? '0';
      const resumed = await readStream(`${second.url}/v1/agents/watch`, ({ data }) => data.type === 'deleted', { 'last-event-id': seen });
      expect(resumed.map(({ data }) => [data.type, data.name])).toEqual([['deleted', 'thinker']]);
    },
  );
});

describe('authentication', () => {
  test('restricts each role to its permissions', async () => {
    const tokens = 'r:tok-r:reader,w:tok-w:writer,a:tok-a:admin,b:tok-b:a2a:default/sys,tok-legacy:reader';
    const server = await startOwn({ env: { SVC_API_TOKENS: tokens, SVC_API_TOKEN: 'unused' } });
    const callers = ['tok-r', 'tok-w', 'tok-a', 'tok-b', 'tok-legacy', 'unused', undefined].map((token) => client(server, token));
    const statuses = async (method: string, path: string, body?: unknown) =>
      (await Promise.all(callers.map((caller) => caller(method, path, body)))).map((answer) => answer.status);
    const agent = { metadata: { name: 'x' }, spec: { model_ref: 'm' } };
    const cli = { metadata: { name: 'x' }, spec: { type: 'cli', cli: { command: 'x' }, runtime: { isolation_mode: 'none' } } };
    const stdio = { metadata: { name: 'x' }, spec: { transport: 'stdio', command: 'x' } };
    expect(await statuses('GET', '/healthz')).toEqual([200, 200, 200, 200, 200, 200, 200]);
    expect(await statuses('GET', '/v1/agents')).toEqual([200, 200, 200, 403, 200, 401, 401]);
    expect(await statuses('POST', '/v1/agents?dryRun=true', agent)).toEqual([403, 200, 200, 403, 403, 401, 401]);
    expect(await statuses('DELETE', '/v1/agents/x')).toEqual([403, 404, 404, 403, 403, 401, 401]);
    expect(await statuses('PUT', '/v1/agents/x/status', { metadata: { resourceVersion: '1' }, status: { phase: 'Ready' } })).toEqual([
      403, 403, 404, 403, 403, 401, 401,
    ]);
    expect(await statuses('POST', '/v1/tools?dryRun=true', cli)).toEqual([403, 403, 200, 403, 403, 401, 401]);
    expect(await statuses('POST', '/v1/mcp-servers?dryRun=true', stdio)).toEqual([403, 403, 200, 403, 403, 401, 401]);
    expect(await statuses('GET', '/v1/tokens')).toEqual([403, 403, 200, 403, 403, 401, 401]);
    expect((await client(server)('GET', '/v1/agents')).headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  test('is enabled by the first token and never disabled again', async () => {
    const first = await startOwn();
    const created = await client(first)('POST', '/v1/tokens', { name: 'root', role: 'admin' });
    expect(created).toMatchObject({ status: 201, body: { name: 'root', role: 'admin', token: expect.any(String) } });
    const root = client(first, created.body.token);
    expect((await client(first)('GET', '/v1/agents')).status).toBe(401);
    expect((await root('GET', '/v1/tokens')).text).not.toContain(created.body.token);
    expect((await root('DELETE', '/v1/tokens/root')).status).toBe(409);
    await first.end();
    const second = await startOwn({ dataDir: first.dataDir, env: { SVC_API_TOKEN: 'key' } });
    expect((await client(second, created.body.token)('GET', '/v1/auth/me')).body).toEqual({
      authenticated: true,
      method: 'bearer',
      name: 'root',
      role: 'admin',
    });
    expect((await client(second, 'key')('DELETE', '/v1/tokens/root')).status).toBe(200);
    await second.end();
    const third = await startOwn({ dataDir: first.dataDir });
    expect((await client(third)('GET', '/v1/agents')).status).toBe(401);
    expect((await client(third, created.body.token)('GET', '/v1/agents')).status).toBe(401);
  });
});

describe('secret values', () => {
  const plain = 'correct-horse-battery';
  const forms = [plain, Buffer.from(plain).toString('base64').slice(0, 20)];
  const bytesOf = (directory: string) => readdirSync(directory).map((file) => readFileSync(join(directory, file)).toString('latin1'));

  test('are absent from every answer, stream and file', async () => {
    const server = await startOwn({ env: { SVC_SECRET_ENCRYPTION_KEY: 'a1'.repeat(32) } });
    const call = client(server);
    const secret = (name: string) => ({ metadata: { name }, spec: { stringData: { value: plain } } });
    const answers = [
      await call('POST', '/v1/secrets?dryRun=true', secret('tried')),
      await call('POST', '/v1/secrets', secret('kept')),
      await call('PATCH', '/v1/secrets/kept', { spec: { stringData: { more: plain } } }),
      await call('POST', '/v1/secrets', { metadata: { name: 'refused' }, spec: { data: { value: `${plain}%` } } }),
      await call('POST', '/v1/secrets', `{"metadata":{"name":"broken"},"spec":{"stringData":{"value":"${plain}"}}`, {
        'content-type': 'application/json',
      }),
      await call('GET', '/v1/secrets'),
      await call('GET', '/v1/events'),
    ].map(({ text }) => text);
    const watched = await readStream(`${server.url}/v1/secrets/watch`, ({ event }) => event === 'synced');
    expect(watched[0]?.data.resource.spec).toEqual({ data: { value: '***', more: '***' } });
    await server.end();
    for (const form of forms) for (const text of [...answers, ...bytesOf(server.dataDir)]) expect(text.includes(form)).toBe(false);

    const env = { SVC_SECRET_ENCRYPTION_KEY: 'b2'.repeat(32) };
    const other = await startOwn({ dataDir: server.dataDir, args: ['--allow-other-secret-key'], env });
    const patched = await client(other)('PATCH', '/v1/secrets/kept', { spec: { stringData: { third: 'x' } } });
    expect(patched).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } });
  });
});

describe('an embedded database with a key', () => {
  const KEY = 'a1'.repeat(32);
  const OTHER = 'b2'.repeat(32);

  test('opens with that key only, although no Secret is stored', async () => {
    const server = await startOwn({ env: { SVC_SECRET_ENCRYPTION_KEY: KEY } });
    await server.end();
    for (const env of [{ SVC_SECRET_ENCRYPTION_KEY: OTHER }, {}]) {
      const { code, lines } = refusedStart(['--data-dir', server.dataDir], env);
      expect({ code, lines }).toEqual({
        code: 78,
        lines: [expect.stringMatching(/^svcd: Secrets in this database are encrypted with key \w{16}, but this process has [^\n]+$/)],
      });
    }
    await startOwn({ dataDir: server.dataDir, env: { SVC_SECRET_ENCRYPTION_KEY: `${OTHER}\n${KEY}` } });
  });

  test('is taken over by another key when the operator confirms the loss of the first', async () => {
    const first = await startOwn({ env: { SVC_SECRET_ENCRYPTION_KEY: KEY } });
    await client(first)('POST', '/v1/secrets', { metadata: { name: 'kept' }, spec: { stringData: { value: 'x' } } });
    await first.end();
    const env = { SVC_SECRET_ENCRYPTION_KEY: OTHER };
    const second = await startOwn({ dataDir: first.dataDir, args: ['--allow-other-secret-key'], env });
    const again = { metadata: { name: 'kept', resourceVersion: '1' }, spec: { stringData: { value: 'y' } } };
    expect((await client(second)('PUT', '/v1/secrets/kept', again)).status).toBe(200);
    await second.end();
    await startOwn({ dataDir: first.dataDir, env });
  });
});

test('the first line of the log has an IPv6 address in brackets', async () => {
  const { log, url } = await startOwn({ args: ['--addr', '[::1]:0'] });
  expect(log[0]).toMatchObject({ addr: url.replace('http://', ''), host: '::1' });
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
});

/** Starts a server that must refuse: its exit code and its output. */
function refusedStart(args: readonly string[], env: Readonly<Record<string, string>> = {}): { code: number | null; lines: string[] } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [svcd, '--addr', '127.0.0.1:0', ...args], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 15_000,
    encoding: 'utf8',
  });
  return { code: status, lines: `${stdout}${stderr}`.trim().split('\n') };
}

describe('a refused start', () => {
  test.each([
    ['an unknown flag', ['--no-such-flag'], {}, /--no-such-flag/],
    ['a bad value', ['--shutdown-grace', 'soon'], {}, /--shutdown-grace/],
    ['a bad variable', [], { SVC_SECRET_ENCRYPTION_KEY: 'short' }, /--secret-encryption-key/],
    ['a malformed token entry', [], { SVC_API_TOKENS: 'a:b:reader,a:b:root' }, /SVC_API_TOKENS.*entry 2/],
    ['an open address without authentication', ['--addr', '0.0.0.0:0'], {}, /--allow-unauthenticated/],
    [
      'an open address with a short token',
      ['--addr', '0.0.0.0:0'],
      { SVC_API_TOKENS: 'ops:sesame:admin' },
      /entry 1 \(ops\) .*fewer than 20/,
    ],
    ['an open address with a short key', ['--addr', '0.0.0.0:0', '--api-key', 'sesame'], {}, /SVC_API_TOKEN .*fewer than 20/],
  ])('%s ends with code 2 and one line that names it', (_, args, env, pattern) => {
    const { code, lines } = refusedStart(['--data-dir', join(temporaryDirectory(), 'data'), ...args], env);
    expect({ code, lines }).toEqual({ code: 2, lines: [expect.stringMatching(pattern)] });
  });

  test('a damaged, newer, foreign or owned database ends with one sentence that names the file', async () => {
    const server = await startOwn();
    const owned = refusedStart(['--data-dir', server.dataDir]);
    expect(owned).toEqual({ code: 77, lines: [expect.stringMatching(/another server is using the database .*svc\.db/)] });
    await server.end();
    const intact = readFileSync(join(server.dataDir, 'svc.db'));
    const withBytes = (change: (bytes: Buffer) => Buffer): string => {
      const directory = join(temporaryDirectory(), 'data');
      mkdirSync(directory);
      writeFileSync(join(directory, 'svc.db'), change(Buffer.from(intact)));
      return directory;
    };
    const damaged: ((bytes: Buffer) => Buffer)[] = [
      () => Buffer.from('no database at all '.repeat(500)),
      (bytes) => bytes.subarray(0, bytes.length / 2),
      (bytes) => bytes.fill(0x5a, 100, 9_000),
      // The header's user version, which holds the schema version.
      (bytes) => (bytes.writeUInt32BE(4_000, 60), bytes),
      // The header's application id.
      (bytes) => (bytes.writeUInt32BE(1, 68), bytes),
    ];
    for (const change of damaged) {
      const refused = refusedStart(['--data-dir', withBytes(change)]);
      expect(refused).toEqual({ code: 78, lines: [expect.stringMatching(/^svcd: the (database|file) .*svc\.db /)] });
    }
  });
});
