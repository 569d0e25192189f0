// Refusals of the endpoints for people: each is a 4xx with a code and a sentence that repeats no password, and leaves users and sign-ins as they were.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/running-server.ts';

const PASSWORD = 'correct horse battery';
const ROOT = 'root-token-of-this-test';
let server: TestServer;
let cookie = '';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Default: the admin token. */
  readonly by?: 'admin' | 'browser' | 'nobody';
  /** Sent as it is, in place of `body`. */
  readonly raw?: string | Uint8Array<ArrayBuffer>;
}

async function send({ method, path, body, raw, by = 'admin' }: Sent) {
  const as = { admin: { authorization: `Bearer ${ROOT}` }, browser: { cookie, origin: server.url }, nobody: {} }[by];
  const content = raw ?? (body === undefined ? undefined : JSON.stringify(body));
  const headers = { 'content-type': 'application/json', ...as } as Record<string, string>;
  const answer = await fetch(`${server.url}${path}`, { method, headers, ...(content !== undefined && { body: content }) });
  const text = await answer.text();
  return { status: answer.status, text, headers: answer.headers, body: JSON.parse(text) as Readonly<Record<string, any>> };
}

beforeAll(async () => {
  server = await startTestServer(['--embedded-worker', 'false', '--auth-mode', 'native'], { SVC_API_TOKENS: `root:${ROOT}:admin` });
  await send({ method: 'POST', path: '/v1/auth/setup', body: { username: 'ann', password: PASSWORD }, by: 'nobody' });
  const made = await send({ method: 'POST', path: '/v1/auth/users', body: { username: 'bob', role: 'writer' } });
  const login = await send({
    method: 'POST',
    path: '/v1/auth/login',
    body: { username: 'bob', password: made.body['password'] },
    by: 'nobody',
  });
  cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  expect(login.status).toBe(200);
});
afterAll(() => server?.stop());

const stored = async () => [
  (await send({ method: 'GET', path: '/v1/auth/users' })).body['items'],
  (await send({ method: 'GET', path: '/v1/auth/sessions' })).body['items'],
];
let before: unknown;
beforeEach(async () => {
  before = await stored();
});

const USERS = '/v1/auth/users';
const LOGIN = '/v1/auth/login';
const RESET = '/v1/auth/admin/reset-password';
const CHANGE = '/v1/auth/change-password';
const user = (body: unknown): Sent => ({ method: 'POST', path: USERS, body });
const login = (body: unknown): Sent => ({ method: 'POST', path: LOGIN, body, by: 'nobody' });
const reset = (body: unknown): Sent => ({ method: 'POST', path: RESET, body });
const change = (body: unknown): Sent => ({ method: 'POST', path: CHANGE, body, by: 'browser' });
const one = (method: string, name: string, body?: unknown): Sent => ({ method, path: `${USERS}/${name}`, body });

const REFUSED: readonly (readonly [title: string, status: number, sent: Sent])[] = [
  ['a user without a name', 400, user({ role: 'writer' })],
  ['a user without a role', 400, user({ username: 'new' })],
  ['a user name of 2 characters', 400, user({ username: 'ab', role: 'writer' })],
  ['a user name of 65 characters', 400, user({ username: 'a'.repeat(65), role: 'writer' })],
  ['a user name with a space', 400, user({ username: 'a b c', role: 'writer' })],
  ['a user name with a line break', 400, user({ username: 'abc\nadmin', role: 'writer' })],
  ['a user name in Cyrillic letters', 400, user({ username: 'b\u043eb', role: 'writer' })],
  ['a user name with a combining mark', 400, user({ username: 'bo\u0301b', role: 'writer' })],
  ['a user name with a right-to-left override', 400, user({ username: 'bob\u202e', role: 'writer' })],
  ['a user name in full-width letters', 400, user({ username: '\uff42\uff4f\uff42', role: 'writer' })],
  ['a user name that differs in case alone', 409, user({ username: 'BOB', role: 'writer' })],
  ['a user name that is a number', 400, user({ username: 12345, role: 'writer' })],
  ['a user name that is a list', 400, user({ username: ['abc'], role: 'writer' })],
  ['a user name that is __proto__ with a wrong role', 400, { ...user(undefined), raw: '{"__proto__":{"role":"admin"},"username":"new"}' }],
  ['an unknown role', 400, user({ username: 'new', role: 'owner' })],
  ['a role in upper case', 400, user({ username: 'new', role: 'ADMIN' })],
  ['a role that is a2a', 400, user({ username: 'new', role: 'a2a' })],
  ['a user that is a list', 400, user([{ username: 'new', role: 'writer' }])],
  ['a user that is null', 400, user(null)],
  ['a body that is no JSON', 400, { ...user(undefined), raw: '{"username":' }],
  ['a body that is no UTF-8', 400, { ...user(undefined), raw: new Uint8Array([0x22, 0xff, 0xfe, 0x22]) }],
  ['an empty body', 400, { ...user(undefined), raw: '' }],
  ['a body above 64 KiB', 413, user({ username: 'a'.repeat(70_000), role: 'writer' })],
  ['a role of a user that does not exist', 404, one('PATCH', 'nobody', { role: 'reader' })],
  ['a role of the last admin', 409, one('PATCH', 'ann', { role: 'reader' })],
  ['a change of a user without a role', 400, one('PATCH', 'bob', {})],
  ['a deletion of the last admin', 409, one('DELETE', 'ann')],
  ['a deletion of a user that does not exist', 404, one('DELETE', 'nobody')],
  ['a deletion of a name that nobody may have', 400, one('DELETE', 'a%20b')],
  ['a deletion with a path that is no UTF-8', 400, one('DELETE', '%ff%fe%fd')],
  ['users with a limit of 0', 400, { method: 'GET', path: `${USERS}?limit=0` }],
  ['a sign-in with a wrong password', 401, login({ username: 'bob', password: 'wrong horse battery' })],
  ['a sign-in of a name that nobody has', 401, login({ username: 'nobody', password: 'wrong horse battery' })],
  ['a sign-in with a password that is a number', 400, login({ username: 'bob', password: 123456789012 })],
  ['a sign-in without a password', 400, login({ username: 'bob' })],
  ['a sign-in with an object for a name', 400, login({ username: { $ne: '' }, password: PASSWORD })],
  ['a sign-in with a password of 10,000 characters', 401, login({ username: 'bob', password: 'p'.repeat(10_000) })],
  ['a second setup', 409, { method: 'POST', path: '/v1/auth/setup', body: { username: 'eve', password: PASSWORD }, by: 'nobody' }],
  ['a reset to a password of 11 characters', 400, reset({ username: 'bob', new_password: 'p'.repeat(11) })],
  ['a reset to a password that is a list', 400, reset({ username: 'bob', new_password: ['p'.repeat(12)] })],
  ['a reset to a password of 10,000 characters', 400, reset({ username: 'bob', new_password: 'p'.repeat(10_000) })],
  ['a reset of a user that does not exist', 404, reset({ username: 'nobody', new_password: PASSWORD })],
  ['a reset without a name', 400, reset({ new_password: PASSWORD })],
  ['a change with a wrong password', 401, change({ current_password: 'wrong', new_password: `${PASSWORD} 2` })],
  ['a change without the current password', 400, change({ new_password: `${PASSWORD} 2` })],
  ['a change to a short password', 400, change({ current_password: PASSWORD, new_password: 'short' })],
  ['a change by a token', 409, { ...change({ current_password: PASSWORD, new_password: `${PASSWORD} 2` }), by: 'admin' }],
  ['an end of a sign-in with an unknown id', 404, { method: 'DELETE', path: '/v1/auth/sessions/0000000000000000' }],
  ['an end of a sign-in with a key for an id', 400, { method: 'DELETE', path: `/v1/auth/sessions/${'x'.repeat(600)}` }],
  ['a user made by a writer', 403, { ...user({ username: 'new', role: 'writer' }), by: 'browser' }],
  ['a user made by nobody', 401, { ...user({ username: 'new', role: 'writer' }), by: 'nobody' }],
];

test.each(REFUSED)('%s is refused with %d, and changes nothing', async (_title, status, sent) => {
  const answer = await send(sent);
  expect(answer).toMatchObject({
    status,
    body: { error: { code: expect.stringMatching(/^[a-z_]+$/) as string, message: expect.stringMatching(/./) as string } },
  });
  expect(answer.text).not.toMatch(/horse|pppp|wrong/);
  expect(answer.headers.get('set-cookie') ?? '').not.toMatch(/svc_session=[^;]/);
  expect(await stored()).toEqual(before);
});

test('a name that nobody has and a wrong password have one answer', async () => {
  const [unknown, wrong] = await Promise.all([
    send(login({ username: 'nobody', password: 'wrong horse battery' })),
    send(login({ username: 'bob', password: 'wrong horse battery' })),
  ]);
  expect(unknown.text).toBe(wrong.text);
});
