// A backend that takes requests and never answers: what waits for it holds up nobody else.
import { connect, createServer, type AddressInfo } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { atFileEnd } from '../testing/file-end.ts';
import { startTestServer } from '../testing/running-server.ts';

/** More than the server works on at a time, and the answers of one backend that it waits for. */
const READERS = 40;
const WAITED_FOR = 8;
const TABS = 8;
const SOON_MS = 3_000;

let url = '';
let waiting = 0;
const gone = new AbortController();

beforeAll(async () => {
  const hung = createServer((socket) => {
    socket.on('error', () => undefined).on('data', () => (waiting += 1));
    gone.signal.addEventListener('abort', () => socket.destroy());
  });
  await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve));
  const server = await startTestServer(['--embedded-worker', 'false', '--allow-private-tool-endpoints']);
  atFileEnd(async () => {
    gone.abort();
    hung.close();
    await server.stop();
  });
  ({ url } = server);
  const spec = { provider: 'http', endpoint: `http://127.0.0.1:${(hung.address() as AddressInfo).port}` };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ metadata: { name: 'hung' }, spec });
  const created = await fetch(`${url}/v1/memories`, { method: 'POST', headers, body });
  expect(created.status).toBe(201);
});

const soon = async (path: string) => (await fetch(`${url}${path}`, { signal: AbortSignal.timeout(SOON_MS) })).status;
const entries = (path: string) => fetch(`${url}${path}`, { signal: gone.signal }).catch(() => undefined);

it('holds up no reader of the API', async () => {
  const before = waiting;
  for (let i = 0; i < READERS; i += 1) void entries('/v1/memories/hung/entries');
  await expect.poll(() => waiting - before).toBeGreaterThanOrEqual(WAITED_FOR);
  for (const path of ['/v1/memories/hung', '/v1/namespaces', '/metrics']) expect(await soon(path)).toBe(200);
});

it('delays no other caller by large unread answers', async () => {
  const headers = { 'content-type': 'application/json' };
  const send = (method: string, path: string, body: object) => fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  expect((await send('POST', '/v1/memories', { metadata: { name: 'large' }, spec: { provider: 'in-memory' } })).status).toBe(201);
  for (let i = 0; i < 32; i += 1) await send('PUT', `/v1/memories/large/entries/k${i}`, { value: 'x'.repeat(250 * 1024) });
  const sockets = Array.from({ length: 100 }, () => connect(Number(new URL(url).port), '127.0.0.1'));
  for (const socket of sockets)
    socket
      .on('error', () => undefined)
      .once('data', () => socket.pause())
      .write('GET /v1/memories/large/entries?limit=1000 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  try {
    await expect.poll(() => sockets.filter(({ bytesRead }) => bytesRead > 0).length).toBeGreaterThan(5);
    for (let i = 0; i < 5; i += 1) expect(await soon('/v1/tasks?limit=1')).toBe(200);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

it('holds up no call of the console, also beside one in the same batch', async () => {
  const before = waiting;
  const input = encodeURIComponent(JSON.stringify({ 0: { namespace: 'default', name: 'hung' } }));
  for (let i = 0; i < TABS; i += 1) void entries(`/trpc/memories.entries,server.hello?batch=1&input=${input}`);
  await expect.poll(() => waiting - before).toBeGreaterThanOrEqual(TABS);
  expect(await soon('/trpc/server.namespaces')).toBe(200);
});
