import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createAuth } from '../../auth/create-auth.ts';
import { SIGN_IN_EXPIRY } from '../../auth/sign-in-documents.ts';
import { systemClock } from '../../clock.ts';
import { sweepExpired } from '../../store/expiring-documents.ts';
import { startHttpFixture, type Answer, type HttpFixture, type HttpFixtureOptions } from '../../testing/http-fixture.ts';
import { createManualClock } from '../../testing/manual-clock.ts';

const HOUR_MS = 60 * 60_000;
const TOKENS = 'root:root-token:admin,viewer:viewer-token:reader,bot:bot-token:a2a:team/sys';
const open: HttpFixture[] = [];
async function start(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const http = await startHttpFixture({ apiTokens: TOKENS, ...options });
  open.push(http);
  return http;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

const login = (http: HttpFixture, token: unknown = 'root-token', headers: Record<string, string> = {}): Promise<Answer> =>
  http.send('POST', '/v1/auth/login', { body: { token }, headers });
const setCookie = (answer: Answer): string => String(answer.headers['set-cookie'] ?? '');
const cookieOf = (answer: Answer): string => setCookie(answer).split(';', 1)[0] ?? '';
const me = (http: HttpFixture, cookie: string) => http.send('GET', '/v1/auth/me', { headers: { cookie } });
const own = (http: HttpFixture) => ({ origin: http.url });
const role = { metadata: { name: 'r' }, spec: {} };

describe('signing in', () => {
  test('exchanges a token for a cookie that scripts cannot read, with the role of the token', async () => {
    const http = await start();
    const answer = await login(http, 'viewer-token');
    expect(answer).toMatchObject({
      status: 200,
      body: { authenticated: true, username: 'viewer', role: 'reader', method: 'session' },
      headers: { 'cache-control': 'no-store' },
    });
    expect(setCookie(answer)).toMatch(/^svc_session=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax$/);
    const headers = { cookie: cookieOf(answer) };
    expect((await me(http, headers.cookie)).body).toEqual({ authenticated: true, method: 'session', name: 'viewer', role: 'reader' });
    expect((await http.send('GET', '/v1/agents', { headers })).status).toBe(200);
    expect((await http.send('GET', '/v1/tokens', { headers })).status).toBe(403);
    expect((await http.send('GET', '/v1/agents')).status).toBe(401);
  });

  test.each([
    ['a public URL of HTTPS', { publicUrl: 'https://svc.example' }, {}],
    ['a trusted proxy that says so', { trustedProxies: ['127.0.0.1'] }, { 'x-forwarded-proto': 'https' }],
  ])('over HTTPS, by %s, the cookie is Secure and of this host only', async (_, options, headers: Record<string, string>) => {
    const http = await start(options);
    const answer = await login(http, 'root-token', headers);
    expect(setCookie(answer)).toMatch(/^__Host-svc_session=[\w-]{43}; Path=\/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/);
    const cookie = cookieOf(answer);
    expect((await http.send('GET', '/v1/auth/me', { headers: { ...headers, cookie } })).body).toMatchObject({ name: 'root' });
    // A neighbour of the host could have planted one without the prefix.
    const planted = cookie.replace('__Host-', '');
    expect((await http.send('GET', '/v1/auth/me', { headers: { ...headers, cookie: planted } })).body).toMatchObject({
      authenticated: false,
    });
  });

  test.each([
    [
      'over HTTPS',
      { 'x-forwarded-proto': 'https' },
      /^__Secure-svc_session=[\w-]{43}; Path=\/svc; Max-Age=86400; HttpOnly; SameSite=Lax; Secure$/,
    ],
    ['over HTTP', {}, /^svc_session=[\w-]{43}; Path=\/svc; Max-Age=86400; HttpOnly; SameSite=Lax$/],
  ])('under a path prefix the cookie is sent to this server only, %s', async (_, headers: Record<string, string>, form) => {
    const http = await start({ basePath: '/svc', trustedProxies: ['127.0.0.1'] });
    const answer = await login(http, 'root-token', headers);
    expect(setCookie(answer)).toMatch(form);
    const cookie = cookieOf(answer);
    expect((await http.send('GET', '/svc/v1/auth/me', { headers: { ...headers, cookie } })).body).toMatchObject({ name: 'root' });
  });

  test('X-Forwarded-Proto of an untrusted client is ignored', async () => {
    const http = await start();
    expect(setCookie(await login(http, 'root-token', { 'x-forwarded-proto': 'https' }))).toMatch(/^svc_session=/);
  });

  test.each([
    ['a wrong token', { token: 'nonsense' }, 401, 'The token is not valid'],
    ['a token for A2A', { token: 'bot-token' }, 403, 'A token of role a2a'],
    ['a password', { username: 'root', password: 'x' }, 400, 'by an API token, not by a password'],
    ['an empty token', { token: ' ' }, 400, '{"token": "<API token>"}'],
    ['no object', ['root-token'], 400, 'The body must be an object'],
  ])('%s is refused', async (_, body, status, message) => {
    const http = await start();
    const answer = await http.send('POST', '/v1/auth/login', { body });
    expect(answer).toMatchObject({ status, body: { error: { message: expect.stringContaining(message) } } });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(JSON.stringify(http.logged)).not.toContain('nonsense');
  });

  test('needs no token while authentication is off, and reports that', async () => {
    const http = await startHttpFixture();
    open.push(http);
    const answer = await login(http, 'whatever');
    expect(answer).toMatchObject({ status: 200, body: { authenticated: true, username: 'anonymous', role: 'admin', method: 'none' } });
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect((await me(http, 'svc_session=stale')).body).toMatchObject({ method: 'none', name: 'anonymous' });
  });

  test('keeps nothing in the store that would let a reader of it in, or guess the token of an operator', async () => {
    const http = await start();
    const key = cookieOf(await login(http)).split('=')[1] ?? '';
    const documents = JSON.stringify(await http.store.listDocuments('auth.session', '', 10));
    expect(documents).toContain('"env"');
    for (const secret of [key, 'root-token', createHash('sha256').update('root-token').digest('hex')])
      expect(documents).not.toContain(secret);
  });
});

describe('a sign-in', () => {
  test('lives 24 hours from the last request, and is written once an hour', async () => {
    const clock = createManualClock();
    const http = await start({ clock });
    const cookie = cookieOf(await login(http));
    const stored = async () => JSON.stringify(await http.store.listDocuments('auth.session', '', 10));
    const first = await stored();
    clock.advance(HOUR_MS - 1);
    expect(setCookie(await me(http, cookie))).toBe('');
    expect(await stored()).toBe(first);
    clock.advance(1);
    expect(setCookie(await me(http, cookie))).toBe(`${cookie}; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax`);
    expect(await stored()).not.toBe(first);
    expect(setCookie(await me(http, cookie))).toBe('');
    clock.advance(24 * HOUR_MS - 1);
    expect((await http.send('GET', '/v1/agents', { headers: { cookie } })).status).toBe(200);
    clock.advance(24 * HOUR_MS);
    const over = await http.send('GET', '/v1/agents', { headers: { cookie } });
    expect(over).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorized', message: 'Your sign-in has ended; sign in again' } },
    });
    expect(setCookie(over)).toBe('svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
  });

  test('ends with its token, at the next request', async () => {
    const http = await start();
    const admin = { authorization: 'Bearer root-token' };
    const made = await http.send('POST', '/v1/tokens', { body: { name: 'ann', role: 'writer' }, headers: admin });
    const cookie = cookieOf(await login(http, made.body.token));
    expect((await me(http, cookie)).body).toMatchObject({ name: 'ann', role: 'writer', method: 'session' });
    await http.send('DELETE', '/v1/tokens/ann', { headers: admin });
    const over = await http.send('GET', '/v1/agents', { headers: { cookie } });
    expect(over).toMatchObject({ status: 401, body: { error: { message: expect.stringContaining('sign in again') } } });
    expect(setCookie(over)).toContain('Max-Age=0');
  });

  test('is valid on every server of the store, and ends on all of them by signing out', async () => {
    const http = await start();
    const cookie = cookieOf(await login(http));
    const other = await createAuth({ store: http.store, clock: systemClock, apiTokens: TOKENS });
    const key = cookie.split('=')[1] ?? '';
    expect((await other.authenticateSignIn(key, { renew: false })).identity).toEqual({
      method: 'session',
      name: 'root',
      role: 'admin',
    });
    const out = await http.send('POST', '/v1/auth/logout', { headers: { cookie, ...own(http) } });
    expect(out).toMatchObject({ status: 200, body: { authenticated: false } });
    expect(setCookie(out)).toBe('svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    await expect(other.authenticateSignIn(key, { renew: false })).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await me(http, cookie)).body).toMatchObject({ authenticated: false });
    expect((await http.send('POST', '/v1/auth/logout', { headers: { cookie, ...own(http) } })).status).toBe(200);
    expect((await http.send('POST', '/v1/auth/logout')).status).toBe(200);
  });

  test('an operator whose token was changed by a restart has to sign in again', async () => {
    const http = await start();
    const key = cookieOf(await login(http)).split('=')[1] ?? '';
    const restarted = await createAuth({ store: http.store, clock: systemClock, apiTokens: 'root:another-token:admin' });
    await expect(restarted.authenticateSignIn(key, { renew: false })).rejects.toMatchObject({ code: 'unauthorized' });
  });

  test('an expired sign-in is swept, and no other', async () => {
    const clock = createManualClock();
    const http = await start({ clock });
    await login(http);
    clock.advance(12 * HOUR_MS);
    const later = cookieOf(await login(http));
    await me(http, later);
    clock.advance(13 * HOUR_MS);
    expect(await sweepExpired(http.store, SIGN_IN_EXPIRY, clock.now())).toBe(1);
    expect(await http.store.listDocuments('auth.session', '', 10)).toHaveLength(1);
    expect((await me(http, later)).body).toMatchObject({ name: 'root' });
    // Its renewal has left one entry in the order of endings: that of its new end.
    expect(await http.store.listDocuments('auth.session.expiry', '', 10)).toHaveLength(1);
  });

  test.each(['svc_session=', 'svc_session=garbage', `svc_session=${'A'.repeat(43)}`, 'other=1; svc_session=x;'])(
    'an invalid cookie, %j, is refused and removed',
    async (cookie) => {
      const http = await start();
      const answer = await http.send('GET', '/v1/agents', { headers: { cookie } });
      expect(answer).toMatchObject({ status: 401, body: { error: { message: 'Your sign-in has ended; sign in again' } } });
      expect(setCookie(answer)).toContain('svc_session=; ');
    },
  );

  test('counts as none after its end where no credential is needed, and its cookie is removed', async () => {
    const http = await start();
    const ended = await me(http, 'svc_session=ended');
    expect(ended).toMatchObject({ status: 200, body: { authenticated: false, method: 'none', name: '', role: '' } });
    expect(setCookie(ended)).toBe('svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax');
    const agents = await http.send('GET', '/v1/a2a/agents', { headers: { cookie: 'svc_session=ended' } });
    expect(agents).toMatchObject({ status: 200, body: { localAgents: [], remoteAgents: [] } });
    const wrong = { cookie: 'svc_session=ended', authorization: 'Bearer wrong' };
    expect((await http.send('GET', '/v1/auth/me', { headers: wrong })).status).toBe(401);
  });

  test('cookies of other names are ignored', async () => {
    const http = await start();
    expect((await me(http, 'theme=dark; xsvc_session=1')).body).toMatchObject({ authenticated: false });
  });
});

describe('a write with a sign-in cookie', () => {
  const send = async (http: HttpFixture, headers: Record<string, string>) => {
    const cookie = cookieOf(await login(http));
    return (await http.send('POST', '/v1/agent-roles', { body: role, headers: { cookie, ...headers } })).status;
  };

  test.each([
    ['the own origin', { origin: 'OWN' }, 201],
    ['a browser that says same-origin', { 'sec-fetch-site': 'same-origin' }, 201],
    [
      'a proxy that hides the host, and a browser that says same-origin',
      { 'sec-fetch-site': 'same-origin', origin: 'https://front.example' },
      201,
    ],
    ['the origin of the public URL', { origin: 'https://svc.example' }, 403],
    ['nobody known', {}, 403],
    ['another origin', { origin: 'https://evil.example' }, 403],
    ['another port of this host', { origin: 'http://127.0.0.1:1' }, 403],
    ['an origin that looks like the own', { origin: 'OWN.evil.example' }, 403],
    ['a page without an origin', { origin: 'null' }, 403],
    ['a page of this site', { 'sec-fetch-site': 'same-site' }, 403],
    ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'OWN' }, 403],
    ['no page', { 'sec-fetch-site': 'none' }, 403],
  ])('from %s', async (_, headers: Record<string, string>, status) => {
    const http = await start();
    const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', http.url)]));
    expect(await send(http, given)).toBe(status);
  });

  test('counts from the origin of the public URL, which a proxy may hide from Host', async () => {
    const http = await start({ publicUrl: 'https://svc.example/' });
    expect(await send(http, { origin: 'https://svc.example' })).toBe(201);
  });

  test('does not count from an origin that may call the API by token', async () => {
    const http = await start({ corsOrigins: ['*'] });
    expect(await send(http, { origin: 'https://friend.example' })).toBe(403);
  });

  test('reads need no origin, and a token in the header needs none at all', async () => {
    const http = await start();
    const cookie = cookieOf(await login(http, 'viewer-token'));
    expect((await http.send('GET', '/v1/agents', { headers: { cookie, origin: 'https://evil.example' } })).status).toBe(200);
    const headers = { cookie, authorization: 'Bearer root-token', origin: 'https://evil.example' };
    expect((await http.send('POST', '/v1/agent-roles', { body: role, headers })).status).toBe(201);
    expect((await http.send('GET', '/v1/auth/me', { headers })).body).toMatchObject({ method: 'bearer', name: 'root' });
    expect((await http.send('GET', '/v1/agents', { headers: { cookie, authorization: 'Bearer wrong' } })).status).toBe(401);
  });

  test('no page of another origin signs anybody in or out', async () => {
    const http = await start();
    const cookie = cookieOf(await login(http));
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as Record<string, string>[]) {
      expect((await login(http, 'root-token', headers)).status).toBe(403);
      expect((await http.send('POST', '/v1/auth/logout', { headers: { cookie, ...headers } })).status).toBe(403);
    }
    expect((await http.send('POST', '/v1/auth/logout', { headers: { cookie } })).status).toBe(403);
    expect((await me(http, cookie)).body).toMatchObject({ name: 'root' });
  });
});

describe('sign-ins from one address', () => {
  test('are 20 at once and 10 a minute, refused ones included', async () => {
    const clock = createManualClock();
    const http = await start({ clock });
    for (let turn = 0; turn < 20; turn += 1)
      expect((await login(http, turn % 2 ? 'wrong' : 'root-token')).status).toBe(turn % 2 ? 401 : 200);
    expect(await login(http)).toMatchObject({ status: 429, headers: { 'retry-after': '6' }, body: { error: { code: 'rate_limited' } } });
    clock.advance(6_000);
    expect((await login(http)).status).toBe(200);
    expect((await login(http)).status).toBe(429);
    expect((await http.send('GET', '/v1/agents', { headers: { authorization: 'Bearer root-token' } })).status).toBe(200);
  });

  test('count for the client behind a trusted proxy, not for the proxy', async () => {
    const http = await start({ trustedProxies: ['127.0.0.1'], clock: createManualClock() });
    const from = async (address: string) => (await login(http, 'wrong', { 'x-forwarded-for': address })).status;
    for (let turn = 0; turn < 20; turn += 1) await from('203.0.113.1');
    expect(await from('203.0.113.1')).toBe(429);
    expect(await from('203.0.113.2')).toBe(401);
  });
});

test('a stream that a sign-in opened ends with the sign-in', async () => {
  const http = await start({ limits: { streamKeepAliveMs: 20 } });
  const cookie = cookieOf(await login(http));
  const { hostname, port } = new URL(http.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket.on('data', (chunk) => (received += chunk.toString()));
  socket.write(`GET /v1/agents/watch HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${cookie}\r\n\r\n`);
  await expect.poll(() => received).toContain('synced');
  await http.send('POST', '/v1/auth/logout', { headers: { cookie, ...own(http) } });
  await once(socket, 'close');
  expect(received).toContain('{"reason":"unauthorized"}');
});
