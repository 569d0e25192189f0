// Keys of providers in the environment over real HTTP: names for admins, a Secret and an endpoint after a confirmation, and no value anywhere else.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';
import { keysOf, type EnvironmentKeySource } from './source.ts';

const VALUE = 'sk-very-secret-value';
const reads: string[] = [];
const environment = keysOf({ OPENAI_API_KEY: ` ${VALUE}\n`, GROQ_API_KEY: 'two\nlines', MISTRAL_API_KEY: '', SVC_API_TOKENS: 'x' });
const source: EnvironmentKeySource = {
  names: () => environment.names(),
  read(variable) {
    reads.push(variable);
    return environment.read(variable);
  },
};

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture({ apiTokens: 'ann:ann-token:admin,will:will-token:writer', environmentKeys: source });
});
afterAll(() => http.close());

const call = (procedure: string, input: unknown, token = 'ann-token') => {
  const headers = { authorization: `Bearer ${token}` };
  return procedure === 'list'
    ? http.send('GET', '/trpc/environmentKeys.list', { headers })
    : http.send('POST', `/trpc/environmentKeys.${procedure}`, { headers, body: input });
};
const get = (path: string) => http.send('GET', path, { headers: { authorization: 'Bearer ann-token' } });
const codeOf = (answer: { body: any }) => answer.body.error?.data.error.code as string | undefined;

test('an admin reads which keys there are, by name, and nothing is read for it', async () => {
  const { body } = await call('list', undefined);
  expect(body.result.data).toEqual([
    {
      variable: 'OPENAI_API_KEY',
      title: 'OpenAI',
      provider: 'gateway-a',
      address: 'https://api.openai.com/v1',
      endpoint: 'openai',
      secret: 'openai-key',
    },
    expect.objectContaining({ variable: 'GROQ_API_KEY', address: 'https://api.groq.com/openai/v1', endpoint: 'groq' }),
  ]);
  expect(reads).toEqual([]);
});

test('a writer reads no names and takes no key', async () => {
  expect(codeOf(await call('list', undefined, 'will-token'))).toBe('forbidden');
  expect(codeOf(await call('accept', { variable: 'OPENAI_API_KEY', namespace: 'default' }, 'will-token'))).toBe('forbidden');
  expect(reads).toEqual([]);
});

test.each([
  ['a variable that is not set', 'ANTHROPIC_API_KEY', 'not_found'],
  ['a variable that holds no key of a provider', 'SVC_API_TOKENS', 'not_found'],
  ['a property of every object', 'constructor', 'not_found'],
  ['a value of several lines', 'GROQ_API_KEY', 'invalid'],
])('refuses %s', async (_, variable, code) => {
  expect(codeOf(await call('accept', { variable, namespace: 'default' }))).toBe(code);
});

test('a confirmation stores the value as a Secret, which the endpoint refers to, once', async () => {
  const request = { variable: 'OPENAI_API_KEY', namespace: 'team', model: 'gpt-test' };
  const accepted = await call('accept', request);
  expect(accepted.body.result.data).toEqual({ namespace: 'team', endpoint: 'openai', secret: 'openai-key' });
  const endpoint = await get('/v1/model-endpoints/openai?namespace=team');
  expect(endpoint.body.spec).toMatchObject({ provider: 'gateway-a', default_model: 'gpt-test', auth: { secretRef: 'openai-key' } });
  const stored = await http.store.getObject({ kind: 'Secret', namespace: 'team', name: 'openai-key' });
  expect(JSON.stringify(stored)).toContain(Buffer.from(VALUE).toString('base64'));
  expect(codeOf(await call('accept', request))).toBe('conflict');
});

test('no value is in answers, events or the log', async () => {
  const secret = await get('/v1/secrets/openai-key?namespace=team');
  const events = await get('/v1/events?limit=100');
  const answers = JSON.stringify([secret.body, events.body, (await call('list', undefined)).body, http.logged]);
  expect(answers).toContain('openai-key');
  for (const text of [VALUE, Buffer.from(VALUE).toString('base64')]) expect(answers).not.toContain(text);
});
