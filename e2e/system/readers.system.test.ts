// A real server whose clients request large answers and read nothing: its memory stays bounded, and others are served.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { memoryMb, muteRequests, muteSockets, peakMemoryMb, resetPeakMemory, type MuteClients } from '../../server/testing/mute-clients.ts';
import { startServerProcess, type ServerProcess } from '../../server/testing/server-process.ts';

/** Forty agents of 1 MB: one list of them fills a page ten times over. */
const AGENTS = 40;
const PROMPT = 'x'.repeat(1_000_000);
/** Heap of the server: what it keeps has to fit. Without a limit, garbage that a busy machine collects late counts too. */
const HEAP_MAX_MB = 512;
/** Room for the whole heap, for unsent bytes outside of it and for the programs; far below the growth in one of these attacks before. */
const PEAK_MAX_MB = 800;

let server: ServerProcess;
const mute: MuteClients[] = [];

beforeAll(async () => {
  server = await startServerProcess({
    args: ['--embedded-worker=false', '--log-level', 'error'],
    env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MAX_MB}` },
  });
  for (let n = 0; n < AGENTS; n += 1) await putAgent(`fat-${n}`, PROMPT);
  for (let n = 0; n < 50; n += 1) await putRole(`role-${n}`);
}, 120_000);

beforeEach(() => resetPeakMemory(server.pid));

afterEach(() => {
  for (const clients of mute.splice(0)) clients.close();
});

afterAll(() => server?.dispose());

async function put(kind: string, path: string, { name, spec }: { name: string; spec: unknown }): Promise<void> {
  const send = () =>
    fetch(`${server.url}/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind, metadata: { name }, spec }),
    });
  const response = await send();
  // The server ends a connection without a request after 20 s with 408. A request that it crosses is sent again on another connection.
  const { status } = response.status === 408 ? await send() : response;
  expect([200, 201]).toContain(status);
}

const putAgent = (name: string, prompt: string) => put('Agent', 'agents', { name, spec: { model_ref: 'mock', prompt } });
const putRole = (name: string) => put('AgentRole', 'agent-roles', { name, spec: {} });

const list = (id: number) => ({ id, method: 'query', params: { path: 'resources.list', input: { kind: 'Agent', limit: 1000 } } });

/** Other clients read and write while the mute clients hold their requests. */
async function othersAreServed(rounds = 20): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    await putRole('from-another');
    const page = (await (await fetch(`${server.url}/v1/agent-roles?limit=10`)).json()) as { items: unknown[] };
    expect(page.items).toHaveLength(10);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function opened(): Promise<{ socket: WebSocket; answers: any[] }> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`, { headers: { origin: server.url } });
  mute.push({ open: () => 1, close: () => socket.terminate() });
  const answers: any[] = [];
  socket.on('message', (data: Buffer) => {
    if (data.toString().startsWith('{')) answers.push(JSON.parse(data.toString()));
  });
  await once(socket, 'open');
  return { socket, answers };
}

test('a WebSocket frame with an array of calls is refused', async () => {
  const { socket, answers } = await opened();
  socket.send(JSON.stringify(Array.from({ length: 110 }, (_, id) => list(id))));
  await expect.poll(() => answers.length).toBe(1);
  expect(answers[0]).toMatchObject({ id: null, error: { data: { error: { code: 'invalid' } } } });
});

test.each<[string, () => Promise<MuteClients>]>([
  [
    '110 unread lists over one WebSocket',
    () =>
      muteSockets(
        server.url,
        Array.from({ length: 110 }, (_, id) => list(id)),
        1,
      ),
  ],
  [
    '10 WebSockets with 30 unread lists each',
    () =>
      muteSockets(
        server.url,
        Array.from({ length: 30 }, (_, id) => list(id)),
        10,
      ),
  ],
  ['25 unread lists over REST', () => muteRequests(server.url, '/v1/agents', { clients: 25 })],
  ['150 unread pages over REST', () => muteRequests(server.url, '/v1/agents?limit=1000', { clients: 150 })],
  [
    '100 requests for a page sent ahead on each of 5 connections',
    () => muteRequests(server.url, '/v1/agents?limit=1000', { clients: 5, perClient: 100 }),
  ],
  ['200 unread objects over REST', () => muteRequests(server.url, '/v1/agents/fat-1', { clients: 200 })],
  ['15 unread batches of lists', () => muteRequests(server.url, batchPath(), { clients: 15 })],
  ['40 unread watch snapshots', () => muteRequests(server.url, '/v1/agents/watch', { clients: 40 })],
  ['40 unread watches that catch up with the log', () => muteRequests(server.url, '/v1/agents/watch?since=0', { clients: 40 })],
])('%s leave memory bounded and other clients served', { timeout: 300_000 }, async (_title, attack) => {
  mute.push(await attack());
  await othersAreServed();
  expect(peakMemoryMb(server.pid)).toBeLessThan(PEAK_MAX_MB);
});

/** Sixteen lists in one request. */
function batchPath(): string {
  const calls = Array.from({ length: 16 }, (_, n) => [n, { kind: 'Agent', limit: 1000 }]);
  const input = encodeURIComponent(JSON.stringify(Object.fromEntries(calls)));
  return `/trpc/${Array.from({ length: 16 }, () => 'resources.list').join(',')}?batch=1&input=${input}`;
}

test('50 sockets with unread subscriptions leave memory bounded while large objects change', { timeout: 300_000 }, async () => {
  const follow = [1, 2].map((id) => ({ id, method: 'subscription', params: { path: 'live.changes', input: {} } }));
  mute.push(await muteSockets(server.url, follow, 50));
  await othersAreServed(2);
  for (let n = 0; n < 30; n += 1) await putAgent('fat-1', `${n}${PROMPT}`);
  await othersAreServed();
  expect(peakMemoryMb(server.pid)).toBeLessThan(PEAK_MAX_MB);
});

test('2,000 small queries over one socket are all answered, and other clients in between', { timeout: 60_000 }, async () => {
  const { socket, answers } = await opened();
  for (let id = 1; id <= 2_000; id += 1)
    socket.send(JSON.stringify({ id, method: 'query', params: { path: 'resources.list', input: { kind: 'AgentRole', limit: 50 } } }));
  await othersAreServed(5);
  await expect.poll(() => answers.length, { timeout: 50_000 }).toBe(2_000);
  const refused = answers.filter(({ error }) => error !== undefined);
  expect(new Set(refused.map(({ error }) => error.data.error.code))).toEqual(new Set(['rate_limited']));
  expect(answers.length - refused.length).toBeGreaterThanOrEqual(32);
});

test('/healthz answers while 150 lists of 1 MB are being read', { timeout: 300_000 }, async () => {
  for (let n = 0; n < 50; n += 1)
    await put('Tool', 'tools', {
      name: `tool-${n}`,
      spec: { type: 'http', endpoint: 'https://t.example', description: 'd'.repeat(20_000) },
    });
  let reading = 150;
  const lists = Array.from({ length: 150 }, async () => {
    const items = (await (await fetch(`${server.url}/v1/tools?limit=1000`)).json()) as { items: unknown[] };
    reading -= 1;
    return items.items.length;
  });
  let overtaken = 0;
  while (reading > 0) {
    const before = reading;
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    overtaken = Math.max(overtaken, before - reading);
  }
  expect(new Set(await Promise.all(lists))).toEqual(new Set([50]));
  // Counts lists, not time: a slow machine is slow for both.
  expect(overtaken).toBeLessThan(100);
});

const SESSION_READERS = 10;
const MESSAGE = 'x'.repeat(200_000);

async function post(path: string, body: object, key?: string): Promise<void> {
  const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(response.status, await response.text()).toBeLessThan(300);
}

/** A reader of a Session's stream over a raw socket, which takes nothing until it is resumed. */
async function pausedReader(session: string): Promise<{ resume: () => void; ids: () => number[]; closed: () => boolean }> {
  const { hostname, port, host } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  mute.push({ open: () => 1, close: () => socket.destroy() });
  const ids: number[] = [];
  let rest = '';
  let closed = false;
  await once(socket, 'connect');
  socket.pause();
  socket.on('close', () => (closed = true));
  socket.on('data', (chunk) => {
    const lines = `${rest}${chunk.toString('latin1')}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('id: ')) ids.push(Number(line.slice(4)));
    closed ||= lines.includes('event: close');
    socket.pause();
    setTimeout(() => socket.resume(), 1);
  });
  socket.write(`GET /v1/sessions/${session}/stream HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  return { resume: () => void socket.resume(), ids: () => ids, closed: () => closed };
}

test('slow readers of a Session get every event over one connection, and memory stays bounded', { timeout: 300_000 }, async () => {
  await post('/v1/agent-systems', { metadata: { name: 'chat' }, spec: { agents: ['nobody'] } });
  await post('/v1/sessions', { metadata: { name: 'long' }, spec: { system: 'chat' } });
  await post('/v1/sessions/long/pause', {});
  const say = (n: number) => post('/v1/sessions/long/turns', { content: MESSAGE }, `k${n}`);
  for (let n = 0; n < 160; n += 1) await say(n);
  const before = memoryMb(server.pid);
  resetPeakMemory(server.pid);
  const readers = await Promise.all(Array.from({ length: SESSION_READERS }, () => pausedReader('long')));
  // Longer than a reader of a watch may stay behind.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  for (let n = 160; n < 180; n += 1) await say(n);
  for (const reader of readers) reader.resume();
  const { status } = (await (await fetch(`${server.url}/v1/sessions/long`)).json()) as { status: { lastEventSequence: number } };
  const last = status.lastEventSequence;
  await expect.poll(() => readers.map(({ ids }) => ids().at(-1)), { timeout: 60_000 }).toEqual(readers.map(() => last));
  const all = Array.from({ length: last }, (_, i) => i + 1);
  for (const reader of readers) expect(reader.ids()).toEqual(all);
  expect(readers.filter(({ closed }) => closed())).toEqual([]);
  // The events that the readers have not taken are 360 MB.
  expect(peakMemoryMb(server.pid) - before).toBeLessThan(250);
});
