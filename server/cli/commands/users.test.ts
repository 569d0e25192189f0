// svcctl users against a real server with native sign-in.
import { expect, it } from 'vitest';
import { startCliServer } from '../../testing/cli-server.ts';

const ROOT = 'a-root-token-of-this-test';
const { server, svcctl: plain } = await startCliServer({ SVC_API_TOKEN: ROOT, SVC_AUTH_MODE: 'native' });
const svcctl = (argv: readonly string[], stdin = '') => plain(argv, { stdin, env: { SVC_API_TOKEN: ROOT } });

const login = (username: string, password: string) =>
  fetch(`${server.url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });

it('a user is created with a password that signs in, gets another role and password, and is deleted', async () => {
  const created = await svcctl(['users', 'create', 'ann', '--role', 'reader']);
  expect(created).toMatchObject({ code: 0, err: expect.stringContaining('shown only once') });
  const password = created.out.trim();
  expect((await login('ann', password)).status).toBe(200);
  expect((await svcctl(['users', 'set-role', 'ann', '--role', 'approver'])).out).toBe('user/ann has role approver\n');
  expect((await svcctl(['users', 'list'])).out).toMatch(/^ann +approver /m);
  expect((await svcctl(['users', 'sign-ins', 'ann'])).out).toMatch(/^ann +password +\S+ /m);
  const own = 'correct horse battery';
  const reset = await svcctl(['users', 'reset-password', 'ann', '--password-file', '-'], `${own}\n`);
  expect(reset).toEqual({ code: 0, out: 'user/ann has the new password\n', err: '' });
  expect((await svcctl(['users', 'sign-ins', 'ann'])).err).toBe('No sign-ins.\n');
  expect([(await login('ann', password)).status, (await login('ann', own)).status]).toEqual([401, 200]);
  const [id = ''] = (await svcctl(['users', 'sign-ins', 'ann', '-o', 'name'])).out.split('\n');
  expect((await svcctl(['users', 'end-sign-in', id])).out).toBe('sign-in of ann ended\n');
  expect((await svcctl(['users', 'delete', 'ann'])).out).toBe('user/ann deleted\n');
  expect((await login('ann', own)).status).toBe(401);
});

it.each([
  ['a name that is too short', ['users', 'create', 'x', '--role', 'reader'], /username/],
  ['an unknown role', ['users', 'create', 'bob', '--role', 'owner'], /choices are|Allowed choices/i],
  ['an unknown user', ['users', 'delete', 'nobody-here'], /nobody-here/],
  ['an empty password', ['users', 'reset-password', 'ann', '--password-file', '-'], /holds no password/],
  ['a path as an id', ['users', 'end-sign-in', '..'], /\.\./],
])('%s is refused in one sentence', async (_title, argv, sentence) => {
  const refused = await svcctl(argv);
  expect(refused).toMatchObject({ out: '', err: expect.stringMatching(sentence) });
  expect(refused.code).not.toBe(0);
});

it('every user is listed, beyond one page', { timeout: 60_000 }, async () => {
  const names = Array.from({ length: 12 }, (_, n) => `user-${String(n).padStart(2, '0')}`);
  for (const name of names) await svcctl(['users', 'create', name, '--role', 'reader']);
  expect((await svcctl(['users', 'list', '-o', 'name'])).out.split('\n').filter((name) => name.startsWith('user-'))).toEqual(names);
});
