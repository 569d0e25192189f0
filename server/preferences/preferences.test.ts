import { beforeEach, expect, test } from 'vitest';
import { createAuth } from '../auth/create-auth.ts';
import { systemClock } from '../clock.ts';
import type { RequestContext, Role } from '../registry/registry.ts';
import type { Store } from '../store/store.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { createPreferences, forgetPreferences, type Preferences } from './preferences.ts';

let store: Store;
let preferences: Preferences;
beforeEach(async () => {
  store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  preferences = createPreferences({ store });
  return () => store.close();
});

const as = (name: string, method: 'session' | 'bearer' = 'session', role: Role = 'reader'): RequestContext => ({
  identity: { method, name, role },
  requestId: 'r',
});
const ann = as('ann');
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ok',
    (error: { code: string }) => error.code,
  );

test('preferences without a setting are an empty object; a patch merges, and null removes', async () => {
  expect(await preferences.get(ann)).toEqual({});
  expect(await preferences.set(ann, { theme: 'dark', tables: { agents: ['name'], tasks: ['phase'] } })).toEqual({
    theme: 'dark',
    tables: { agents: ['name'], tasks: ['phase'] },
  });
  expect(await preferences.set(ann, { theme: null, tables: { tasks: null, tools: [1] } })).toEqual({
    tables: { agents: ['name'], tools: [1] },
  });
  expect(await createPreferences({ store }).get(ann)).toEqual({ tables: { agents: ['name'], tools: [1] } });
});

test('each identity has its own preferences: by name, and by authentication method', async () => {
  await preferences.set(ann, { a: 1 });
  expect(await preferences.get(as('bob'))).toEqual({});
  expect(await preferences.get(as('ann', 'bearer'))).toEqual({});
});

test('preferences go with their user or token, so that the next one of the name has none', async () => {
  const hasher = { hash: (password: string) => Promise.resolve(password), verify: () => Promise.resolve(true) };
  const auth = await createAuth({ store, clock: systemClock, native: { hasher }, onDeleted: forgetPreferences });
  const admin = as('root', 'session', 'admin');
  await auth.users.create(admin, { username: 'ann', role: 'reader' });
  for (const [name, role] of [['operator', 'admin'] as const, ['robot', 'reader'] as const]) await auth.createToken(admin, { name, role });
  const owners = [ann, as('robot', 'bearer'), as('robot'), as('bob')];
  for (const owner of owners) await preferences.set(owner, { a: 1 });
  await auth.users.remove(admin, 'ann');
  await auth.deleteToken(admin, 'robot');
  expect(await Promise.all(owners.map((owner) => preferences.get(owner)))).toEqual([{}, {}, {}, { a: 1 }]);
  for (const collection of ['preferences', 'preferences.writing'])
    expect((await store.listDocuments(collection, '', 10)).map(({ id }) => id)).toEqual(['session/bob']);
});

test('patches at the same time are all kept', async () => {
  await Promise.all(Array.from({ length: 20 }, (_, index) => preferences.set(ann, { [`k${index}`]: index })));
  expect(Object.keys(await preferences.get(ann))).toHaveLength(20);
});

test('64 KiB are the most, of the whole', async () => {
  const half = 'x'.repeat(40_000);
  await preferences.set(ann, { a: half });
  expect(await codeOf(preferences.set(ann, { b: half }))).toBe('too_large');
  expect(await codeOf(preferences.set(ann, { a: null, b: half }))).toBe('ok');
  expect(Object.keys(await preferences.get(ann))).toEqual(['b']);
});

test.each([
  ['an array', []],
  ['a text', 'x'],
  ['null', null],
  ['no number', { a: Number.NaN }],
  ['a function', { a: () => 1 }],
  ['undefined', { a: undefined }],
  ['a prototype', JSON.parse('{"__proto__": {"polluted": true}}')],
  ['a prototype below', JSON.parse('{"a": {"constructor": {"prototype": 1}}}')],
  ['nesting without end', JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)],
])('a setting with the value %s is refused', async (_, patch) => {
  expect(await codeOf(preferences.set(ann, patch as never))).toBe('invalid');
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

test('a token that may only invoke systems has none to set', async () => {
  expect(await codeOf(preferences.set(as('bot', 'bearer', 'a2a'), { a: 1 }))).toBe('forbidden');
});
