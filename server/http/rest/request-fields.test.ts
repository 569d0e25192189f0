// Fields of the bodies of actions: unknown ones by fieldValidation, or refused where the action takes no others; null as absent.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunService } from '../../engine/runs/run-service.ts';
import { describeRoutes } from '../route-table.ts';
import { COMPONENT_SCHEMAS } from './schemas.ts';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let http: HttpFixture;
let given: unknown[] = [];
const action = async (...parts: readonly unknown[]): Promise<any> => {
  given.push(parts[2]);
  return {};
};
const runs: Partial<RunService> = { cancel: action, retry: action, continue: action, decide: action };

beforeAll(async () => {
  http = await startHttpFixture({ runs });
});
beforeEach(() => {
  given = [];
});
afterAll(() => http.close());

const post = (path: string, body: unknown) => http.send('POST', path, { body });
const RETRY = '/v1/tasks/t/retry';

test('an unknown field is ignored with a Warning that names the one meant', async () => {
  const { status, headers } = await post(RETRY, { inputs: { a: 'b' } });
  expect([status, headers['warning']]).toEqual([201, '299 - "unknown field \\"inputs\\" was ignored; did you mean \\"input\\"?"']);
  expect(given).toEqual([{}]);
});

test('Warnings of parameters and of fields are both sent', async () => {
  const { headers } = await post(`${RETRY}?lable=a`, { foo: 1 });
  expect([headers['warning']].flat().join()).toMatch(/"lable\\".*"foo\\"/);
});

test('fieldValidation=Ignore ignores an unknown field silently', async () => {
  const { status, headers } = await post(`${RETRY}?fieldValidation=Ignore`, { foo: 1, input: { a: 'b' } });
  expect([status, headers['warning'], given]).toEqual([201, undefined, [{ input: { a: 'b' } }]]);
});

test.each([
  [`${RETRY}?fieldValidation=Strict`, { foo: 1 }, 'foo'],
  ['/v1/tasks/t/cancel?fieldValidation=Strict', { raeson: 'late' }, 'raeson'],
  ['/v1/tasks/t/continue', { foo: 1 }, 'foo'],
  ['/v1/tool-approvals/a/approve?fieldValidation=Ignore', { foo: 1 }, 'foo'],
  ['/v1/tool-approvals/a/deny', { outcome: 'done' }, 'outcome'],
  ['/v1/task-approvals/a/approve', { output: 'x' }, 'output'],
  ['/v1/tool-approvals/a/approve', { constructor: 1 }, 'constructor'],
])('%s refuses %j and does nothing', async (path, body, field) => {
  const answer = await post(path, body);
  expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ path: field }] } } });
  expect(given).toEqual([]);
});

test.each([
  [RETRY, { input: 'a=b' }, 'input must be an object'],
  [RETRY, { input: { a: 'b', constructor: 1 } }, 'input.constructor must be a string'],
  ['/v1/tasks/t/continue', { at: 1, end: 'yes' }, 'at must be a string; end must be true or false'],
  ['/v1/tool-approvals/a/approve', { comment: ['x'], input: { any: 1 } }, 'comment must be a string'],
])('%s refuses %j: a value has another type than its schema', async (path, body, problem) => {
  const answer = await post(path, body);
  expect([answer.status, answer.body.error.message]).toEqual([400, `The request is invalid: ${problem}`]);
  expect(given).toEqual([]);
});

test('a strict request with an unknown field is 400 on every route with fields of its own and names it', async () => {
  const routes = describeRoutes().filter(({ body }) => {
    const schema = COMPONENT_SCHEMAS[String(body?.schema['$ref']).split('/').at(-1) ?? ''];
    return schema !== undefined && schema['additionalProperties'] !== true && schema !== COMPONENT_SCHEMAS['StatusView'];
  });
  expect(routes.map(({ operationId }) => operationId)).toEqual(expect.arrayContaining(['createToken', 'login', 'writeMemoryEntry']));
  for (const route of routes) {
    const path = route.path.replaceAll(/\{.+?\}/g, (parameter) => '1'.repeat(parameter === '{id}' ? 64 : 3));
    const { status, body } = await http.send(route.method, `${path}?fieldValidation=Strict`, { body: { lable: 'a' } });
    expect([status, body.error.details?.[0].path], `${route.method} ${path}`).toEqual([400, 'lable']);
  }
});

test.each([
  [RETRY, { input: null }, {}],
  ['/v1/tasks/t/cancel', { reason: null }, undefined],
  ['/v1/tasks/t/continue', { at: null, end: null }, {}],
  ['/v1/tool-approvals/a/deny', { comment: null, decided_by: null, uid: null }, { decision: 'denied' }],
  ['/v1/tool-approvals/a/approve', { input: null, output: null, outcome: null }, { decision: 'approved' }],
])('%s takes %j as if the fields were absent', async (path, body, expected) => {
  expect((await post(path, body)).status).toBeLessThan(300);
  expect(given).toEqual([expected]);
});
