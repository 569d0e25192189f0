// Migration from one machine to many, seen from outside: the servers on PostgreSQL show the data of the embedded server, and continue its
// runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kinds } from '@svc/shared/kinds';
import { kindExample } from '../../server/http/openapi/kind-example.ts';
import { hang, json, startLoopbackServer, type Answer, type LoopbackServer } from '../../server/testing/loopback-server.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { chatOf } from '../../server/testing/run-world.ts';
import { startServerProcess, startWorkerProcess, type ServerProcess } from '../../server/testing/server-process.ts';
import { asks, says } from '../../server/testing/wire-answers.ts';

const svcctl = join(import.meta.dirname, '..', '..', 'server', 'dist', 'bin', 'svcctl.js');
const ENV = { SVC_SECRET_ENCRYPTION_KEY: '5e'.repeat(32) };
const TIMING = [
  '--task-lease-duration',
  '2s',
  '--task-heartbeat-interval',
  '500ms',
  '--log-level',
  'warn',
  '--allow-private-tool-endpoints',
];
/** By the duration of a lease controllers judge workers and waiting Tasks: until then a server writes nothing by itself. */
const IDLE = ['--embedded-worker=false', '--task-lease-duration', '10m'];
const SECRET = 'sk-a-very-secret-value';

interface Reply {
  readonly status: number;
  readonly body: any;
}

interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

async function runSvcctl(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Result> {
  const child = spawn(process.execPath, [svcctl, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

/** A model server that answers by the model's name: `first` requests a tool and then ends, `second` never answers while `stuck`. */
async function startModels(): Promise<{ server: LoopbackServer; calls: (model: string) => LoopbackServer['seen']; release: () => void }> {
  let stuck = true;
  const answer: Answer = (response, request) => {
    const { model, messages } = chatOf(request);
    const answered = messages.some(({ role }) => role === 'assistant');
    if (model === 'asker') return (answered ? says('asker is done') : asks(['risky', {}, 'c1']))(response, request);
    if (model === 'first') return (answered ? says('first is done') : asks(['note', { text: 'x' }, 'c1']))(response, request);
    if (model === 'busy') return json({ error: { message: 'later' } }, 500)(response, request);
    return (stuck ? hang : says('second is done'))(response, request);
  };
  const server = await startLoopbackServer(answer);
  return { server, calls: (model) => server.seen.filter((request) => chatOf(request).model === model), release: () => (stuck = false) };
}

/** Kinds whose controllers write the status some time after the object. */
const RECONCILED: ReadonlySet<string> = new Set(['SealedSecret', 'McpServer', 'Memory']);

function asWritten({ metadata: { name, namespace, uid, createdAt, generation }, spec }: any) {
  return { name, namespace, uid, createdAt, generation, spec };
}

describe.skipIf(withoutPostgres('migrate-store'))('svcctl migrate-store', () => {
  let postgres: PostgresServer;
  let models: Awaited<ReturnType<typeof startModels>>;
  let tools: LoopbackServer;
  let dataDir: string;
  let databaseUrl: string;
  let token = '';
  let url = '';
  /** Every process of this test, so that none outlives it when an expectation fails. */
  const started: { end(signal: NodeJS.Signals): Promise<unknown> }[] = [];

  const request = async (method: string, path: string, body?: unknown): Promise<Reply> => {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  };
  const create = async (kind: string, name: string, spec: object): Promise<void> => {
    const plural = kinds.find((each) => each.kind === kind)?.plural;
    const { status, body } = await request('POST', `/v1/${plural}`, { metadata: { name }, spec });
    if (status >= 300) throw new Error(`${kind} ${name}: ${JSON.stringify(body)}`);
  };
  const until = async (name: string, fact: (status: any) => boolean): Promise<any> => {
    const found: { status?: any } = {};
    await expect.poll(async () => fact((found.status = (await request('GET', `/v1/tasks/${name}`)).body.status))).toBe(true);
    return found.status;
  };

  beforeAll(async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    dataDir = mkdtempSync(join(tmpdir(), 'svcd-migrate-'));
    models = await startModels();
    tools = await startLoopbackServer((response, request) => (request.path === '/risky' ? hang : json({ noted: true }))(response, request));
  });
  afterAll(async () => {
    await Promise.all(started.map((each) => each.end('SIGKILL')));
    await Promise.all([models.server.close(), tools.close()]);
    await postgres.remove();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const serve = async (args: readonly string[], database?: string): Promise<ServerProcess> => {
    const server = await startServerProcess({ args: [...TIMING, ...args], env: ENV, dataDir, ...(database && { databaseUrl: database }) });
    started.push(server);
    url = server.url;
    return server;
  };

  /** One object of each kind, and some that were changed or deleted. */
  async function fillKinds(): Promise<void> {
    for (const kind of kinds) {
      const { metadata, spec } = kindExample(kind);
      const { status } = await request('POST', `/v1/${kind.plural}?namespace=examples`, { metadata, spec });
      expect([kind.kind, status]).toEqual([kind.kind, 201]);
    }
    for (let n = 0; n < 40; n += 1) await create('AgentRole', `role-${n}`, { description: `role ${n}`, permissions: ['a'] });
    for (let n = 0; n < 40; n += 2) await create('AgentRole', `role-${n}`, { description: 'changed', permissions: ['a', 'b'] });
    for (let n = 0; n < 40; n += 5) await request('DELETE', `/v1/agent-roles/role-${n}`);
  }

  async function fillDefinitions(): Promise<void> {
    await create('Secret', 'key', { stringData: { value: SECRET } });
    for (const name of ['first', 'second', 'busy', 'asker']) {
      const endpoint = { provider: 'gateway-a', base_url: `${models.server.url}/v1`, default_model: name, allowPrivate: true };
      await create('ModelEndpoint', name, { ...endpoint, auth: { secretRef: 'key' } });
    }
    await create('Tool', 'note', { endpoint: `${tools.url}/note`, auth: { secretRef: 'key' } });
    await create('Agent', 'one', { model_ref: 'first', tools: ['note'] });
    await create('Agent', 'two', { model_ref: 'second' });
    await create('Agent', 'three', { model_ref: 'busy' });
    await create('Tool', 'risky', { endpoint: `${tools.url}/risky`, risk_level: 'high', runtime: { isolation_mode: 'none' } });
    await create('Agent', 'four', { model_ref: 'asker', tools: ['risky'] });
    await create('AgentSystem', 'asking', { agents: ['four'] });
    await create('AgentSystem', 'whole', { agents: ['one'] });
    await create('AgentSystem', 'halfway', { agents: ['one', 'two'] });
    await create('AgentSystem', 'later', { agents: ['three'] });
  }

  /** A Task whose server dies during a risky call: the next one parks it until a person reports the outcome of the call. */
  async function fillParked(server: ServerProcess): Promise<ServerProcess> {
    await create('Task', 'asking', { system: 'asking' });
    await expect.poll(() => tools.seen.some(({ path }) => path === '/risky')).toBe(true);
    await server.end('SIGKILL');
    const next = await serve([]);
    await until('asking', ({ phase }) => phase === 'WaitingApproval');
    return next;
  }

  async function fillRuns(): Promise<void> {
    await create('Task', 'ended', { system: 'whole', input: { topic: 'tides' } });
    await until('ended', ({ phase }) => phase === 'Succeeded');
    await create('Task', 'waiting', { system: 'later', retry: { max_attempts: 3, backoff: '1h' } });
    await until('waiting', ({ nextAttemptAt }) => nextAttemptAt !== undefined);
    await create('Task', 'running', { system: 'halfway' });
    await expect.poll(() => models.calls('second').length).toBe(1);
    await create('Task', 'unclaimed', { system: 'whole', requirements: { gpu: true } });
  }

  /** Everything that a reader can see, except Workers, which each process reports again, and what controllers may write at any time. */
  async function everything() {
    const shown: Record<string, unknown> = {};
    for (const { kind, plural } of kinds) {
      if (kind === 'Worker') continue;
      const { body } = await request('GET', `/v1/${plural}?namespace=*&view=full`);
      shown[plural] = RECONCILED.has(kind) ? body.map(asWritten) : body;
    }
    for (const name of ['ended', 'waiting', 'asking', 'unclaimed', 'running']) {
      shown[name] = (await request('GET', `/v1/tasks/${name}`)).body;
      shown[`${name} logs`] = (await request('GET', `/v1/tasks/${name}/logs`)).body;
      shown[`${name} messages`] = (await request('GET', `/v1/tasks/${name}/messages`)).body;
    }
    shown['tokens'] = (await request('GET', '/v1/tokens')).body;
    shown['namespaces'] = (await request('GET', '/v1/namespaces')).body;
    return shown;
  }

  const events = async (): Promise<{ id: string; kind: string }[]> => (await request('GET', '/v1/events?limit=1000')).body.items;

  /** The first `count` items of a watch that resumes after `lastEventId`. */
  async function resumed(lastEventId: string, count: number): Promise<string[]> {
    const abort = new AbortController();
    const headers = { authorization: `Bearer ${token}`, 'last-event-id': lastEventId };
    const response = await fetch(`${url}/v1/agent-roles/watch`, { headers, signal: abort.signal });
    const frames: string[] = [];
    let buffer = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (buffer + chunk).split('\n\n');
      buffer = parts.pop() ?? '';
      frames.push(...parts.filter((frame) => /^event: (resource|resync)$/m.test(frame)));
      if (frames.length >= count) break;
    }
    abort.abort();
    return frames.slice(0, count);
  }

  /** Reports the call of unknown outcome as not carried out. */
  async function decide(): Promise<void> {
    const { items } = (await request('GET', '/v1/tool-approvals?limit=10')).body as { items: any[] };
    const pending = items.find(({ status }) => status.phase === 'Pending');
    const { status } = await request('POST', `/v1/tool-approvals/${pending?.metadata.name}/approve`, { outcome: 'not_done' });
    expect(status).toBe(200);
  }

  let before: Awaited<ReturnType<typeof everything>>;
  let eventsBefore: Awaited<ReturnType<typeof events>>;
  let watchBefore: string[];
  let middle: string;

  test('refuses while the server runs, and copies everything after its kill', { timeout: 180_000 }, async () => {
    let server = await serve([]);
    await fillKinds();
    token = (await request('POST', '/v1/tokens', { name: 'ops', role: 'admin' })).body.token;
    await fillDefinitions();
    server = await fillParked(server);
    await fillRuns();
    const inUse = await runSvcctl(['migrate-store', '--data-dir', dataDir], { SVC_DATABASE_URL: databaseUrl });
    expect(inUse).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^error: a server is using the database .*; stop it first, then copy\n$/),
    });
    await server.end('SIGKILL');

    server = await serve(IDLE);
    before = await everything();
    eventsBefore = await events();
    middle = eventsBefore.filter(({ kind }) => kind === 'AgentRole')[30]?.id ?? '';
    watchBefore = await resumed(middle, 20);
    expect(watchBefore.filter((frame) => frame.includes('event: resource'))).toHaveLength(20);
    await server.end();

    const env = { SVC_DATABASE_URL: databaseUrl, SVC_DATA_DIR: dataDir };
    const dry = await runSvcctl(['migrate-store', '--dry-run'], env);
    expect(dry).toMatchObject({ code: 0, err: '' });
    expect(dry.out).toMatch(/^would copy \d+ objects, .* to PostgreSQL at 127\.0\.0\.1:\d+, database test_1\n$/);
    const copied = await runSvcctl(['migrate-store'], env);
    expect({ ...copied, out: copied.out.replace(/^copied/, 'would copy') }).toMatchObject({ code: 0, out: dry.out });
    expect(copied.err).toContain('--secret-encryption-key');
    const { password } = new URL(databaseUrl);
    expect(`${copied.out}${copied.err}${dry.out}`).not.toContain(password);
    expect(await runSvcctl(['migrate-store', '-o', 'json'], env)).toMatchObject({ code: 1, err: expect.stringContaining('is not empty') });
  });

  test('servers on PostgreSQL show the migrated objects, resume their watches and accept their tokens', async () => {
    const server = await serve(IDLE, databaseUrl);
    expect(await everything()).toEqual(before);
    expect((await events()).slice(0, eventsBefore.length)).toEqual(eventsBefore);
    expect(await resumed(middle, 20)).toEqual(watchBefore);
    const anonymous = await fetch(`${url}/v1/tasks`);
    expect(anonymous.status).toBe(401);
    await server.end();
  });

  test('runs continue: one from its journal without repeated calls, a retry at its time, a parked one after a decision', async () => {
    models.release();
    const server = await serve(['--embedded-worker=false'], databaseUrl);
    const [firstCalls, toolCalls] = [models.calls('first').length, tools.seen.length];
    const worker = await startWorkerProcess({ databaseUrl, args: TIMING, env: ENV });
    started.push(worker);
    const done = await until('running', ({ phase }) => phase !== 'Running');
    expect(done).toMatchObject({ phase: 'Succeeded', attempts: 1, output: { last_output: 'second is done' } });
    expect([firstCalls, toolCalls].map((n) => n > 0)).toEqual([true, true]);
    expect([models.calls('first').length, tools.seen.length]).toEqual([firstCalls, toolCalls]);
    const [dropped, repeated, ...more] = models.calls('second');
    expect(more).toEqual([]);
    expect(repeated?.headers['idempotency-key']).toBe(dropped?.headers['idempotency-key']);
    expect(repeated?.headers.authorization).toBe(`Bearer ${SECRET}`);
    expect((await request('GET', '/v1/tasks/waiting')).body.status).toEqual((before['waiting'] as any).status);
    expect(models.calls('busy')).toHaveLength(1);
    await decide();
    expect((await until('asking', ({ phase }) => phase === 'Succeeded')).output).toMatchObject({ last_output: 'asker is done' });
    expect(tools.seen.filter(({ path }) => path === '/risky')).toHaveLength(1);
    await worker.end();
    await server.end();
  });
});

describe('svcctl migrate-store', () => {
  const target = { SVC_DATABASE_URL: 'postgres://svc:hunter2@127.0.0.1:1/svc' };

  test.each<[string, readonly string[], Readonly<Record<string, string>>, number, RegExp]>([
    ['without a target', [], {}, 2, /^error: the target database is missing\nhint: set SVC_DATABASE_URL, /],
    [
      'with a target that is no PostgreSQL URL',
      [],
      { SVC_DATABASE_URL: 'mysql://u:hunter2@h/d' },
      2,
      /^error: the database URL must begin with postgres:\/\//,
    ],
    ['with an option it does not have', ['--force'], target, 2, /unknown option '--force'/],
    ['with a format it does not print', ['-o', 'yaml'], target, 2, /cannot print "yaml"/],
    [
      'where there is no embedded database',
      ['--data-dir', '/nonexistent'],
      target,
      1,
      /^error: there is no embedded database at \/nonexistent\/svc\.db\n$/,
    ],
  ])('%s ends with one sentence and no password', async (...[, args, env, code, sentence]) => {
    const result = await runSvcctl(['migrate-store', ...args], env);
    expect(result).toMatchObject({ code, out: '', err: expect.stringMatching(sentence) });
    expect(result.err).not.toContain('hunter2');
  });

  test('names the address of a target that cannot be reached', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svcd-migrate-'));
    await (await startServerProcess({ dataDir })).end();
    const result = await runSvcctl(['migrate-store', '--data-dir', dataDir], target);
    rmSync(dataDir, { recursive: true });
    expect(result).toEqual({
      code: 3,
      out: '',
      err: expect.stringMatching(/^error: PostgreSQL at 127\.0\.0\.1:1, database svc cannot be reached: nothing listens there; /),
    });
  });
});
