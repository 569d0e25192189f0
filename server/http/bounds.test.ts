// Bounds of connections and callers: requests that arrive late or twice addressed, readers that take nothing, callers that ask too often or no longer may.
import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import type { SessionEvent } from '@svc/shared/api/sessions';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../testing/http-fixture.ts';
import { kernelHolds, SHOWS_CONNECTIONS } from '../testing/kernel-connections.ts';

async function setup(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const server = await startHttpFixture(options);
  onTestFinished(() => server.close());
  return server;
}

/** A raw connection with the bytes received so far. */
async function dial(server: HttpFixture): Promise<{ socket: Socket; received: () => string; ended: Promise<unknown> }> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', () => undefined);
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, received: () => text, ended };
}

/** The whole answer to bytes after which the server ends the connection. */
async function answerTo(server: HttpFixture, bytes: string): Promise<string> {
  const { socket, received, ended } = await dial(server);
  socket.write(bytes);
  await ended;
  return received();
}

async function socketTo(server: HttpFixture, headers: Record<string, string>): Promise<WebSocket> {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`, { headers: { origin: server.url, ...headers } });
  onTestFinished(() => void socket.terminate());
  await once(socket, 'open');
  return socket;
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test.each([
  ['a request', 'GET /v1/agents HTTP/1.1', []],
  ['a public request', 'GET /healthz HTTP/1.1', []],
  ['a call of the console', 'GET /trpc/server.hello HTTP/1.1', []],
  [
    'a WebSocket',
    'GET /trpc HTTP/1.1',
    ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='],
  ],
])('%s with two Host headers is refused with 400', async (_title, line, headers) => {
  const server = await setup();
  const { host } = new URL(server.url);
  for (const second of [`Host: ${host}`, 'host: evil.example', 'HOST:']) {
    const { socket, received } = await dial(server);
    socket.write(`${[line, `Host: ${host}`, second, ...headers].join('\r\n')}\r\n\r\n`);
    await expect.poll(received).toMatch(/^HTTP\/1.1 400 .*more than one Host header/s);
  }
});

test.each([
  ['http://evil.example', 'localhost', 403],
  ['https://localhost@evil.example', 'localhost', 403],
  ['http://', 'localhost', 403],
  ['http://localhost', 'evil.example', 200],
  ['', 'localhost', 200],
])('a request with the target "%s" and Host %s is answered %i', async (authority, host, status) => {
  const answer = await answerTo(await setup(), `GET ${authority}/v1/agents HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(answer).toContain(`HTTP/1.1 ${status} `);
});

test('a body that does not arrive in time is refused with 408 on every route', async () => {
  const server = await setup({ limits: { bodyTimeoutMs: 50 } });
  const head = `Host: ${new URL(server.url).host}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{`;
  for (const path of ['/v1/agents', '/v1/apply', '/v1/auth/login', '/v1/authorize/check']) {
    const answer = await answerTo(server, `POST ${path} HTTP/1.1\r\n${head}`);
    expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n.*connection: close\r\n/is);
    expect(answer).toContain('{"error":{"code":"timeout","message":"The body did not arrive within 0.05 s"}}');
  }
});

test('a client that takes nothing of its answer is cut off, and one that reads slowly is not', async () => {
  const server = await setup({ limits: { stalledMs: 1_000, stalledFullMs: 1_000 } });
  for (let n = 0; n < 30; n += 1)
    await server.send('POST', '/v1/agents', {
      body: { kind: 'Agent', metadata: { name: `r-${n}` }, spec: { model_ref: 'm', prompt: 'x'.repeat(1_000_000) } },
    });
  const mute = await dial(server);
  const ports = { own: Number(new URL(server.url).port), other: mute.socket.localPort };
  expect(kernelHolds(ports)).toBe(SHOWS_CONNECTIONS);
  mute.socket.write(`GET /v1/agents HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`);
  mute.socket.pause();
  const { socket, received } = await dial(server);
  socket.write(`GET /v1/agents HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nConnection: close\r\n\r\n`);
  // A pause of a tenth of the time after each piece.
  socket.on('data', () => {
    socket.pause();
    setTimeout(() => socket.resume(), 20);
  });
  await expect.poll(() => received().length, { timeout: 30_000 }).toBeGreaterThan(30_000_000);
  await expect.poll(() => kernelHolds(ports)).toBe(false);
  mute.socket.resume();
  await mute.ended;
  expect(mute.received().length).toBeLessThan(30_000_000);
}, 60_000);

test('connections above the maximum are dropped, and accepted again when one ends', async () => {
  const server = await setup({ maxConnections: 3 });
  const held = await Promise.all([dial(server), dial(server), dial(server)]);
  await (
    await dial(server)
  ).ended;
  held[0]?.socket.destroy();
  const request = `GET /healthz HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`;
  await expect
    .poll(async () => {
      const { socket, received } = await dial(server);
      socket.write(request);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return received().slice(0, 12);
    })
    .toBe('HTTP/1.1 200');
});

test.each([
  ['bytes that are no request', '\0\r\n\r\n', '400'],
  ['an upgrade without a token', 'GET /trpc HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', '401'],
])('the connection of %s is freed although the client keeps its half open', { timeout: 10_000 }, async (_title, bytes, status) => {
  const server = await setup({ apiKey: 'root', maxConnections: 1 });
  const port = Number(new URL(server.url).port);
  const held = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void held.destroy());
  held.write(bytes);
  const [answer] = (await once(held, 'data')) as [Buffer];
  expect(answer.toString()).toContain(`HTTP/1.1 ${status} `);
  held.on('data', () => undefined).on('error', () => undefined);
  const isServed = () =>
    server.send('GET', '/healthz').then(
      ({ status: code }) => code === 200,
      () => false,
    );
  await expect.poll(isServed, { timeout: 5_000 }).toBe(true);
  expect(held.writable).toBe(true);
});

test('one address is limited to its share of connections; trusted proxies and, by default, this machine are not', async () => {
  const dropped = async (options: HttpFixtureOptions) => {
    const server = await setup({ maxConnectionsPerIp: 2, ...options });
    await Promise.all([dial(server), dial(server)]);
    const { socket, received, ended } = await dial(server);
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nConnection: close\r\n\r\n`);
    await ended;
    return received() === '';
  };
  expect(await dropped({})).toBe(true);
  expect(await dropped({ trustedProxies: ['127.0.0.0/8'] })).toBe(false);
  expect(await dropped({ maxConnectionsPerIp: undefined, maxConnections: 4 })).toBe(false);
});

test('requests that are sent ahead are answered one after the other, and a client that sends hundreds is cut off', async () => {
  const server = await setup();
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\n\r\n`;
  const some = await dial(server);
  some.socket.write(`${get('/v1/agents')}${get('/healthz')}${get('/v1/nothing')}${get('/v1/auth/me')}`);
  await expect
    .poll(() => [...some.received().matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status))
    .toEqual(['200', '200', '404', '200']);
  const many = await dial(server);
  many.socket.write(get('/v1/agents').repeat(500));
  await many.ended;
});

const LIMITED = { apiTokens: 'root:admin-t:admin,r:reader-t:reader,s:second-t:reader', maxRequestsPerSecond: 1 };

test('a token that asks too often is refused with 429 and Retry-After, and others are not', async () => {
  const server = await setup(LIMITED);
  const get = (token: string) => server.send('GET', '/v1/agents', { headers: bearer(token) });
  expect([(await get('reader-t')).status, (await get('reader-t')).status]).toEqual([200, 200]);
  const refused = await get('reader-t');
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect((await get('second-t')).status).toBe(200);
  expect((await server.send('GET', '/healthz')).status).toBe(200);
});

test('calls of a batch and of a WebSocket count like requests', async () => {
  const server = await setup({ ...LIMITED, maxRequestsPerSecond: 2 });
  const hello = (calls: number) =>
    server.send('GET', `/trpc/${Array.from({ length: calls }, () => 'server.hello').join(',')}?batch=1&input=%7B%7D`, {
      headers: bearer('reader-t'),
    });
  expect((await hello(4)).status).toBe(200);
  expect((await hello(1)).body[0].error.data).toMatchObject({ httpStatus: 429, error: { code: 'rate_limited' } });
  const socket = await socketTo(server, bearer('second-t'));
  const codes: unknown[] = [];
  socket.on('message', (data: Buffer) => {
    const { result, error } = JSON.parse(data.toString()) as { result?: unknown; error?: { data: { error: { code: string } } } };
    codes.push(result ? 'answered' : error?.data.error.code);
  });
  for (let id = 1; id <= 20; id += 1) socket.send(JSON.stringify({ id, method: 'query', params: { path: 'server.hello' } }));
  await expect.poll(() => codes.length).toBe(20);
  expect(codes.filter((code) => code === 'answered').length).toBeLessThan(10);
  expect(new Set(codes)).toEqual(new Set(['answered', 'rate_limited']));
});

test('only clients of this machine have no request limit while authentication is off', async () => {
  const server = await setup({ maxRequestsPerSecond: 1, trustedProxies: ['127.0.0.1'] });
  const statuses = async (headers: Record<string, string>) => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => server.send('GET', '/v1/agents', { headers })));
    return answers.filter(({ status }) => status === 200).length;
  };
  expect(await statuses({})).toBe(10);
  expect(await statuses({ 'x-forwarded-for': '10.0.0.1' })).toBeLessThan(5);
});

test('no limit of requests holds where it is switched off', async () => {
  const server = await setup({ ...LIMITED, maxRequestsPerSecond: 0 });
  const answers = await Promise.all(Array.from({ length: 20 }, () => server.send('GET', '/v1/agents', { headers: bearer('reader-t') })));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
});

test('a token of role a2a opens no WebSocket of the console', async () => {
  const server = await setup({ apiTokens: 'root:admin-t:admin,b:a2a-t:a2a:sys' });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/trpc`, { headers: { origin: server.url, ...bearer('a2a-t') } });
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  expect(response.statusCode).toBe(403);
});

// The time that a revocation would take without an event is longer than this test may take.
test('a revoked token ends its WebSocket and its stream at once', { timeout: 8_000 }, async () => {
  const server = await setup({ apiKey: 'root' });
  const { body } = await server.send('POST', '/v1/tokens', { body: { name: 'watcher', role: 'reader' }, headers: bearer('root') });
  const socket = await socketTo(server, bearer(body.token));
  const other = await socketTo(server, bearer('root'));
  const closed = once(socket, 'close');
  const stream = await fetch(`${server.url}/v1/agents/watch`, { headers: bearer(body.token) });
  const text = stream.text();
  await server.send('DELETE', '/v1/tokens/watcher', { headers: bearer('root') });
  expect((await closed)[0]).toBe(4401);
  expect(await text).toContain('event: close\ndata: {"reason":"unauthorized"}');
  expect(other.readyState).toBe(other.OPEN);
  const events = await server.send('GET', '/v1/events?kind=ApiToken', { headers: bearer('root') });
  expect(events.body).toMatchObject([{ type: 'token.revoked', name: 'watcher', message: 'API token "watcher" was revoked' }]);
});

test('a chat stream that is refused because its token was revoked meanwhile keeps no place of a stream', async () => {
  const steps = new EventEmitter();
  const [starting, revoked] = [once(steps, 'starting'), once(steps, 'revoked')];
  const server = await setup({
    apiKey: 'root',
    maxWatchesPerIp: 1,
    chats: {
      start: async () => {
        steps.emit('starting');
        await revoked;
        return { session: { namespace: 'default', name: 'chat', uid: 'u' }, created: 0, answersAtOnce: true, isShared: false };
      },
      follow: async function* () {
        yield { items: [{ type: 'turn.failed', payload: { error: 'over' } } as unknown as SessionEvent], more: false };
      },
      abandon: async () => undefined,
    },
  });
  const as = (token: string) => ({ headers: bearer(token) });
  const { token } = (await server.send('POST', '/v1/tokens', { body: { name: 'guest', role: 'writer' }, ...as('root') })).body;
  const body = { model: 'writer', messages: [{ role: 'user', content: 'hello' }], stream: true };
  const began = performance.now();
  const refused = server.send('POST', '/v1/chat/completions', { body, ...as(token) });
  await starting;
  await server.send('DELETE', '/v1/tokens/guest', as('root'));
  // A younger request is not authenticated again.
  await expect.poll(() => performance.now() - began, { timeout: 5_000 }).toBeGreaterThan(1_100);
  steps.emit('revoked');
  expect((await refused).status).toBe(401);
  expect(await server.send('POST', '/v1/chat/completions', { body, ...as('root') })).toMatchObject({ status: 200 });
});

test('the first token ends the WebSocket and the stream of callers without one at once', { timeout: 8_000 }, async () => {
  const server = await setup({});
  const socket = await socketTo(server, {});
  const closed = once(socket, 'close');
  const stream = await fetch(`${server.url}/v1/agents/watch`);
  const text = stream.text();
  await server.send('POST', '/v1/tokens', { body: { name: 'root', role: 'admin' } });
  expect((await closed)[0]).toBe(4401);
  expect(await text).toContain('event: close\ndata: {"reason":"unauthorized"}');
});

test('signing out ends the WebSocket of that sign-in at once', { timeout: 8_000 }, async () => {
  const server = await setup({ apiKey: 'root' });
  const signIn = async () => {
    const answer = await server.send('POST', '/v1/auth/login', { body: { token: 'root' }, headers: { origin: server.url } });
    return String(answer.headers['set-cookie']).split(';')[0] ?? '';
  };
  const [first, second] = [await signIn(), await signIn()];
  const socket = await socketTo(server, { cookie: first });
  const other = await socketTo(server, { cookie: second });
  const closed = once(socket, 'close');
  await server.send('POST', '/v1/auth/logout', { headers: { cookie: first, origin: server.url } });
  expect((await closed)[0]).toBe(4401);
  expect(other.readyState).toBe(other.OPEN);
});
