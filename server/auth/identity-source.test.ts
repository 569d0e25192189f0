// Further identity sources behind the real HTTP front: users with passwords, and a secret that stands for one launch of the process.
import { createHmac, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock, timestamp } from '../clock.ts';
import type { Identity, Role } from '../registry/registry.ts';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../testing/http-fixture.ts';
import { createAuth } from './create-auth.ts';
import type { IdentitySource } from './identity-source.ts';

const COST = { N: 1024 };

interface User {
  readonly identity: Identity;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

interface Users extends IdentitySource {
  add(username: string, password: string, role: Role): void;
  remove(username: string): void;
}

function createUsers(): Users {
  const users = new Map<string, User>();
  const hashOf = (password: string, salt: Buffer) => scryptSync(password, salt, 32, COST);
  return {
    id: 'user',
    revokedBy: ['User'],
    isOn: () => true,
    async authenticate(credential) {
      if (credential.type !== 'password') return undefined;
      const user = users.get(credential.username);
      const hash = hashOf(credential.password, user?.salt ?? Buffer.alloc(16));
      if (!user || !timingSafeEqual(hash, user.hash)) return undefined;
      return { identity: user.identity, linkFor: () => credential.username };
    },
    resolve: async (username) => users.get(username)?.identity,
    config: async () => ({ mode: 'native', login_methods: ['password'], setup_required: users.size === 0 }),
    principals: async () => [...users.values()].map(({ identity }) => identity),
    add(name, password, role) {
      const salt = randomBytes(16);
      users.set(name, { identity: { method: 'session', name, role }, salt, hash: hashOf(password, salt) });
    },
    remove: (username) => void users.delete(username),
  };
}

function createLaunchSecret(secret: Buffer): IdentitySource {
  const identity: Identity = { method: 'bearer', name: 'desktop', role: 'admin' };
  const linkFor = (key: string) => createHmac('sha256', secret).update(key).digest('hex');
  return {
    id: 'launch',
    revokedBy: [],
    isOn: () => true,
    async authenticate(credential) {
      if (credential.type !== 'bearer') return undefined;
      const given = Buffer.from(credential.token, 'base64url');
      return given.length === secret.length && timingSafeEqual(given, secret) ? { identity, linkFor } : undefined;
    },
    resolve: async (link, key) => (timingSafeEqual(Buffer.from(link), Buffer.from(linkFor(key))) ? identity : undefined),
    config: async () => ({}),
    principals: async () => [identity],
  };
}

const open: HttpFixture[] = [];
async function start(options: HttpFixtureOptions): Promise<HttpFixture> {
  const http = await startHttpFixture(options);
  open.push(http);
  return http;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

describe('a source of users with passwords', () => {
  async function withUsers(options: HttpFixtureOptions = {}) {
    const users = createUsers();
    users.add('ann', 'correct horse battery', 'admin');
    const http = await start({ identitySources: [users], ...options });
    const login = (username: string, password: string) => http.send('POST', '/v1/auth/login', { body: { username, password } });
    return { users, http, login };
  }

  test('turns authentication on, beside the other sources', async () => {
    const { http } = await withUsers({ apiKey: 'operator-token' });
    expect((await http.send('GET', '/v1/agents')).status).toBe(401);
    expect((await http.send('GET', '/v1/auth/config')).body).toEqual({
      mode: 'native',
      setup_required: false,
      login_methods: ['bearer', 'password'],
      setup_token_required: false,
    });
    const headers = { authorization: 'Bearer operator-token' };
    expect((await http.send('GET', '/v1/agents', { headers })).status).toBe(200);
  });

  test('signs a user in with a cookie that is valid until the user is deleted', async () => {
    const { users, http, login } = await withUsers();
    const answer = await login('ann', 'correct horse battery');
    expect(answer).toMatchObject({ status: 200, body: { authenticated: true, username: 'ann', role: 'admin', method: 'session' } });
    const headers = { cookie: String(answer.headers['set-cookie']).split(';', 1)[0] ?? '' };
    expect((await http.send('GET', '/v1/tokens', { headers })).status).toBe(200);
    users.remove('ann');
    expect((await http.send('GET', '/v1/tokens', { headers })).status).toBe(401);
  });

  test('refuses a wrong password with the answer for an unknown user', async () => {
    const { login } = await withUsers();
    const [wrong, unknown] = [await login('ann', 'wrong'), await login('nobody', 'wrong')];
    expect([wrong.status, unknown.status]).toEqual([401, 401]);
    expect(wrong.body).toEqual(unknown.body);
  });

  test('keeps its names from API tokens, and counts as a way in for admins', async () => {
    const { users, http, login } = await withUsers();
    users.add('bob', 'another long password', 'reader');
    const answer = await login('ann', 'correct horse battery');
    const headers = { cookie: String(answer.headers['set-cookie']).split(';', 1)[0] ?? '', origin: http.url };
    const create = (name: string, role: Role) => http.send('POST', '/v1/tokens', { body: { name, role }, headers });
    expect((await create('bob', 'reader')).status).toBe(409);
    expect((await create('ci', 'admin')).status).toBe(201);
    expect((await http.send('DELETE', '/v1/tokens/ci', { headers })).status).toBe(200);
  });

  test('has its open streams closed when a fact of its kind reports a revocation', async () => {
    const { users, http, login } = await withUsers();
    const cookie = String((await login('ann', 'correct horse battery')).headers['set-cookie']).split(';', 1)[0] ?? '';
    const stream = await fetch(`${http.url}/v1/agents/watch`, { headers: { cookie } });
    expect(stream.status).toBe(200);
    users.remove('ann');
    const fact = { type: 'user.deleted', source: 'auth', action: 'deleted', message: 'User "ann" was deleted' };
    await http.store.transaction((tx) =>
      tx.appendFact({ kind: 'User', namespace: 'default', name: 'ann' }, timestamp(systemClock.now()), fact),
    );
    expect(await stream.text()).toContain('unauthorized');
  });
});

describe('a launch secret', () => {
  test('is exchanged for a sign-in that the next launch refuses', async () => {
    const secret = randomBytes(32);
    const http = await start({ identitySources: [createLaunchSecret(secret)] });
    const answer = await http.send('POST', '/v1/auth/login', { body: { token: secret.toString('base64url') } });
    expect(answer).toMatchObject({ status: 200, body: { username: 'desktop', role: 'admin', method: 'session' } });
    const key = String(answer.headers['set-cookie']).split(';', 1)[0]?.split('=')[1] ?? '';
    const launch = (of: Buffer) => createAuth({ store: http.store, clock: systemClock, sources: [createLaunchSecret(of)] });
    expect(await (await launch(secret)).authenticateSignIn(key, { renew: false })).toMatchObject({ identity: { name: 'desktop' } });
    const next = await launch(randomBytes(32));
    await expect(next.authenticateSignIn(key, { renew: false })).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

test('a sign-in with a password is refused without a source that accepts passwords', async () => {
  const http = await start({ apiKey: 'operator-token' });
  const answer = await http.send('POST', '/v1/auth/login', { body: { username: 'ann', password: 'x' } });
  expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } });
});
