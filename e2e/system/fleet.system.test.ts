// Many processes on one PostgreSQL, as operators run them: servers and workers that are connected only through the database.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../server/testing/mcp/world.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import {
  runSvcd,
  startServerProcess,
  startWorkerProcess,
  type ServerProcess,
  type WorkerProcess,
} from '../../server/testing/server-process.ts';

const QUICK = ['--task-lease-duration', '3s', '--task-heartbeat-interval', '200ms', '--shutdown-grace', '8s'];
const ADMIN = 'the-admin-token';
const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);

interface Api {
  /** The parsed body of a request that is answered with `status`. */
  readonly send: (method: string, path: string, options?: { body?: unknown; token?: string; status?: number }) => Promise<any>;
  readonly put: (kind: string, name: string, spec: unknown) => Promise<any>;
}

function apiOf({ url }: { readonly url: string }): Api {
  const send: Api['send'] = async (method, path, { body, token = ADMIN, status = 200 } = {}) => {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect(`${method} ${path} ${response.status}`, text).toBe(`${method} ${path} ${status}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const put: Api['put'] = (plural, name, spec) => send('POST', `/v1/${plural}`, { body: { metadata: { name }, spec }, status: 201 });
  return { send, put };
}

/** A system `name` of one agent whose model answers after `delay`. */
async function putSystem(api: Api, name: string, delay: string): Promise<void> {
  await api.put('model-endpoints', name, { provider: 'mock', options: { delay, script: `said by ${name}` } });
  await api.put('agents', name, { model_ref: name, prompt: 'Answer.' });
  await api.put('agent-systems', name, { agents: [name] });
}

const read = (api: Api, plural: string, name: string) => api.send('GET', `/v1/${plural}/${name}`);
const phaseOf = (api: Api, plural: string, name: string) => async () => (await read(api, plural, name)).status.phase as string;
const typesOf = (items: { type: string }[]) => items.map(({ type }) => type);

/** Server-sent events of a watch until one of them is `wanted`. */
async function watchUntil({ url }: ServerProcess, path: string, wanted: (event: string) => boolean): Promise<string[]> {
  const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${ADMIN}` } });
  expect(response.status).toBe(200);
  const seen: string[] = [];
  let text = '';
  for await (const chunk of response.body!) {
    text += Buffer.from(chunk as Uint8Array).toString();
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    seen.push(...events);
    if (events.some(wanted)) return seen;
  }
  throw new Error(`the watch ended: ${seen.join('\n')}`);
}

describe.skipIf(withoutPostgres('fleet'))('servers and workers on one PostgreSQL', () => {
  let postgres: PostgresServer;
  const running: { end: (signal?: NodeJS.Signals) => Promise<unknown> }[] = [];
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((process) => process.end('SIGKILL')));
  });
  afterAll(() => postgres?.remove());

  const server = async (databaseUrl: string, ...args: string[]): Promise<ServerProcess> => {
    const started = await startServerProcess({ databaseUrl, args: [...QUICK, ...args], env: { SVC_API_TOKEN: ADMIN } });
    running.push(started);
    return started;
  };
  const worker = async (databaseUrl: string, ...args: string[]): Promise<WorkerProcess> => {
    const started = await startWorkerProcess({ databaseUrl, args: [...QUICK, ...args] });
    running.push(started);
    return started;
  };

  test('a task created on one server runs on a worker and is watched on the other server; tokens are valid on both at once', async () => {
    const url = await postgres.createDatabase();
    const [a, b] = await Promise.all([server(url), server(url)]);
    const [w1, w2] = await Promise.all([worker(url, '--worker-id', 'w1'), worker(url, '--worker-id', 'w2')]);
    expect([w1.workerId, w2.workerId]).toEqual(['w1', 'w2']);
    const [apiA, apiB] = [apiOf(a), apiOf(b)];
    expect((await apiB.send('GET', '/v1/workers')).map((each: any) => [each.metadata.name, each.status.phase])).toEqual([
      ['w1', 'Ready'],
      ['w2', 'Ready'],
    ]);
    await putSystem(apiA, 'quick', '1ms');
    const watching = watchUntil(b, '/v1/tasks/watch', (event) => event.includes('"phase":"Succeeded"'));
    await apiA.put('tasks', 'made-on-a', { system: 'quick' });
    expect((await watching).join()).toContain('made-on-a');
    const task = await read(apiB, 'tasks', 'made-on-a');
    expect(task.status).toMatchObject({ phase: 'Succeeded', attempts: 1, output: { last_output: 'said by quick' } });
    expect(['w1', 'w2']).toContain(task.status.assignedWorker);

    const { token } = await apiA.send('POST', '/v1/tokens', { body: { name: 'ci', role: 'reader' }, status: 201 });
    await apiB.send('GET', '/v1/tasks', { token });
    await apiA.send('DELETE', '/v1/tokens/ci');
    await apiB.send('GET', '/v1/tasks', { token, status: 401 });
    expect(await Promise.all([a.end(), b.end(), w1.end(), w2.end()])).toEqual([0, 0, 0, 0]);
  });

  test('a stopped worker drains, releases its runs, and becomes NotReady', async () => {
    const url = await postgres.createDatabase();
    const a = await server(url);
    const api = apiOf(a);
    const pair = await Promise.all(['left', 'right'].map((id) => worker(url, '--worker-id', id, '--addr', '127.0.0.1:0')));
    await putSystem(api, 'slow', '3s');
    await api.put('tasks', 'moved', { system: 'slow' });
    await expect.poll(phaseOf(api, 'tasks', 'moved')).toBe('Running');
    const holder = (await read(api, 'tasks', 'moved')).status.assignedWorker as string;
    const [first, second] = pair[0]?.workerId === holder ? pair : [...pair].reverse();
    expect(await first?.end()).toBe(0);
    await expect.poll(phaseOf(api, 'tasks', 'moved')).toBe('Succeeded');
    expect((await read(api, 'tasks', 'moved')).status).toMatchObject({ attempts: 1, assignedWorker: second?.workerId });
    expect((await read(api, 'workers', holder)).status).toMatchObject({ phase: 'NotReady', lastError: 'stopped', currentTasks: 0 });
    const { items } = await api.send('GET', `/v1/events?kind=Worker&name=${holder}&limit=1000`);
    expect(typesOf(items).filter((type) => type.startsWith('worker.'))).toEqual(['worker.ready', 'worker.draining', 'worker.stopped']);
    expect((await fetch(`${second?.url}/readyz`)).status).toBe(200);
    expect(await (await fetch(`${second?.url}/metrics`)).text()).toContain('svc_');
    expect((await fetch(`${second?.url}/v1/tasks`)).status).toBe(404);
    expect(await second?.end()).toBe(0);
  });

  test('a running worker applies an edit of its capacity, and recreates its object after a deletion', async () => {
    const url = await postgres.createDatabase();
    const api = apiOf(await server(url));
    await worker(url, '--worker-id', 'edited', '--max-concurrent-tasks', '1');
    await putSystem(api, 'slow', '30s');
    for (const name of ['x', 'y', 'z']) await api.put('tasks', name, { system: 'slow' });
    const held = async () => (await read(api, 'workers', 'edited')).status.currentTasks as number;
    await expect.poll(held).toBe(1);
    await api.send('PATCH', '/v1/workers/edited', { body: { spec: { max_concurrent_tasks: 2 } } });
    await expect.poll(held).toBe(2);
    const phases = (await api.send('GET', '/v1/tasks')).map((task: any) => task.status.phase);
    expect(phases.sort()).toEqual(['Pending', 'Running', 'Running']);
    await api.send('DELETE', '/v1/workers/edited');
    await expect.poll(async () => (await api.send('GET', '/v1/workers')).map((each: any) => each.status.phase)).toEqual(['Ready']);
  });

  test('a stdio McpServer is synced by the server with --mcp-stdio while another one leads, and again after its restart', async () => {
    const url = await postgres.createDatabase();
    const leader = await server(url, '--mcp-stdio', 'false');
    const api = apiOf(leader);
    await api.put('mcp-servers', 'notes', { ...program('stdio-2026'), reconnect: { max_attempts: 1 } });
    await expect.poll(phaseOf(api, 'mcp-servers', 'notes')).toBe('Error');
    expect((await read(api, 'mcp-servers', 'notes')).status.lastError).toContain('--mcp-stdio');
    const starting = await server(url, '--mcp-stdio', 'true');
    await expect.poll(phaseOf(api, 'mcp-servers', 'notes')).toBe('Ready');
    const { status } = await read(api, 'mcp-servers', 'notes');
    expect(status).toMatchObject({ generatedTools: ['notes--add', 'notes--delete-all', 'notes--environment'] });
    expect(status.lastError).toBeUndefined();
    await starting.end('SIGKILL');
    await server(url, '--mcp-stdio', 'true');
    await api.put('mcp-servers', 'older', program('stdio-2025'));
    await expect.poll(phaseOf(api, 'mcp-servers', 'older')).toBe('Ready');
    await api.send('DELETE', '/v1/mcp-servers/notes');
    await expect
      .poll(async () => (await api.send('GET', '/v1/tools')).every((tool: any) => tool.spec.mcp_server_ref === 'older'))
      .toBe(true);
    expect(await leader.end()).toBe(0);
  });

  test('a run with a tool of a stdio McpServer moves to a worker with --mcp-stdio, and stays where it is without one', async () => {
    const url = await postgres.createDatabase();
    const api = apiOf(await server(url, '--mcp-stdio', 'true'));
    const [able] = await Promise.all([worker(url, '--worker-id', 'able', '--mcp-stdio'), worker(url, '--worker-id', 'plain')]);
    await api.put('mcp-servers', 'notes', program('stdio-2026'));
    await expect.poll(phaseOf(api, 'mcp-servers', 'notes')).toBe('Ready');
    const script = [{ tool: 'notes--add', input: { a: 2, b: 3 } }, { text: '{{result}}' }];
    await api.put('model-endpoints', 'adds', { provider: 'mock', options: { script: JSON.stringify(script) } });
    await api.put('agents', 'adds', { model_ref: 'adds', prompt: 'Add.', tools: ['notes--add'] });
    await api.put('agent-systems', 'adds', { agents: ['adds'] });
    const tasks = ['one', 'two', 'three', 'four'];
    for (const task of tasks) await api.put('tasks', task, { system: 'adds' });
    for (const task of tasks) {
      await expect.poll(phaseOf(api, 'tasks', task)).toBe('Succeeded');
      const { status } = await read(api, 'tasks', task);
      expect(status).toMatchObject({ assignedWorker: 'able', output: { last_output: '{"sum":5}' } });
    }
    expect(await able.end()).toBe(0);
    await api.put('tasks', 'alone', { system: 'adds' });
    await expect.poll(phaseOf(api, 'tasks', 'alone')).toBe('Succeeded');
    const { status } = await read(api, 'tasks', 'alone');
    expect(status).toMatchObject({ assignedWorker: 'plain', output: { last_output: expect.stringContaining('--mcp-stdio') } });
  });

  test('a second worker of the same id is refused while the first lives, and replaces it at once after a clean stop', async () => {
    const url = await postgres.createDatabase();
    const first = await worker(url, '--worker-id', 'same');
    const refused = await runSvcd(['worker', '--database-url', url, '--worker-id', 'same', ...QUICK]);
    expect(refused).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^svcd: the worker id "same" is in use by another running process .*--worker-id\n$/),
    });
    expect(await first.end()).toBe(0);
    expect((await worker(url, '--worker-id', 'same')).workerId).toBe('same');
  });

  test('servers report an unavailable database and workers wait; all continue once it returns', async () => {
    const url = await postgres.createDatabase();
    const a = await server(url);
    const api = apiOf(a);
    const w = await worker(url, '--worker-id', 'patient', '--addr', '127.0.0.1:0');
    await putSystem(api, 'quick', '1ms');
    await postgres.stop('immediate');
    const readiness = async (base: string | undefined) => {
      const response = await fetch(`${base}/readyz`);
      return { status: response.status, failed: (await response.json()).checks?.filter((check: any) => !check.ok)[0]?.name };
    };
    await expect.poll(() => readiness(a.url)).toEqual({ status: 503, failed: 'store' });
    await expect.poll(() => readiness(w.url)).toEqual({ status: 503, failed: 'store' });
    await api.send('GET', '/v1/tasks', { status: 503 });
    await postgres.start();
    await expect.poll(() => readiness(a.url)).toMatchObject({ status: 200 });
    await expect.poll(() => readiness(w.url)).toMatchObject({ status: 200 });
    await api.put('tasks', 'after', { system: 'quick' });
    await expect.poll(phaseOf(api, 'tasks', 'after')).toBe('Succeeded');
    await expect.poll(phaseOf(api, 'workers', 'patient')).toBe('Ready');
    expect(await Promise.all([a.end(), w.end()])).toEqual([0, 0]);
  });

  test('a worker stopped while the database is unavailable exits within its grace period', async () => {
    const url = await postgres.createDatabase();
    const w = await worker(url, '--worker-id', 'alone');
    await postgres.stop('immediate');
    expect(await w.end()).toBe(0);
    await postgres.start();
  });

  test('a worker with a different encryption key reports it and takes no task that needs Secrets; a server refuses to start', async () => {
    const url = await postgres.createDatabase();
    const api = apiOf(await server(url, '--secret-encryption-key', KEY));
    await api.put('secrets', 'token', { stringData: { value: 'hidden' } });
    const strange = await worker(url, '--worker-id', 'strange', '--secret-encryption-key', OTHER_KEY);
    const { status } = await read(api, 'workers', 'strange');
    expect(status).toMatchObject({ phase: 'Ready', lastError: expect.stringContaining('Secrets in this database are encrypted with key') });
    await expect.poll(() => strange.log.filter(({ level }) => level === 50).length).toBe(1);
    expect(JSON.stringify([status, strange.log])).not.toMatch(new RegExp(`${KEY}|${OTHER_KEY}`));
    await putSystem(api, 'open', '1ms');
    await api.put('tasks', 'needs-nothing', { system: 'open' });
    await expect.poll(phaseOf(api, 'tasks', 'needs-nothing')).toBe('Succeeded');
    await api.put('tools', 'sealed', { type: 'http', endpoint: 'http://127.0.0.1:1/', auth: { secretRef: 'token' } });
    await api.put('agents', 'keeper', { model_ref: 'open', prompt: 'Answer.', tools: ['sealed'] });
    await api.put('agent-systems', 'sealed', { agents: ['keeper'] });
    await api.put('tasks', 'needs-a-secret', { system: 'sealed' });
    const reasons = async () => JSON.stringify((await api.send('GET', '/v1/tasks/needs-a-secret/explain')).reasons);
    await expect.poll(reasons).toContain('encryption key');
    await worker(url, '--worker-id', 'trusted', '--secret-encryption-key', KEY);
    await expect.poll(phaseOf(api, 'tasks', 'needs-a-secret')).toBe('Succeeded');
    expect((await read(api, 'tasks', 'needs-a-secret')).status).toMatchObject({ assignedWorker: 'trusted', attempts: 1 });
    for (const args of [['--secret-encryption-key', OTHER_KEY], []]) {
      const refused = await runSvcd(['--addr', '127.0.0.1:0', '--database-url', url, ...args]);
      expect(refused).toEqual({
        code: 78,
        stderr: expect.stringMatching(/^svcd: Secrets in this database are encrypted with key \w{16}, but this .*\n$/),
      });
    }
  });

  test('a server starts with a new key after the key was lost, and Secrets can be written again', async () => {
    const url = await postgres.createDatabase();
    const before = await server(url, '--secret-encryption-key', KEY);
    await apiOf(before).put('secrets', 'token', { stringData: { value: 'hidden' } });
    expect(await before.end()).toBe(0);
    const after = await server(url, '--secret-encryption-key', OTHER_KEY, '--allow-other-secret-key');
    const api = apiOf(after);
    await api.send('DELETE', '/v1/secrets/token');
    await api.put('secrets', 'token', { stringData: { value: 'hidden' } });
    expect(await after.end()).toBe(0);
    await server(url, '--secret-encryption-key', OTHER_KEY);
  });

  test.each([
    ['nobody listens', (_url: string) => 'postgres://svc:hunter2@127.0.0.1:1/x', 1],
    ['no such database', (url: string) => url.replace(/[^/]+$/, 'missing'), 1],
    ['a wrong password', (url: string) => url.replace(/:[^:@]+@/, ':hunter2@'), 1],
    ['another scheme', (_url: string) => 'mysql://svc:hunter2@127.0.0.1/x', 2],
  ])('start fails with one sentence for a database URL where: %s', async (_case, urlOf, code) => {
    const url = urlOf(await postgres.createDatabase());
    const address = ['--addr', '127.0.0.1:0'];
    for (const command of [address, ['worker']]) {
      const { code: ended, stderr } = await runSvcd([...command, '--database-url', url]);
      expect([ended, stderr.trim().split('\n').length]).toEqual([code, 1]);
      expect(stderr).not.toContain('hunter2');
      expect(stderr).toMatch(code === 2 ? /--database-url/ : /^svcd: .*PostgreSQL at 127\.0\.0\.1/);
    }
  });

  test('the first line of a worker is JSON that names it, whatever the log settings are, and holds no password', async () => {
    const url = await postgres.createDatabase();
    const w = await worker(url, '--log-format', 'json', '--log-level', 'error');
    expect(w.workerId).toMatch(/^[A-Za-z0-9._-]+-\d+$/);
    expect(w.log[0]).toMatchObject({ workerId: w.workerId, database: url.replace(/\/\/.*@/, '//'), version: expect.any(String) });
    expect(w.url).toBeUndefined();
  });
});
