import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { startHttpFixture, type Answer, type HttpFixture, type HttpFixtureOptions } from '../../testing/http-fixture.ts';

const TOKENS = 'root:root-token:admin,viewer:viewer-token:reader';
const PASSWORD = 'correct horse battery';
const open: HttpFixture[] = [];
async function start(options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const http = await startHttpFixture({ apiTokens: TOKENS, native: {}, ...options });
  open.push(http);
  return http;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

const root = { authorization: 'Bearer root-token' };
const cookieOf = (answer: Answer): string => String(answer.headers['set-cookie'] ?? '').split(';', 1)[0] ?? '';
const setup = (http: HttpFixture, body: unknown = { username: 'Ann', password: PASSWORD }) => http.send('POST', '/v1/auth/setup', { body });
const login = (http: HttpFixture, username: string, password: string) =>
  http.send('POST', '/v1/auth/login', { body: { username, password } });
const browser = (http: HttpFixture, answer: Answer) => ({ cookie: cookieOf(answer), origin: http.url });

test('setup signs the first admin in, once', async () => {
  const http = await start();
  expect((await http.send('GET', '/v1/auth/config')).body).toEqual({
    mode: 'native',
    setup_required: true,
    login_methods: ['bearer', 'password'],
    setup_token_required: false,
  });
  const answer = await setup(http);
  expect(answer).toMatchObject({ status: 201, body: { authenticated: true, username: 'Ann', role: 'admin', method: 'session' } });
  const me = await http.send('GET', '/v1/auth/me', { headers: { cookie: cookieOf(answer) } });
  expect(me.body).toEqual({ authenticated: true, method: 'session', name: 'Ann', role: 'admin' });
  expect((await setup(http)).status).toBe(409);
  expect((await http.send('GET', '/v1/auth/config')).body).toMatchObject({ setup_required: false });
});

test('setup on loopback is refused under another host name, and from a page of another origin', async () => {
  const http = await start({ apiTokens: '' });
  const body = { username: 'Ann', password: PASSWORD };
  for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await http.send('POST', '/v1/auth/setup', { body, headers: headers })).status).toBe(403);
  expect((await setup(http)).status).toBe(201);
});

// The time that the regular check of sockets would take is longer than this test may take.
test('another role ends the open WebSocket of a user at once, who connects again with that role', { timeout: 8_000 }, async () => {
  const http = await start();
  await setup(http);
  const made = await http.send('POST', '/v1/auth/users', { headers: root, body: { username: 'bob', role: 'admin' } });
  const headers = browser(http, await login(http, 'bob', made.body.password));
  const connect = async () => {
    const socket = new WebSocket(`${http.url.replace('http', 'ws')}/trpc`, { headers });
    await once(socket, 'open');
    return socket;
  };
  const closed = once(await connect(), 'close');
  await http.send('PATCH', '/v1/auth/users/bob', { headers: root, body: { role: 'reader' } });
  expect((await closed).map(String)).toEqual(['1001', 'role_changed']);
  const again = await connect();
  again.send(JSON.stringify({ id: 1, method: 'query', params: { path: 'server.hello' } }));
  expect(JSON.parse(String((await once(again, 'message'))[0]))).toMatchObject({ result: { data: { identity: { role: 'reader' } } } });
  again.terminate();
});

test('an admin makes users, whose passwords are shown once, and ends them', async () => {
  const http = await start();
  await setup(http);
  const send = (method: string, path: string, body?: unknown) =>
    http.send(method, path, { headers: root, ...(body !== undefined && { body }) });
  const made = await send('POST', '/v1/auth/users', { username: 'bob', role: 'writer' });
  expect(made).toMatchObject({ status: 201, body: { username: 'bob', role: 'writer', password: expect.stringMatching(/^[\w-]{24}$/) } });
  const signedIn = await login(http, 'BOB', made.body.password);
  expect(signedIn).toMatchObject({ status: 200, body: { username: 'bob', role: 'writer' } });
  const headers = browser(http, signedIn);
  expect((await http.send('GET', '/v1/auth/users', { headers })).status).toBe(403);
  expect((await send('PATCH', '/v1/auth/users/bob', { role: 'reader' })).body).toMatchObject({ role: 'reader' });
  const patch = { headers: { ...root, 'content-type': 'application/merge-patch+json' }, body: { role: 'reader' } };
  expect((await http.send('PATCH', '/v1/auth/users/bob', patch)).status).toBe(200);
  expect((await http.send('POST', '/v1/agent-roles', { headers, body: { metadata: { name: 'r' }, spec: {} } })).status).toBe(403);
  expect((await send('DELETE', '/v1/auth/users/ANN')).status).toBe(409);
  expect((await send('DELETE', '/v1/auth/users/bob')).status).toBe(200);
  expect((await http.send('GET', '/v1/agents', { headers })).status).toBe(401);
  expect((await send('DELETE', '/v1/auth/users/bob')).status).toBe(404);
  expect((await send('GET', '/v1/auth/users')).body.items).toMatchObject([{ username: 'Ann', role: 'admin' }]);
  expect(JSON.stringify(http.logged)).not.toContain(made.body.password);
});

test('a user changes the own password; a cookie counts for writes of own pages only', async () => {
  const http = await start();
  const ann = await setup(http);
  const body = { current_password: PASSWORD, new_password: `${PASSWORD} 2` };
  const change = (headers: Record<string, string>, sent: unknown = body) =>
    http.send('POST', '/v1/auth/change-password', { body: sent, headers });
  expect((await change({ cookie: cookieOf(ann) })).status).toBe(403);
  expect((await change(root)).status).toBe(409);
  expect((await change({ ...browser(http, ann), ...root })).status).toBe(409);
  expect((await change(browser(http, ann), { ...body, current_password: 'wrong' })).status).toBe(401);
  expect((await change(browser(http, ann), { ...body, new_password: 'short' })).status).toBe(400);
  expect((await change(browser(http, ann))).status).toBe(200);
  expect((await http.send('GET', '/v1/auth/me', { headers: { cookie: cookieOf(ann) } })).body).toMatchObject({ name: 'Ann' });
  expect((await login(http, 'ann', PASSWORD)).status).toBe(401);
  expect((await login(http, 'ann', body.new_password)).status).toBe(200);
});

test('an open stream of a deleted user ends, and that of another user stays', async () => {
  const http = await start();
  const ann = await setup(http);
  const { body } = await http.send('POST', '/v1/auth/users', { headers: root, body: { username: 'bob', role: 'reader' } });
  const stream = async (answer: Answer) => {
    const response = await fetch(`${http.url}/v1/events/watch`, { headers: { cookie: cookieOf(answer) } });
    const reader = response.body?.getReader();
    const ended = (async () => {
      while (!(await reader?.read())?.done);
      return true;
    })();
    return { ended, cancel: () => reader?.cancel() };
  };
  const [anns, bobs] = [await stream(ann), await stream(await login(http, 'bob', body.password))];
  await http.send('DELETE', '/v1/auth/users/bob', { headers: root });
  expect(await bobs.ended).toBe(true);
  expect(await Promise.race([anns.ended, Promise.resolve('open')])).toBe('open');
  await anns.cancel();
});

test('the four endpoints of passwords share one limit per client address, which trusted proxies forward', async () => {
  const http = await start({ trustedProxies: ['127.0.0.1'] });
  const paths = ['setup', 'login', 'change-password', 'admin/reset-password'];
  const from = (address: string, at: number) =>
    http.send('POST', `/v1/auth/${paths[at % 4]}`, { body: {}, headers: { ...root, 'x-forwarded-for': address } });
  const statuses = [];
  for (let at = 0; at < 20; at += 1) statuses.push((await from('203.0.113.1', at)).status);
  expect(statuses).not.toContain(429);
  for (let at = 0; at < 4; at += 1)
    expect(await from('203.0.113.1', at)).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
  expect((await from('203.0.113.2', 0)).status).toBe(400);
});

test.each(['change-password', 'admin/reset-password'])(
  '%s limits callers without the role, and foreign pages use up nothing',
  async (path) => {
    const http = await start({ trustedProxies: ['127.0.0.1'] });
    const send = (address: string, headers: Record<string, string> = {}) =>
      http.send('POST', `/v1/auth/${path}`, { body: {}, headers: { 'x-forwarded-for': address, ...headers } });
    for (let at = 0; at < 20; at += 1) expect((await send('203.0.113.1')).status).toBe(401);
    expect(await send('203.0.113.1')).toMatchObject({ status: 429, headers: { 'retry-after': expect.any(String) } });
    for (let at = 0; at < 21; at += 1) expect((await send('203.0.113.2', { origin: 'https://other.example' })).status).toBe(403);
    expect((await send('203.0.113.2')).status).toBe(401);
  },
);

test('stored tokens are listed in pages, in the order of their names', async () => {
  const http = await start();
  for (const name of ['c', 'a', 'd', 'b']) await http.send('POST', '/v1/tokens', { body: { name, role: 'reader' }, headers: root });
  const page = async (query: string) => {
    const { body } = await http.send('GET', `/v1/tokens?${query}`, { headers: root });
    return [body.items.map(({ name }: { name: string }) => name), body.continue];
  };
  expect(await page('limit=3')).toEqual([['a', 'b', 'c'], 'c']);
  expect(await page('limit=3&after=c')).toEqual([['d'], undefined]);
  expect(await page('limit=4')).toEqual([['a', 'b', 'c', 'd'], undefined]);
  expect(await page('after=bb')).toEqual([['c', 'd'], undefined]);
  for (const limit of [0, 1001]) expect((await http.send('GET', `/v1/tokens?limit=${limit}`, { headers: root })).status).toBe(400);
});

const HOSTILE: readonly unknown[] = [
  null,
  true,
  7,
  [],
  {},
  '',
  'x\0y',
  '\ud800',
  '‮admin',
  '💥'.repeat(3),
  'é'.repeat(20),
  'a'.repeat(10_000),
  '../../etc',
  "' or 1=1 --",
  ['Ann'],
  { $ne: '' },
];

test.each([
  ['POST', '/v1/auth/setup', { username: 'Ann2', password: PASSWORD }],
  ['POST', '/v1/auth/users', { username: 'carl', role: 'reader' }],
  ['PATCH', '/v1/auth/users/Ann', { role: 'reader' }],
  ['POST', '/v1/auth/admin/reset-password', { username: 'nobody-here', new_password: PASSWORD }],
  ['POST', '/v1/auth/change-password', { current_password: PASSWORD, new_password: PASSWORD }],
  ['POST', '/v1/auth/login', { username: 'nobody-here', password: PASSWORD }],
])('%s %s answers hostile values of each field with 4xx and does not echo them', async (method, path, body: Record<string, string>) => {
  let now = Date.now();
  const clock = { now: () => (now += 60_000), sleep: async () => undefined };
  const hasher = { hash: async () => 'hash', verify: async () => false };
  const http = await start({ clock, native: { hasher } });
  if (!path.endsWith('setup')) await setup(http);
  for (const field of Object.keys(body)) {
    for (const value of HOSTILE) {
      const isPassword = field.endsWith('password') && value === 'é'.repeat(20);
      if (isPassword) continue;
      const { status, text } = await http.send(method, path, { headers: root, body: { ...body, [field]: value } });
      expect(`${field} ${JSON.stringify(value)?.slice(0, 30)} ${status >= 400 && status < 500}`).toMatch(/true$/);
      if (typeof value === 'string' && value.length > 3) expect(text).not.toContain(value);
    }
  }
  for (const whole of HOSTILE) expect(String((await http.send(method, path, { headers: root, body: whole })).status)).toMatch(/^4/);
});
