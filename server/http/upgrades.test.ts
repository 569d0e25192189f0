// WebSocket routes over real sockets: a further route gets every check that the console's route has.
import { once } from 'node:events';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../testing/http-fixture.ts';
import { kernelHolds, SHOWS_CONNECTIONS } from '../testing/kernel-connections.ts';
import type { Identity } from '../registry/registry.ts';
import { Upgrades, type SocketRoute } from './upgrades.ts';

const TOKENS = 'w:token-of-w:writer,r:token-of-r:reader,a:token-of-a:admin';
const bearer = (name: string) => ({ authorization: `Bearer token-of-${name}` });

/** Sends back each message, with the name of the caller. */
const echo = (): SocketRoute => ({
  path: '/v1/echo',
  access: 'writer',
  sockets: new WebSocketServer({ noServer: true, maxPayload: 1024 }),
  accept: ({ socket, caller }) => socket.on('message', (data: Buffer) => socket.send(`${caller.identity.name}: ${data.toString()}`)),
});

async function setup(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const server = await startHttpFixture({ apiTokens: TOKENS, socketRoutes: [echo()], ...options });
  onTestFinished(() => server.close());
  return server;
}

function connect(server: HttpFixture, path: string, headers: Record<string, string>): WebSocket {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}${path}`, { headers });
  onTestFinished(() => void socket.terminate());
  socket.on('error', () => undefined);
  return socket;
}

interface Refusal {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: any;
}

/** Answer to an upgrade that is refused. */
function refusal(server: HttpFixture, path: string, headers: Record<string, string> = {}): Promise<Refusal> {
  const handshake = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  };
  return new Promise((resolve, reject) => {
    const sent = plainRequest(`${server.url}${path}`, { headers: { ...handshake, ...headers } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.once('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body: JSON.parse(text) }));
    });
    sent.once('upgrade', (_, connection) => {
      connection.destroy();
      reject(new Error('the upgrade was accepted'));
    });
    sent.once('error', reject).end();
  });
}

describe('a further WebSocket route', () => {
  test('exchanges messages with a caller of its role', async () => {
    const socket = connect(await setup(), '/v1/echo?a=b', bearer('w'));
    await once(socket, 'open');
    socket.send('hello');
    expect(String((await once(socket, 'message'))[0])).toBe('w: hello');
  });

  test('drops what a client has not read when its socket is cut', async () => {
    const flood: SocketRoute = {
      ...echo(),
      accept: ({ socket }) => {
        socket.send(Buffer.alloc(16 * 1024 * 1024), () => undefined);
        socket.once('message', () => socket.terminate());
      },
    };
    const server = await setup({ socketRoutes: [flood] });
    const socket = connect(server, '/v1/echo', bearer('w'));
    socket.once('open', () => socket.pause());
    const opened = once(socket, 'open');
    const [{ socket: connection }] = (await once(socket, 'upgrade')) as [IncomingMessage];
    const ports = { own: Number(new URL(server.url).port), other: connection.localPort };
    await opened;
    expect(kernelHolds(ports)).toBe(SHOWS_CONNECTIONS);
    socket.send('end');
    await expect.poll(() => kernelHolds(ports)).toBe(false);
  });

  test.each([
    ['no token', {}, 401, 'unauthorized'],
    ['a wrong token', bearer('x'), 401, 'unauthorized'],
    ['a lesser role', bearer('r'), 403, 'forbidden'],
    ['a page of another origin', { ...bearer('w'), origin: 'https://evil.example' }, 403, 'forbidden'],
    ['two Host headers', undefined, 400, 'invalid'],
  ])('refuses %s', async (what, headers, status, code) => {
    const server = await setup();
    if (headers === undefined) {
      const twice = plainRequest(`${server.url}/v1/echo`, {
        setHost: false,
        headers: ['Host', 'a', 'Host', 'b', 'Connection', 'Upgrade', 'Upgrade', 'websocket'] as never,
      });
      const [answer] = (await once(twice.end(), 'response')) as [{ statusCode: number; resume(): void }];
      answer.resume();
      return expect(answer.statusCode).toBe(status);
    }
    const refused = await refusal(server, '/v1/echo', headers);
    expect(refused).toMatchObject({ status, body: { error: { code } }, headers: { connection: 'close' } });
    expect(what.includes('token')).toBe(refused.headers['www-authenticate'] === 'Bearer');
  });

  test('counts against the cap of open streams', async () => {
    const server = await setup({ maxWatchesPerIp: 1 });
    await once(connect(server, '/v1/echo', bearer('w')), 'open');
    expect(await refusal(server, '/v1/echo', bearer('w'))).toMatchObject({ status: 429, headers: { 'retry-after': '10' } });
  });

  test('closes the socket of a revoked token with code 4401', async () => {
    const server = await setup();
    const made = await server.send('POST', '/v1/tokens', { body: { name: 'ci', role: 'writer' }, headers: bearer('a') });
    const socket = connect(server, '/v1/echo', { authorization: `Bearer ${made.body.token}` });
    await once(socket, 'open');
    await server.send('DELETE', '/v1/tokens/ci', { headers: bearer('a') });
    expect((await once(socket, 'close'))[0]).toBe(4401);
  });

  test('closes its sockets with code 1001 at a shutdown', async () => {
    const server = await setup();
    const socket = connect(server, '/v1/echo', bearer('w'));
    await once(socket, 'open');
    const closed = once(socket, 'close');
    await server.close();
    expect((await closed)[0]).toBe(1001);
  });

  test('reports a refused caller by name to the audit', async () => {
    const refused: unknown[] = [];
    const server = await setup({ onRefused: ({ code, path, identity }) => void refused.push([code, path, identity?.name]) });
    await refusal(server, '/v1/echo', bearer('r'));
    expect(refused).toEqual([['forbidden', '/v1/echo', 'r']]);
  });
});

test.each(['/v1/agents', '/v1/nothing', '/', '/trpc/server.hello'])('an upgrade of %s is 404', async (path) => {
  const server = await setup();
  expect(await refusal(server, path, bearer('w'))).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
});

test('an upgrade to another protocol is 400', async () => {
  const server = await setup();
  expect(await refusal(server, '/v1/echo', { upgrade: 'h2c' })).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } });
});

test.each(['/trpc', '/v1/echo'])('a plain request for %s is 426', async (path) => {
  const server = await setup();
  const answer = await server.send('GET', path, { headers: { accept: 'text/html', ...bearer('w') } });
  expect(answer).toMatchObject({ status: 426, headers: { upgrade: 'websocket' }, body: { error: { code: 'invalid' } } });
});

test('two WebSocket routes of one path stop the start', async () => {
  await expect(startHttpFixture({ socketRoutes: [echo(), echo()] })).rejects.toThrow('two socket routes for /v1/echo');
});

test('a connection that closes during the check of its token holds no place', async () => {
  const connection = new PassThrough();
  const hold = vi.fn(() => () => undefined);
  const caller = { name: 'w', role: 'writer', method: 'bearer' } as Identity;
  const upgrades = new Upgrades({
    routes: [echo()],
    gate: {
      async identify() {
        connection.destroy();
        await once(connection, 'close');
        return caller;
      },
    },
    hold,
    clientAddress: () => '127.0.0.1',
    requestLimit: { take: () => undefined },
  } as unknown as ConstructorParameters<typeof Upgrades>[0]);
  await upgrades.handle({ url: '/v1/echo', headers: { upgrade: 'websocket' } } as IncomingMessage, connection, Buffer.alloc(0));
  expect(hold).not.toHaveBeenCalled();
});
