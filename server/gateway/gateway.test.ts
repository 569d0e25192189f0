// The gateway between a window and another server, over real HTTP and WebSockets: what passes, what stays on its side, and what is refused.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { ServiceError } from '@svc/shared/errors';
import { isPassive } from './exchange-headers.ts';
import { createTestAuthority, withoutOpenssl } from '../testing/test-certificates.ts';
import { Gateway } from './gateway.ts';
import { isCompatible } from './handshake.ts';
import { gatewayTarget, isForwarded, requirePlainPath, takesSocket } from './target.ts';

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((done) => void server.close(() => done()));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const capabilities = (version: unknown, ids = ['resources']) => JSON.stringify({ version, capabilities: ids.map((id) => ({ id })) });

/** Another server with everything that reached it, and a front whose requests go through the gateway. */
async function setup(answer: RequestListener, given: { path?: string; token?: string } = {}) {
  const seen: IncomingMessage[] = [];
  const far = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  const origin = await listen(far);
  const profile = { id: 'shared', name: 'Shared', origin: `${origin}${given.path ?? ''}` };
  const gateway = new Gateway({ version: '0.1.0', profiles: [profile] });
  onTestFinished(() => gateway.close());
  gateway.setToken('shared', given.token ?? 'token-of-the-profile');
  const near = createServer((request, response) => {
    const target = gatewayTarget(request.url ?? '');
    gateway.forward({ id: target?.id ?? '', rest: target?.rest ?? '', request }, response).catch((error: ServiceError) => {
      response.writeHead(error.httpStatus).end(JSON.stringify(error.toBody()));
    });
  });
  near.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    gateway.connect({ id: 'shared', rest: '/trpc', request }, socket, head).catch(() => socket.destroy());
  });
  return { gateway, profile, seen, far, front: await listen(near) };
}

const WINDOW = {
  cookie: 'svc_ui=ui_secret; other=1',
  authorization: 'Bearer own',
  origin: 'http://127.0.0.1:1',
  referer: 'http://127.0.0.1:1/n',
};

describe('an address of the gateway', () => {
  test.each([
    ['/p/shared/v1/agents?limit=2', { id: 'shared', base: '/p/shared', rest: '/v1/agents?limit=2' }],
    ['/p/shared', { id: 'shared', base: '/p/shared', rest: '/' }],
    ['/p/shared?x=1', { id: 'shared', base: '/p/shared', rest: '/?x=1' }],
    ['/p/UPPER/v1', undefined],
    ['/p/..%2f/v1', undefined],
    ['/p//v1', undefined],
    ['/v1/agents', undefined],
  ])('%s has the profile and the path %o', (url, expected) => expect(gatewayTarget(url)).toEqual(expected));

  test('leads to the other server for the API, to this console for everything else', () => {
    expect(['/v1/agents', '/trpc/a', '/a2a', '/openapi.json?x=/n'].map(isForwarded)).toEqual([true, true, true, true]);
    expect(['/', '/n/default/agents', '/assets/v1.js', '/v1x', '/p/other/v1/agents'].map(isForwarded)).toEqual([
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(['/trpc?x=1', '/trpc/', '/v1/terminal', '/ws'].map(takesSocket)).toEqual([true, false, false, false]);
  });

  test.each([
    '/v1/../secret',
    '/v1/%2e%2E/secret',
    '/v1/./x',
    '//other.example/v1',
    '/v1//x',
    '/v1/%2fx',
    '/v1/a\\b',
    '/v1/a%5Cb',
    '/v1/%00',
  ])('%s is refused: the token must not leave the address of the profile', (path) =>
    expect(() => requirePlainPath(path)).toThrow('does not pass on'),
  );

  test('may have escaped characters, a slash at its end and anything in its query', () => {
    for (const path of ['/v1/agents/a%20b', '/v1/', '/trpc/a,b?input=%2F..%2F//', '/v1/.hidden']) requirePlainPath(path);
  });
});

describe('a request', () => {
  test('brings the token of the profile, and no cookie, origin or credentials of the window', async () => {
    const { front, seen } = await setup((_, reply) => reply.setHeader('content-type', 'application/json').end('{"a":1}'), {
      path: '/svc/',
    });
    const answer = await fetch(`${front}/p/shared/v1/agents?limit=1`, {
      method: 'POST',
      headers: { ...WINDOW, 'content-type': 'application/json', 'if-match': '3', 'x-forwarded-for': '9.9.9.9' },
      body: '{"x":1}',
    });
    expect(await answer.json()).toEqual({ a: 1 });
    const [{ url, headers } = {} as IncomingMessage] = seen;
    expect(url).toBe('/svc/v1/agents?limit=1');
    expect(headers).toMatchObject({ authorization: 'Bearer token-of-the-profile', 'content-type': 'application/json', 'if-match': '3' });
    for (const name of ['cookie', 'origin', 'referer', 'x-forwarded-for', 'sec-fetch-site']) expect(headers).not.toHaveProperty(name);
  });

  test('gets the answer without cookies, policies and redirects of the other server', async () => {
    const { front } = await setup((_, reply) =>
      reply
        .writeHead(200, {
          'content-type': 'application/json',
          'set-cookie': ['svc_ui=evil; Path=/', 'a=b'],
          'content-security-policy': "default-src *; script-src 'unsafe-inline'",
          'access-control-allow-origin': '*',
          'clear-site-data': '"*"',
          'service-worker-allowed': '/',
          location: 'https://evil.example/',
          etag: '"7"',
          warning: '299 - "w"',
        })
        .end('{}'),
    );
    const { headers } = await fetch(`${front}/p/shared/v1/agents`);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox");
    expect([headers.get('etag'), headers.get('warning'), headers.get('x-content-type-options')]).toEqual(['"7"', '299 - "w"', 'nosniff']);
    for (const name of ['set-cookie', 'access-control-allow-origin', 'clear-site-data', 'service-worker-allowed', 'location'])
      expect(headers.get(name)).toBeNull();
  });

  test.each(['text/html', 'application/javascript', 'image/svg+xml', 'TEXT/HTML; charset=utf-8', 'text/css'])(
    'never shows %s of another server under the address of this one',
    async (type) => {
      const { front } = await setup((_, reply) => reply.setHeader('content-type', type).end('<script>alert(1)</script>'));
      const answer = await fetch(`${front}/p/shared/v1/agents`);
      expect(answer.status).toBe(503);
      expect(await answer.text()).toContain('a page or a script');
      expect(isPassive(type)).toBe(false);
    },
  );

  test('does not follow a redirect, which would carry the token to another address', async () => {
    const { front, seen } = await setup((_, reply) => reply.writeHead(307, { location: '/elsewhere' }).end());
    const answer = await fetch(`${front}/p/shared/v1/agents`, { redirect: 'manual' });
    expect([answer.status, seen.length]).toEqual([503, 1]);
    expect(await answer.text()).toContain('redirects');
  });

  test('streams: an event arrives before the stream ends, and the end of the window ends it', async () => {
    let ended = false;
    const { front } = await setup((request, reply) => {
      request.socket.once('close', () => (ended = true));
      reply.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    });
    const left = new AbortController();
    const answer = await fetch(`${front}/p/shared/v1/agents/watch`, { signal: left.signal });
    const { value } = (await answer.body?.getReader().read()) ?? {};
    expect(new TextDecoder().decode(value)).toBe('data: 1\n\n');
    left.abort();
    await expect.poll(() => ended).toBe(true);
  });

  test('to a profile that does not exist, or with an unknown method, is refused', async () => {
    const { front, seen } = await setup((_, reply) => reply.end());
    expect((await fetch(`${front}/p/other/v1/agents`)).status).toBe(404);
    expect((await fetch(`${front}/p/shared/v1/agents`, { method: 'OPTIONS' })).status).toBe(405);
    expect(seen).toEqual([]);
  });

  test('to a metadata address is refused before it is sent', async () => {
    const { front, gateway } = await setup((_, reply) => reply.end());
    gateway.setProfiles([{ id: 'shared', name: 'Shared', origin: 'http://169.254.169.254' }]);
    const answer = await fetch(`${front}/p/shared/v1/agents`);
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('metadata') as string]);
  });
});

describe('a WebSocket', () => {
  test('passes messages both ways, with the token and without the cookie, and ends with the profile', async () => {
    const { front, far, gateway, seen } = await setup(() => undefined);
    const sockets = new WebSocketServer({ server: far });
    const asked: IncomingMessage[] = [];
    sockets.on('connection', (socket, request) => {
      asked.push(request);
      socket.on('message', (data) => socket.send(`echo ${String(data)}`));
    });
    const socket = new WebSocket(`${front.replace('http', 'ws')}/p/shared/trpc`, { headers: WINDOW });
    await once(socket, 'open');
    socket.send('hello');
    const [data] = (await once(socket, 'message')) as [Buffer];
    expect(data.toString()).toBe('echo hello');
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer token-of-the-profile' });
    for (const name of ['cookie', 'origin', 'referer']) expect(asked[0]?.headers).not.toHaveProperty(name);
    const closed = once(socket, 'close');
    gateway.setToken('shared', 'another-token');
    await closed;
    expect(seen).toEqual([]);
  });
});

describe.skipIf(withoutOpenssl('pinned certificates'))('a server with a certificate of its own', () => {
  test('is untrusted until its fingerprint is pinned, and another certificate stays refused', async () => {
    const authority = createTestAuthority();
    onTestFinished(() => authority.remove());
    const { key, cert } = authority.issue('DNS:localhost', 'IP:127.0.0.1');
    const far = createSecureServer({ key, cert }, (_, reply) => reply.end(capabilities('0.1.0')));
    const origin = (await listen(far)).replace('http:', 'https:');
    const gateway = new Gateway({ version: '0.1.0', profiles: [] });
    onTestFinished(() => gateway.close());
    const check = (fingerprint?: string) =>
      gateway.checkDraft({ id: 'tls', name: 'TLS', origin, ...(fingerprint !== undefined && { fingerprint }) }, 'secret-token');
    expect(await check()).toMatchObject({ state: 'untrusted', message: expect.stringContaining('pin its fingerprint') as string });
    const fingerprint = new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase();
    expect(await check(fingerprint)).toMatchObject({ state: 'ready' });
    const other = await check('ab'.repeat(32));
    expect(other).toMatchObject({ state: 'untrusted', message: expect.stringContaining('not the one that this profile pins') as string });
  });
});

describe('the check of a server', () => {
  const state = async (answer: RequestListener) => {
    const { gateway } = await setup(answer);
    return gateway.check('shared');
  };
  const saying =
    (body: string, status = 200): RequestListener =>
    (_, reply) =>
      void reply.writeHead(status).end(body);

  test('accepts a server whose version differs only in the patch number', async () => {
    expect(await state(saying(capabilities('0.1.7')))).toEqual({
      ok: true,
      state: 'ready',
      version: '0.1.7',
      message: 'The server answers: version 0.1.7',
    });
  });

  test.each([
    ['a wrong token', saying('{}', 401), 'refused', 'does not accept the token'],
    ['a token without rights', saying('{}', 403), 'refused', 'may not use the console'],
    ['another line of versions', saying(capabilities('2.0.0')), 'incompatible', 'version 2.0.0; this app shows servers of version 0.1'],
    ['an invalid version', saying(capabilities('<b>0.1.0</b>')), 'foreign', 'Another program'],
    ['a version of another type', saying(capabilities({ toString: 1 })), 'foreign', 'Another program'],
    ['a document of another program', saying('{"version":"0.1.0"}'), 'foreign', 'Another program'],
    ['a list without this service', saying(capabilities('0.1.0', ['other'])), 'foreign', 'Another program'],
    ['a page', saying('<html>'), 'foreign', 'Another program'],
    ['an endless answer', saying(`{"version":"0.1.0","x":"${'y'.repeat(300_000)}"`), 'foreign', 'Another program'],
    ['a redirect', saying('', 302), 'foreign', 'redirects to another address'],
    ['a failing server', saying('', 502), 'unreachable', 'answers 502'],
  ])('says what is wrong: %s', async (_title, answer, expected, message) => {
    const found = await state(answer);
    expect(found).toMatchObject({ ok: false, state: expected });
    expect(found.message).toContain(message);
    expect(found.message).not.toContain('token-of-the-profile');
  });

  test('sends the stored token of a draft to its own server only', async () => {
    const first = await setup(saying(capabilities('0.1.0')));
    await first.gateway.checkDraft(first.profile, undefined);
    expect(first.seen.at(-1)?.headers.authorization).toBe('Bearer token-of-the-profile');
    const other = await setup(saying(capabilities('0.1.0')));
    await first.gateway.checkDraft({ ...first.profile, origin: other.profile.origin }, undefined);
    expect(other.seen.at(-1)?.headers).not.toHaveProperty('authorization');
    expect(await first.gateway.checkDraft({ ...first.profile, origin: 'http://127.0.0.1:9' }, 'x')).toMatchObject({ state: 'unreachable' });
  });

  test('forgets the token when the address of the profile differs', async () => {
    const { gateway, profile, front, seen } = await setup(saying('{}'));
    gateway.setProfiles([{ ...profile, origin: `${profile.origin}/moved` }]);
    await fetch(`${front}/p/shared/v1/agents`);
    expect(seen.at(-1)?.headers).not.toHaveProperty('authorization');
  });
});

test.each([
  ['0.1.0', '0.1.9', true],
  ['0.1.0', '0.2.0', false],
  ['1.2.0', '1.9.3-rc.1', true],
  ['1.2.0', '2.0.0', false],
  ['1.2.0', '1.2', false],
  ['1.2.0', '', false],
])('versions %s and %s are of one line: %s', (own, other, expected) => expect(isCompatible(own, other)).toBe(expected));
