import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { RequestContext, Role } from '../../registry/registry.ts';
import { openPostgresStore } from '../../store/postgres/open.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import type { Store } from '../../store/store.ts';
import { createManualClock } from '../../testing/manual-clock.ts';
import { startPostgres, withoutPostgres, type PostgresServer } from '../../testing/postgres-server.ts';
import type { AuthService } from '../auth.ts';
import { createAuth } from '../create-auth.ts';
import { signInId } from '../sign-in-documents.ts';
import type { PasswordHasher } from './password-hasher.ts';

const clock = createManualClock();
const PASSWORD = 'correct horse battery';

/** Counts the work, and does none. */
function countingHasher(): PasswordHasher & { work: number } {
  return {
    work: 0,
    async hash(password) {
      this.work += 1;
      return `hash of ${password}`;
    },
    async verify(hash, password) {
      this.work += 1;
      return hash === `hash of ${password}`;
    },
  };
}

const as = (role: Role, name = 'x'): RequestContext => ({ identity: { method: 'session', name, role }, requestId: 'r' });
const admin = as('admin');
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );
const login = (auth: AuthService, username: string, password: string) =>
  auth.signIn({ credential: { type: 'password', username, password }, requestId: 'r', clientAddress: '203.0.113.9' });
const keyOf = async (auth: AuthService, username: string, password = PASSWORD) => (await login(auth, username, password)).key ?? '';
const nameOf = (auth: AuthService, key: string) => auth.authenticateSignIn(key, { renew: false }).then(({ identity }) => identity.name);

/** Two connections to one database, as two servers have; an embedded one has a single process. */
type OpenStores = () => Promise<readonly [Store, Store]>;
const opened = new Set<Store>();
let postgres: PostgresServer | undefined;
const stores: [string, OpenStores][] = [
  [
    'SQLite',
    async () => {
      const store = await openSqliteStore({ path: ':memory:', clock });
      return [store, store];
    },
  ],
  [
    'PostgreSQL',
    async () => {
      postgres ??= await startPostgres();
      const url = await postgres.createDatabase();
      return [await openPostgresStore({ url, clock }), await openPostgresStore({ url, clock })];
    },
  ],
];
afterEach(async () => {
  await Promise.all([...opened].map((store) => store.close()));
  opened.clear();
});
afterAll(() => postgres?.remove());

describe.each(stores)('users on %s', (database, openStores) => {
  const it = test.skipIf(database === 'PostgreSQL' && withoutPostgres('users on PostgreSQL'));
  async function setup() {
    const [one, two] = await openStores();
    opened.add(one).add(two);
    const hasher = countingHasher();
    const open = (store: Store) => createAuth({ store, clock, native: { hasher } });
    return { hasher, auth: await open(one), other: await open(two) };
  }
  const withAdmin = async () => {
    const world = await setup();
    await world.auth.users.setup(admin, { username: 'Ann', password: PASSWORD });
    return world;
  };

  it('setup makes one admin, although two servers take requests at once', async () => {
    const { auth, other } = await setup();
    expect(await auth.config()).toEqual({
      mode: 'native',
      setup_required: true,
      login_methods: ['password'],
      setup_token_required: false,
    });
    const names = ['ann', 'bob', 'cem', 'dan', 'eve', 'fay'];
    const made = await Promise.all(
      names.map((username, at) => codeOf((at % 2 ? auth : other).users.setup(admin, { username, password: PASSWORD }))),
    );
    expect(made.toSorted()).toEqual([...Array<string>(5).fill('conflict'), 'ok']);
    expect((await auth.users.list(admin, { limit: 10 })).items).toHaveLength(1);
    expect(await other.config()).toMatchObject({ setup_required: false });
  });

  it('one account has one name whatever its case, and no token shares it', async () => {
    const { auth } = await withAdmin();
    expect(await codeOf(auth.users.create(admin, { username: 'ANN', role: 'reader' }))).toBe('conflict');
    await auth.createToken(admin, { name: 'deploy', role: 'writer' });
    expect(await codeOf(auth.users.create(admin, { username: 'Deploy', role: 'reader' }))).toBe('conflict');
    expect(await codeOf(auth.users.create(admin, { username: 'Anonymous', role: 'reader' }))).toBe('conflict');
    expect(await codeOf(auth.createToken(admin, { name: 'ann', role: 'writer' }))).toBe('conflict');
    expect((await login(auth, 'aNN', PASSWORD)).identity).toEqual({ method: 'session', name: 'Ann', role: 'admin' });
  });

  it('a wrong password and an unknown name cost the same work and get the same answer', async () => {
    const { auth, hasher } = await withAdmin();
    const answers = [];
    for (const name of ['Ann', 'nobody', 'x', 'ann\0', '💥', 'a'.repeat(10_000), '']) {
      hasher.work = 0;
      const error = await login(auth, name, 'wrong').catch((reason: Error) => reason);
      answers.push([hasher.work, String(error)]);
    }
    expect(new Set(answers.map(([work]) => work))).toEqual(new Set([1]));
    expect(new Set(answers.map(([, text]) => text)).size).toBe(1);
  });

  it('the last admin can neither be deleted nor lose the role, even in two requests at once', async () => {
    const { auth, other } = await withAdmin();
    expect(await codeOf(auth.users.remove(admin, 'ann'))).toBe('conflict');
    expect(await codeOf(auth.users.setRole(admin, 'ann', { role: 'reader' }))).toBe('conflict');
    await auth.users.create(admin, { username: 'bob', role: 'admin' });
    const both = await Promise.all([
      codeOf(auth.users.remove(admin, 'ann')),
      codeOf(other.users.setRole(admin, 'bob', { role: 'reader' })),
    ]);
    expect(both.toSorted()).toEqual(['conflict', 'ok']);
  });

  it('a changed password ends the other sign-ins of its user, and no one else', async () => {
    const { auth } = await withAdmin();
    const { password } = await auth.users.create(admin, { username: 'bob', role: 'writer' });
    const [own, other, bobs] = [await keyOf(auth, 'ann'), await keyOf(auth, 'ann'), await keyOf(auth, 'bob', password)];
    const change = (current: string) =>
      auth.users.changePassword(admin, signInId(own), { current_password: current, new_password: `new ${PASSWORD}` });
    expect(await codeOf(change('wrong'))).toBe('unauthorized');
    await change(PASSWORD);
    expect(await nameOf(auth, own)).toBe('Ann');
    expect(await codeOf(nameOf(auth, other))).toBe('unauthorized');
    expect(await nameOf(auth, bobs)).toBe('bob');
    expect(await codeOf(login(auth, 'ann', PASSWORD))).toBe('unauthorized');
    expect((await auth.listSignIns(admin, { name: 'ANN', limit: 10 })).items).toHaveLength(1);
  });

  it('a reset ends all sign-ins of the user; a new role holds from the next request', async () => {
    const { auth } = await withAdmin();
    const { password } = await auth.users.create(admin, { username: 'bob', role: 'writer' });
    const key = await keyOf(auth, 'bob', password);
    await auth.users.setRole(admin, 'BOB', { role: 'reader' });
    expect((await auth.authenticateSignIn(key, { renew: false })).identity.role).toBe('reader');
    const reset = await auth.users.resetPassword(admin, { username: 'bob' });
    expect(await codeOf(nameOf(auth, key))).toBe('unauthorized');
    expect(await nameOf(auth, await keyOf(auth, 'bob', reset.password))).toBe('bob');
  });

  it('a deleted user is signed out, and stays signed out when the name is reused', async () => {
    const { auth } = await withAdmin();
    const { password } = await auth.users.create(admin, { username: 'bob', role: 'writer' });
    const key = await keyOf(auth, 'bob', password);
    await auth.users.remove(admin, 'bob');
    expect(await codeOf(nameOf(auth, key))).toBe('unauthorized');
    await auth.users.create(admin, { username: 'bob', role: 'reader' });
    expect(await codeOf(nameOf(auth, key))).toBe('unauthorized');
    expect(await codeOf(login(auth, 'bob', password))).toBe('unauthorized');
  });

  it('sign-ins are listed and ended by their ids, which are not keys', async () => {
    const { auth } = await withAdmin();
    const { password } = await auth.users.create(admin, { username: 'bob', role: 'writer' });
    const [anns, bobs] = [await keyOf(auth, 'ann'), await keyOf(auth, 'bob', password)];
    const bob = as('writer', 'bob');
    const own = await auth.listSignIns(bob, { limit: 10, ownId: signInId(bobs) });
    expect(own.items).toMatchObject([{ username: 'bob', method: 'password', client_address: '203.0.113.9', current: true }]);
    expect((await auth.listSignIns(admin, { limit: 10 })).items).toHaveLength(2);
    expect(await codeOf(auth.listSignIns(bob, { name: 'ann', limit: 10 }))).toBe('forbidden');
    const id = own.items[0]?.id ?? '';
    expect(await codeOf(nameOf(auth, id))).toBe('unauthorized');
    expect(await codeOf(auth.endSignIn(bob, signInId(anns)))).toBe('not_found');
    await auth.endSignIn(bob, id);
    expect(await codeOf(nameOf(auth, bobs))).toBe('unauthorized');
    expect((await auth.listSignIns(admin, { limit: 10 })).items.map(({ username }) => username)).toEqual(['Ann']);
    await auth.endSignIn(admin, signInId(anns));
    expect(await codeOf(nameOf(auth, anns))).toBe('unauthorized');
  });

  it('users page by name without case, and no answer holds a hash', async () => {
    const { auth } = await withAdmin();
    for (const username of ['bob', 'Cem', 'dan']) await auth.users.create(admin, { username, role: 'reader' });
    const first = await auth.users.list(admin, { limit: 3 });
    expect(first.items.map(({ username }) => username)).toEqual(['Ann', 'bob', 'Cem']);
    const rest = await auth.users.list(admin, { limit: 3, after: first.next });
    expect(rest).toEqual({
      items: [{ username: 'dan', role: 'reader', created_at: expect.any(String), password_changed_at: expect.any(String) }],
    });
    expect(JSON.stringify([first, rest])).not.toContain('hash');
  });
});

test('setup with a setup token refuses a wrong one before any password is hashed', async () => {
  const store = await openSqliteStore({ path: ':memory:', clock });
  const hasher = countingHasher();
  const auth = await createAuth({ store, clock, native: { hasher, setupToken: 'the-setup-token' } });
  expect(await auth.config()).toMatchObject({ setup_required: true, setup_token_required: true });
  for (const setup_token of [undefined, '', 'wrong', 7, null, {}])
    expect(await codeOf(auth.users.setup(admin, { username: 'ann', password: PASSWORD, setup_token }))).toBe('forbidden');
  expect(hasher.work).toBe(0);
  await auth.users.setup(admin, { username: 'ann', password: PASSWORD, setup_token: 'the-setup-token' });
  expect(await codeOf(auth.users.setup(admin, { username: 'bob', password: PASSWORD, setup_token: 'the-setup-token' }))).toBe('conflict');
  await store.close();
});

test('without native mode every call about users is a conflict that names the flag', async () => {
  const store = await openSqliteStore({ path: ':memory:', clock });
  const auth = await createAuth({ store, clock });
  await expect(auth.users.setup(admin, {})).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('--auth-mode native'),
  });
  await store.close();
});
