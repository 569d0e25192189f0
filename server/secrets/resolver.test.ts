import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../store/store.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createSecretLookup, createSecretResolver, createValueLookup, createVariableCheck } from './resolver.ts';
import { createSecretBox } from './secret-box.ts';
import { sealSecretSpec } from './secret-data.ts';

const box = createSecretBox('ab'.repeat(32));
const base64 = (text: string) => Buffer.from(text).toString('base64');
let store: Store | undefined;

afterEach(async () => {
  await store?.close();
});

async function setup(secrets: Record<string, Record<string, string>>, env: Record<string, string> = {}) {
  const opened = await openWith(secrets);
  return createSecretResolver({ store: opened, box, envPrefix: 'SVC_SECRET_', env });
}

async function openWith(secrets: Record<string, Record<string, string>>): Promise<Store> {
  const clock = createManualClock();
  const opened = await openSqliteStore({ path: ':memory:', clock });
  store = opened;
  const at = new Date(clock.now()).toISOString();
  for (const [id, entries] of Object.entries(secrets)) {
    const [namespace = '', name = ''] = id.split('/');
    const data = Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, base64(value)]));
    const spec = sealSecretSpec(box, { namespace, name }, { data });
    const object = {
      kind: 'Secret',
      namespace,
      name,
      uid: id,
      resourceVersion: 1,
      generation: 1,
      labels: {},
      annotations: {},
      spec,
      status: {},
    };
    await opened.transaction((tx) => tx.insertObject({ ...object, createdAt: at, updatedAt: at }));
  }
  return opened;
}

describe('resolveValue', () => {
  it.each([
    ['the key "value" among several', { value: 'v', other: 'o' }, 'v'],
    ['the only key, whatever its name', { token: 't' }, 't'],
    ['text beyond ASCII', { value: 'pässwörd ✓' }, 'pässwörd ✓'],
  ])('takes %s', async (_rule, entries, expected) => {
    const resolver = await setup({ 'default/db': entries });
    expect(await resolver.resolveValue('db', 'default')).toBe(expected);
  });

  it('names the keys of a Secret that has several and no "value"', async () => {
    const resolver = await setup({ 'default/db': { user: 'secret-u', pass: 'secret-p' } });
    const refusal = await resolver.resolveValue('db', 'default').catch((error: Error) => error);
    expect(refusal).toMatchObject({ code: 'invalid', message: expect.stringContaining('has the keys pass, user') });
    expect(String(refusal)).not.toContain('secret-');
  });

  it('reports an empty Secret', async () => {
    const resolver = await setup({ 'default/db': {} });
    await expect(resolver.resolveValue('db', 'default')).rejects.toThrow('Secret default/db has no entries');
  });

  it('reads another namespace by namespace/name', async () => {
    const resolver = await setup({ 'default/db': { value: 'here' }, 'shared/db': { value: 'there' } });
    expect(await resolver.resolveValue('shared/db', 'default')).toBe('there');
  });

  it.each([
    ['my-api-key', 'SVC_SECRET_my_api_key'],
    ['db', 'SVC_SECRET_db'],
    ['other/my-key', 'SVC_SECRET_my_key'],
  ])('falls back for %s to the environment variable %s', async (ref, variable) => {
    const resolver = await setup({}, { [variable]: 'from-env' });
    expect(await resolver.resolveValue(ref, 'default')).toBe('from-env');
    expect(await resolver.resolveEntries(ref, 'default')).toEqual({ value: 'from-env' });
  });

  it('prefers the Secret to the environment', async () => {
    const resolver = await setup({ 'default/db': { value: 'stored' } }, { SVC_SECRET_db: 'from-env' });
    expect(await resolver.resolveValue('db', 'default')).toBe('stored');
  });

  it('names both places when neither has it', async () => {
    const resolver = await setup({}, { SVC_SECRET_my_key: '' });
    await expect(resolver.resolveValue('my-key', 'team')).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringMatching(/Secret team\/my-key does not exist .* SVC_SECRET_my_key/),
    });
  });

  it.each(['', 'a/b/c', '../etc', 'Bad Namespace/x'])('refuses the reference %j', async (ref) => {
    const resolver = await setup({});
    await expect(resolver.resolveValue(ref, 'default')).rejects.toMatchObject({ code: 'invalid' });
  });
});

describe('resolveEntries', () => {
  it('decodes every entry', async () => {
    const resolver = await setup({ 'default/oauth': { client_id: 'id', client_secret: 's' } });
    expect(await resolver.resolveEntries('oauth', 'default')).toEqual({ client_id: 'id', client_secret: 's' });
  });
});

describe('lookups', () => {
  const secrets = {
    'default/one': { token: 't' },
    'default/named': { value: 'v', other: 'o' },
    'default/two': { b: '2', a: '1' },
    'default/none': {},
  };
  const oneKey = 'to be used as one value it needs the key "value" or exactly one key';

  it.each([
    ['one', undefined, undefined],
    ['named', undefined, undefined],
    ['two', undefined, `Secret default/two has the keys a, b; ${oneKey}`],
    ['none', undefined, `Secret default/none has no entries; ${oneKey}`],
    ['variable', undefined, undefined],
    ['absent', expect.stringContaining('does not exist'), expect.stringContaining('does not exist')],
  ])('find the problem of the reference %s as entries and as one value', async (ref, asEntries, asValue) => {
    const reader = await openWith(secrets);
    const options = { envPrefix: 'SVC_SECRET_', env: { SVC_SECRET_variable: 'from-env' } };
    expect(await createSecretLookup(options)(ref, 'default', reader)).toEqual(asEntries);
    expect(await createValueLookup(options)(ref, 'default', reader)).toEqual(asValue);
  });
});

it.each([
  ['Secret', 'api-key', true],
  ['Secret', 'empty', false],
  ['Secret', 'other', false],
  ['Secret', 'constructor', false],
  ['Agent', 'api-key', false],
])('a reference to the %s %s leads to a variable: %s', (kind, name, found) => {
  const check = createVariableCheck({ envPrefix: 'S_', env: { S_api_key: 'v', S_empty: '' } });
  expect(check({ kind, name })).toBe(found);
});
