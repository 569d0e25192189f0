import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Clock } from '../clock.ts';
import type { RequestContext, Role } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import { openPostgresStore } from '../store/postgres/open.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { faultyStore } from '../testing/faulty-store.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from '../testing/postgres-server.ts';
import type { AuthService } from './auth.ts';
import { ANONYMOUS, createAuth } from './create-auth.ts';

let now = 0;
const clock: Clock = { now: () => now, sleep: async () => undefined };
let store: Store;

beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z');
  store = await openSqliteStore({ path: ':memory:', clock });
  return () => store.close();
});

const as = (role: Role): RequestContext => ({ identity: { method: 'bearer', name: 'x', role }, requestId: 'r' });
const admin = as('admin');
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
const open = (config: { apiKey?: string; apiTokens?: string } = {}): Promise<AuthService> => createAuth({ store, clock, ...config });

describe('with auth off', () => {
  test('everyone is the anonymous admin, whatever they send', async () => {
    const auth = await open();
    expect(auth.enabled()).toBe(false);
    expect(await auth.authenticate(undefined)).toBe(ANONYMOUS);
    expect(await auth.authenticate('Bearer nonsense')).toBe(ANONYMOUS);
    expect(await auth.config()).toEqual({ mode: 'off', setup_required: false, login_methods: [], setup_token_required: false });
  });

  test('the first stored token must be an admin one, and turns auth on permanently', async () => {
    const auth = await open();
    expect(await codeOf(auth.createToken(admin, { name: 'r', role: 'reader' }))).toBe('conflict');
    expect(auth.enabled()).toBe(false);
    const { token, ...record } = await auth.createToken(admin, { name: 'root', role: 'admin' });
    expect(record).toEqual({ name: 'root', role: 'admin', created_at: '2026-01-01T00:00:00.000Z' });
    expect(await codeOf(auth.authenticate(undefined))).toBe('unauthorized');
    expect(await auth.tryAuthenticate(undefined)).toBeUndefined();
    expect(await auth.authenticate(`bearer ${token}`)).toEqual({ method: 'bearer', name: 'root', role: 'admin' });
    expect((await open()).enabled()).toBe(true);
  });

  test('a token made through another process turns auth on here', async () => {
    const other = await open();
    await (await open()).createToken(admin, { name: 'root', role: 'admin' });
    expect(await codeOf(other.authenticate(undefined))).toBe('unauthorized');
  });
});

test('a first token is returned even when the outcome of its write is unknown, so that nobody is locked out', async () => {
  const faulty = faultyStore(store);
  faulty.fault = () => 'after';
  const auth = await createAuth({ store: faulty.store, clock });
  const { token } = await auth.createToken(admin, { name: 'root', role: 'admin' });
  expect(await auth.authenticate(`Bearer ${token}`)).toMatchObject({ name: 'root' });
  faulty.fault = () => 'before';
  expect(await codeOf(auth.createToken(admin, { name: 'second', role: 'admin' }))).toBe('unavailable');
});

describe.skipIf(withoutPostgres('tokens made through several processes'))('several processes', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.remove());

  async function processes(): Promise<{ one: AuthService; two: AuthService; close: () => Promise<unknown> }> {
    const url = await server.createDatabase();
    const stores = [await openPostgresStore({ url, clock }), await openPostgresStore({ url, clock })] as const;
    const [one, two] = [await createAuth({ store: stores[0], clock }), await createAuth({ store: stores[1], clock })];
    return { one, two, close: () => Promise.all(stores.map((each) => each.close())) };
  }

  test('give one name once, and never take the last admin token away between them', async () => {
    const { one, two, close } = await processes();
    for (let round = 0; round < 10; round += 1) {
      const made = await Promise.all([one, two].map((auth) => codeOf(auth.createToken(admin, { name: `a-${round}`, role: 'admin' }))));
      expect(made.sort()).toEqual(['conflict', 'ok']);
    }
    for (let round = 0; round < 8; round += 1) await one.deleteToken(admin, `a-${round}`);
    const gone = await Promise.all([codeOf(one.deleteToken(admin, 'a-8')), codeOf(two.deleteToken(admin, 'a-9'))]);
    expect(gone.sort()).toEqual(['conflict', 'ok']);
    expect(await one.listTokens(admin)).toHaveLength(1);
    await close();
  });

  test('share a sign-in, which stays ended although the other process renews it at that moment', async () => {
    const { one, two, close } = await processes();
    const { token } = await one.createToken(admin, { name: 'root', role: 'admin' });
    for (let round = 0; round < 10; round += 1) {
      const { key = '' } = await one.signIn({ credential: { type: 'bearer', token }, requestId: 'r', clientAddress: '' });
      const renew = () => codeOf(two.authenticateSignIn(key, { renew: true }));
      expect(await renew()).toBe('ok');
      now += 2 * 60 * 60_000;
      await Promise.all([renew(), one.signOut(key, { requestId: 'r' }), renew()]);
      expect([await renew(), await codeOf(one.authenticateSignIn(key, { renew: false }))]).toEqual(['unauthorized', 'unauthorized']);
    }
    await close();
  });
});

describe('stored tokens', () => {
  test('are kept as hashes and shown without their value', async () => {
    const auth = await open({ apiKey: 'key' });
    const { token } = await auth.createToken(admin, { name: 'bot', role: 'a2a', a2a_agent_systems: ['team/sys'] });
    const documents = await store.listDocuments('api-tokens', '', 10);
    expect(JSON.stringify(documents)).not.toContain(token.slice(4));
    expect(await auth.listTokens(admin)).toEqual([
      { name: 'bot', role: 'a2a', a2a_agent_systems: ['team/sys'], created_at: '2026-01-01T00:00:00.000Z' },
    ]);
    expect(await auth.authenticate(`Bearer ${token}`)).toEqual({
      method: 'bearer',
      name: 'bot',
      role: 'a2a',
      a2aAgentSystems: ['team/sys'],
    });
  });

  test('are found by their exact name without a listing', async () => {
    const auth = await open({ apiKey: 'key' });
    const bot = { method: 'bearer', name: 'bot', role: 'writer' };
    await auth.createToken(admin, { name: 'bot', role: 'writer' });
    const listed = vi.spyOn(store, 'listDocuments');
    expect([await auth.principal('bot'), await auth.principal('api-token')]).toEqual([
      bot,
      { method: 'bearer', name: 'api-token', role: 'admin' },
    ]);
    expect(listed).not.toHaveBeenCalled();
    await auth.deleteToken(admin, 'bot');
    expect([await auth.principal('bot'), await auth.principal('Bot')]).toEqual([undefined, undefined]);
  });

  test('stored by an older version without their names are found by name', async () => {
    const auth = await open({ apiKey: 'key' });
    await store.transaction((tx) => tx.putDocument('api-tokens', 'ab'.repeat(32), { name: 'old', role: 'writer', created_at: '' }));
    expect(await auth.principal('old')).toEqual({ method: 'bearer', name: 'old', role: 'writer' });
  });

  test('stop working when deleted', async () => {
    const auth = await open({ apiKey: 'key' });
    const { token } = await auth.createToken(admin, { name: 'ci', role: 'writer' });
    expect((await auth.deleteToken(admin, 'ci')).name).toBe('ci');
    expect(await codeOf(auth.authenticate(`Bearer ${token}`))).toBe('unauthorized');
    expect(await codeOf(auth.deleteToken(admin, 'ci'))).toBe('not_found');
  });

  test('keep the last way in as admin', async () => {
    const auth = await open();
    await auth.createToken(admin, { name: 'one', role: 'admin' });
    await auth.createToken(admin, { name: 'two', role: 'admin' });
    expect(await codeOf(auth.deleteToken(admin, 'one'))).toBe('ok');
    expect(await codeOf(auth.deleteToken(admin, 'two'))).toBe('conflict');
    const withKey = await open({ apiKey: 'key' });
    expect(await codeOf(withKey.deleteToken(admin, 'two'))).toBe('ok');
    expect((await open()).enabled()).toBe(true);
  });

  test('refuse taken names, also those of env tokens', async () => {
    const auth = await open({ apiTokens: 'ops:secret:admin' });
    await auth.createToken(admin, { name: 'ci', role: 'writer' });
    expect(await codeOf(auth.createToken(admin, { name: 'ci', role: 'reader' }))).toBe('conflict');
    expect(await codeOf(auth.createToken(admin, { name: 'ops', role: 'reader' }))).toBe('conflict');
  });

  test('refuse the name of callers without a credential', async () => {
    const auth = await open({ apiKey: 'key' });
    for (const name of ['anonymous', 'Anonymous']) expect(await codeOf(auth.createToken(admin, { name, role: 'reader' }))).toBe('conflict');
    await expect(open({ apiTokens: 'anonymous:secret:admin' })).rejects.toThrow('reserved name');
  });

  test.each([
    [null],
    [[]],
    [{ role: 'reader' }],
    [{ name: 'a b', role: 'reader' }],
    [{ name: 'a', role: 'root' }],
    [{ name: 'a', role: 'a2a' }],
    [{ name: 'a', role: 'a2a', a2a_agent_systems: ['a/b/c'] }],
    [{ name: 'a', role: 'reader', a2a_agent_systems: ['s'] }],
    [{ name: 3, role: 4 }],
  ])('refuse the malformed request %j', async (body) => {
    expect(await codeOf((await open({ apiKey: 'key' })).createToken(admin, body))).toBe('invalid');
  });

  test.each(['reader', 'writer', 'a2a'] as const)('are not for role %s', async (role) => {
    const auth = await open({ apiKey: 'key' });
    expect(await codeOf(auth.createToken(as(role), { name: 'a', role: 'admin' }))).toBe('forbidden');
    expect(await codeOf(auth.listTokens(as(role)))).toBe('forbidden');
    expect(await codeOf(auth.deleteToken(as(role), 'a'))).toBe('forbidden');
  });
});

describe('with auth on', () => {
  test.each(['Bearer', 'Bearer wrong', 'Basic a2V5', 'key', 'Bearer a b', ''])('refuses the header %j', async (header) => {
    const auth = await open({ apiKey: 'key' });
    expect(await codeOf(auth.authenticate(header))).toBe('unauthorized');
  });
});
