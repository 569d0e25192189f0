// Tools that accept a call and answer later, in whole processes: the reply reaches the run on any worker, dead or alive.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../server/testing/free-port.ts';
import { startLoopbackServer, type Answer, type LoopbackServer } from '../../server/testing/loopback-server.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../server/testing/postgres-server.ts';
import { startServerProcess, startWorkerProcess, type ServerProcess, type WorkerProcess } from '../../server/testing/server-process.ts';

const QUICK = [
  '--task-lease-duration',
  '2s',
  '--task-heartbeat-interval',
  '200ms',
  '--shutdown-grace',
  '8s',
  '--allow-private-tool-endpoints',
];
/** Accepts calls without approval. */
const acceptsOnly: Answer = (response, { method }) => void response.writeHead(method === 'POST' ? 202 : 405).end();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(...answers: Answer[]): Promise<LoopbackServer> {
  const tool = await startLoopbackServer(...answers);
  cleanups.push(() => tool.close());
  return tool;
}

async function api(server: ServerProcess, method: string, path: string, body?: unknown): Promise<any> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  expect([response.status, method, path]).toEqual([method === 'POST' ? 201 : 200, method, path]);
  return response.json();
}

const put = (server: ServerProcess, plural: string, name: string, spec: unknown) =>
  api(server, 'POST', `/v1/${plural}`, { metadata: { name }, spec });
const task = (server: ServerProcess) => api(server, 'GET', '/v1/tasks/order');
const phase = async (server: ServerProcess) => (await task(server)).status.phase as string;

/** A Task whose agent calls the tool once and then repeats its result. */
async function start(server: ServerProcess, tool: LoopbackServer): Promise<void> {
  const script = '- tools: [{ tool: shop, input: { n: 1 } }]\n- text: "told: {{ last_tool_output }}"\n';
  const runtime = { timeout: '60s' };
  await put(server, 'tools', 'shop', { type: 'webhook-callback', endpoint: `${tool.url}/orders`, runtime });
  await put(server, 'model-endpoints', 'mock', { provider: 'mock', options: { script } });
  await put(server, 'agents', 'buyer', { model_ref: 'mock', prompt: 'Buy.', tools: ['shop'] });
  await put(server, 'agent-systems', 'shopping', { agents: ['buyer'] });
  await put(server, 'tasks', 'order', { system: 'shopping' });
}

/** Replies as the tool does; resolves with the status. */
async function callBack(tool: LoopbackServer, body: unknown, request = 0): Promise<number> {
  const { callback } = JSON.parse(tool.seen[request]?.body ?? '{}') as { callback: { url: string; token: string } };
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${callback.token}` };
  return (await fetch(callback.url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

const posts = (tool: LoopbackServer) => tool.seen.filter(({ method }) => method === 'POST');
const ok = { status: 'ok', output: { result: { order: 17 } } };

const traced = async (server: ServerProcess) =>
  (await task(server)).status.trace.filter(({ type }: any) => type === 'tool_call' || type === 'tool_error');

describe('one server with its worker', () => {
  test('the reply ends the call within a moment, and a second one is refused', async () => {
    const server = await startServerProcess({ args: QUICK });
    cleanups.push(() => server.dispose());
    const tool = await serve(acceptsOnly);
    await start(server, tool);
    await expect.poll(() => posts(tool).length).toBe(1);
    expect(await phase(server)).toBe('Running');
    const began = performance.now();
    expect(await callBack(tool, ok)).toBe(202);
    await expect.poll(() => phase(server), { interval: 10 }).toBe('Succeeded');
    expect(performance.now() - began).toBeLessThan(2_000);
    expect(await callBack(tool, ok)).toBe(409);
    expect(await traced(server)).toMatchObject([{ tool: 'shop', output: '{"order":17}' }]);
    expect(posts(tool)).toHaveLength(1);
  });

  test('a denying reply is recorded as a denial', async () => {
    const server = await startServerProcess({ args: QUICK });
    cleanups.push(() => server.dispose());
    const tool = await serve(acceptsOnly);
    await start(server, tool);
    await expect.poll(() => posts(tool).length).toBe(1);
    expect(await callBack(tool, { status: 'denied', error: { code: 'quota', message: 'not today' } })).toBe(202);
    await expect.poll(() => phase(server)).toBe('Failed');
    const { trace } = (await task(server)).status;
    expect(trace.find(({ error_code }: any) => error_code === 'permission_denied')).toMatchObject({
      tool: 'shop',
      error_reason: 'quota',
      message: expect.stringContaining('Tool "default/shop" refused the call: not today'),
    });
  });

  test('a server that is killed and restarted accepts the reply, and the run continues', async () => {
    const args = [...QUICK, '--addr', `127.0.0.1:${await freePort()}`];
    const first = await startServerProcess({ args });
    const tool = await serve(acceptsOnly);
    await start(first, tool);
    await expect.poll(() => posts(tool).length).toBe(1);
    await first.end('SIGKILL');
    const second = await startServerProcess({ args, dataDir: first.dataDir });
    cleanups.push(() => second.dispose());
    expect(await callBack(tool, ok)).toBe(202);
    await expect.poll(() => phase(second)).toBe('Succeeded');
    expect(await traced(second)).toMatchObject([{ tool: 'shop', output: '{"order":17}' }]);
  });
});

describe.skipIf(withoutPostgres('replies to tool calls across processes'))('servers and workers on one PostgreSQL', () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.remove());

  async function server(databaseUrl: string): Promise<ServerProcess> {
    const started = await startServerProcess({ databaseUrl, args: QUICK });
    cleanups.push(() => started.end('SIGKILL'));
    return started;
  }
  async function worker(databaseUrl: string, ...args: string[]): Promise<WorkerProcess> {
    const started = await startWorkerProcess({ databaseUrl, args: [...QUICK, ...args] });
    cleanups.push(() => started.end('SIGKILL'));
    return started;
  }

  test('a reply that arrives without a live worker is processed by the next one; the tool is called once', async () => {
    const url = await postgres.createDatabase();
    const [a, b] = await Promise.all([server(url), server(url)]);
    const dying = await worker(url, '--public-url', b.url);
    const tool = await serve(acceptsOnly);
    await start(a, tool);
    await expect.poll(() => posts(tool).length).toBe(1);
    await dying.end('SIGKILL');
    expect(await callBack(tool, ok)).toBe(202);
    await worker(url, '--public-url', b.url);
    await expect.poll(() => phase(a)).toBe('Succeeded');
    expect(await traced(a)).toMatchObject([{ tool: 'shop', output: '{"order":17}' }]);
    expect(posts(tool)).toHaveLength(1);
  });

  test('a worker without a public URL offers no callback, and requires approval', async () => {
    const url = await postgres.createDatabase();
    const a = await server(url);
    await worker(url);
    let done = false;
    const acceptCall: Answer = (response, { method }) => {
      const body = method === 'GET' && done ? JSON.stringify(ok) : '';
      response.writeHead(body === '' ? 202 : 200, { 'content-type': 'application/json' }).end(body);
    };
    const tool = await serve(acceptCall);
    await start(a, tool);
    await expect.poll(() => tool.seen.length).toBeGreaterThan(2);
    done = true;
    await expect.poll(() => phase(a)).toBe('Succeeded');
    expect(JSON.parse(posts(tool)[0]?.body ?? '{}')).not.toHaveProperty('callback');
    expect(posts(tool)).toHaveLength(1);
  });
});
