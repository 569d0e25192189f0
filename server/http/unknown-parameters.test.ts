// Query parameters that an operation does not declare: a warning, an error where the request is strict, on every route.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';
import { describeRoutes } from './route-table.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
});
afterAll(() => http.close());

const warned = (text: string) => expect.stringContaining(`unknown query parameter \\"${text}\\" was ignored`);

test.each(['/v1/agents?lable=a', '/v1/agents?limit=1&lable=a', '/v1/namespaces?lable=a', '/healthz?lable=a', '/v1/events?limit=1&lable=a'])(
  '%s is answered with a Warning that names the parameter',
  async (path) => {
    const { status, headers } = await http.send('GET', path);
    expect([status, headers['warning']]).toEqual([200, warned('lable')]);
  },
);

test('a Warning of the answer itself is kept beside that of an unknown parameter', async () => {
  const body = { kind: 'Agent', metadata: { name: 'w' }, spec: { model_ref: 'm', prompt: 'p', extra: 1 } };
  const { headers } = await http.send('POST', '/v1/agents?lable=a', { body });
  expect([headers['warning']].flat().join()).toMatch(/"lable\\".*spec\.extra/);
});

test('warnings that would make the head of an answer too long for clients are left out', async () => {
  const long = (prefix: string) => Array.from({ length: 30 }, (_, n) => `${prefix}${n}${'"'.repeat(300)}`);
  const query = long('q')
    .map((name) => `${encodeURIComponent(name.slice(0, 90))}=1`)
    .join('&');
  const twice = long('f')
    .flatMap((name) => [name, name])
    .map((name) => `${JSON.stringify(name)}:1`);
  const body = `{"metadata":{"name":"wordy"},"spec":{"model_ref":"m",${twice.join(',')}}}`;
  const written = await http.send('POST', `/v1/agents?${query}`, { body, headers: { 'content-type': 'application/json' } });
  const warnings = [written.headers['warning']].flat().map(String);
  expect([written.status, warnings.at(-1)]).toEqual([201, `299 - "and ${81 - warnings.length} more"`]);
  expect(warnings.join('Warning: \r\n').length).toBeLessThan(4_200);
});

test('a strict request with an unknown parameter is 400 on every route and names it', async () => {
  for (const route of describeRoutes()) {
    const path = route.path.replaceAll(/\{.+?\}/g, (parameter) => '1'.repeat(parameter === '{id}' ? 64 : 3));
    const { status, body } = await http.send(route.method, `${path}?fieldValidation=Strict&lable=a`, route.body ? { body: {} } : {});
    expect([status, (body.error.details ?? body.error.data)?.[0].path ?? body.error.param], `${route.method} ${path}`).toEqual([
      400,
      'lable',
    ]);
  }
});

test.each([
  ['fieldValidation=Ignore&lable=a', 200],
  ['fieldValidation=Strict', 200],
  ['fieldValidation=Sometimes', 400],
  ['fieldValidation=Strict&=a', 400],
  ['fieldValidation=Strict&Limit=1', 400],
  ['limit=1&limit=1', 400],
  ['fieldValidation=Strict&constructor=1', 400],
])('?%s is %i', async (query, status) => {
  const answer = await http.send('GET', `/v1/agents?${query}`);
  expect([answer.status, answer.headers['warning']]).toEqual([status, undefined]);
});

test('an unknown parameter is rejected with a suggestion', async () => {
  const { headers } = await http.send('GET', '/v1/agents?lableSelector=a');
  expect(headers['warning']).toContain('did you mean \\"labelSelector\\"?');
  const { body } = await http.send('GET', '/v1/agents?fieldValidation=Strict&Limit=1');
  expect(body.error.details[0].message).toMatch(/^is not a query parameter; did you mean "limit"\?; this operation accepts /);
});

test('a dry run of a write that has none is 400, even where unknown parameters are ignored', async () => {
  const refused = describeRoutes().filter(({ method, query = [] }) => method !== 'GET' && !query.some(({ name }) => name === 'dryRun'));
  expect(refused.map(({ operationId }) => operationId)).toContain('approveToolApproval');
  for (const route of refused) {
    const path = route.path.replaceAll(/\{.+?\}/g, (parameter) => '1'.repeat(parameter === '{id}' ? 64 : 3));
    const { status, body } = await http.send(route.method, `${path}?fieldValidation=Ignore&dryRun=true`, route.body ? { body: {} } : {});
    const said = (body.error.details ?? body.error.data)?.[0].path ?? body.error.param;
    expect([status, said], `${route.method} ${path}`).toEqual([400, 'dryRun']);
  }
});

test('the parameters of an operation are named once', async () => {
  const body = { kind: 'AgentRole', metadata: { name: 'named' }, spec: {} };
  const { headers } = await http.send('POST', '/v1/agent-roles?lable=a', { body });
  expect(headers['warning']).toMatch(/accepts namespace, dryRun, fieldValidation"$/);
});

test('an offset is 400 on lists that do not take it, without a Warning', async () => {
  for (const path of ['/v1/agents', '/v1/auth/sessions']) {
    const { status, headers, body } = await http.send('GET', `${path}?offset=1`);
    expect([status, headers['warning'], body.error.details]).toEqual([
      400,
      undefined,
      [{ path: 'offset', message: 'is not supported by this operation; page with after' }],
    ]);
  }
});

test.each(['/v1/agent-roles?fieldSelector=x%3D1', '/v1/agents?q=word'])('%s is 400 without a Warning', async (path) => {
  const { status, headers, body } = await http.send('GET', path);
  expect([status, headers['warning'], body.error.details]).toEqual([
    400,
    undefined,
    [{ path: path.includes('q=') ? 'q' : 'fieldSelector', message: 'is not supported by this list' }],
  ]);
});

test.each(['fieldSelector=status.phase%3DPending', 'q=word'])('a watch with %s is 400', async (selection) => {
  const { status, body } = await http.send('GET', `/v1/tasks/watch?${selection}`);
  expect([status, body.error.details]).toEqual([400, [{ path: selection.split('=')[0], message: 'is not supported by this watch' }]]);
});

test('dryRun=false is accepted', async () => {
  expect((await http.send('POST', '/v1/auth/logout?dryRun=false')).status).toBe(200);
});
