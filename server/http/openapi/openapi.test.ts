import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kinds } from '@svc/shared/kinds';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

// ajv is a tool-schema dependency; here it proves that what the document holds are schemas.
const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js');

let http: HttpFixture;
let document: any;
beforeAll(async () => {
  http = await startHttpFixture();
  document = (await http.send('GET', '/openapi.json')).body;
});
afterAll(() => http.close());

const operations = () =>
  Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('describes every kind and the routes around them', () => {
  expect(document.openapi).toBe('3.1.0');
  for (const { kind, plural } of kinds) {
    expect(Object.keys(document.paths[`/v1/${plural}`])).toEqual(['get', 'post']);
    expect(Object.keys(document.paths[`/v1/${plural}/{name}`])).toEqual(['get', 'put', 'patch', 'delete']);
    expect(Object.keys(document.paths[`/v1/${plural}/{name}/status`])).toEqual(['get', 'put']);
    expect(Object.keys(document.paths[`/v1/${plural}/watch`])).toEqual(['get']);
    expect(document.components.schemas[kind].properties.spec.type).toBe('object');
  }
  for (const path of [
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/v1/apply',
    '/v1/tokens/{name}',
    '/v1/events/watch',
    '/v1/tasks/{name}/trace/stream',
  ]) {
    expect(document.paths).toHaveProperty([path]);
  }
});

test('every path it names is served, with the declared role', async () => {
  for (const { path, method, operation } of operations()) {
    if (path.endsWith('/watch') || path.endsWith('/stream')) continue;
    const answer = await http.send('OPTIONS', path.replaceAll(/\{\w+\}/g, 'x'));
    expect(answer.headers.allow, path).toContain(method.toUpperCase());
    expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true);
  }
});

test('names each operation once, and declares the parameters of its path', () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations()) {
    const declared = (operation.parameters ?? [])
      .filter((parameter: any) => parameter.in === 'path')
      .map((parameter: any) => parameter.name);
    expect(declared).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]));
  }
});

test('refers only to what it holds', () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? '');
  const missing = references.filter((reference) => reference.split('/').reduce<any>((value, key) => value?.[key], document) === undefined);
  expect(missing).toEqual([]);
});

test('describes each tag, and shows an object of each kind that its schema accepts', async () => {
  for (const { name, description } of document.tags) expect(description, name).toMatch(/^[A-Z][^]*\.$/);
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema(document, 'api');
  for (const { kind } of kinds) {
    const [example] = document.components.schemas[kind].examples;
    expect(ajv.validate({ $ref: `api#/components/schemas/${kind}` }, example), `${kind}: ${JSON.stringify(ajv.errors)}`).toBe(true);
  }
});

test('holds schemas that compile, and that stored objects satisfy', async () => {
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema(document, 'api');
  const validate = (name: string) => ajv.compile({ $ref: `api#/components/schemas/${name}` });
  for (const name of Object.keys(document.components.schemas)) expect(() => validate(name), name).not.toThrow();
  const { body } = await http.send('POST', '/v1/agents', {
    body: { metadata: { name: 'a' }, spec: { model_ref: 'm', limits: { timeout: '30s' } } },
  });
  expect(validate('Agent')(body)).toBe(true);
  expect(validate('Agent')({ metadata: { name: 'a' }, spec: { tools: 'x', model_ref: 'm' } })).toBe(false);
  expect(validate('Agent')({ metadata: { name: 'a' }, spec: {} })).toBe(false);
  expect(validate('Error')((await http.send('GET', '/nowhere')).body)).toBe(true);
  expect(validate('Capabilities')((await http.send('GET', '/v1/capabilities')).body)).toBe(true);
  expect(validate('Namespaces')((await http.send('GET', '/v1/namespaces')).body)).toBe(true);
  expect(validate('AuthMe')((await http.send('GET', '/v1/auth/me')).body)).toBe(true);
});

test.each([
  ['get', '/v1/a2a/agents', ['401']],
  ['get', '/v1/agents', ['410']],
  ['get', '/v1/export', ['413']],
  ['get', '/v1/sessions/{name}/checkpoints/{checkpoint_id}/diff', ['409', '413']],
  ['get', '/v1/sessions/{name}/checkpoints/{checkpoint_id}/replay', ['409']],
  ['post', '/mcp', ['406']],
  ['post', '/v1/auth/setup', ['401']],
  ['post', '/v1/chat/completions', ['404', '504']],
  ['post', '/v1/tool-callbacks/{request_id}', ['401']],
  ['post', '/v1/webhook-deliveries/{endpoint_id}', ['401']],
])('%s %s declares the statuses %j', (method, path, statuses) => {
  expect(Object.keys(document.paths[path][method].responses)).toEqual(expect.arrayContaining(statuses));
});

test('declares what an operation requires, and both forms of an answer that may be a stream', () => {
  const parameter = (path: string, method: string, name: string) =>
    document.paths[path][method].parameters.find((each: any) => each.name === name).required;
  expect(parameter('/v1/sessions/{name}/turns', 'post', 'Idempotency-Key')).toBe(true);
  expect(parameter('/v1/sessions/{name}/checkpoints/{checkpoint_id}/diff', 'get', 'against')).toBe(true);
  for (const path of ['/v1/chat/completions', '/a2a', '/mcp'])
    expect(Object.keys(document.paths[path].post.responses['200'].content), path).toEqual(['application/json', 'text/event-stream']);
});

test('declares who may call a system, the body of a server that is not ready, and no 415 where every type is taken', () => {
  expect(document.paths['/a2a'].post.security).toEqual([{ bearer: [] }, {}]);
  const ready = document.paths['/readyz'].get.responses['503'];
  expect(ready.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Readiness' });
  expect(document.paths['/v1/webhook-deliveries/{endpoint_id}'].post.responses).not.toHaveProperty('415');
});

test('is shown by a page that loads nothing from elsewhere', async () => {
  const page = await http.send('GET', '/docs');
  const nonce = /nonce="([^"]+)"/.exec(page.text)?.[1];
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.headers['content-security-policy']).toBe(
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(page.text).not.toMatch(/https?:\/\/|innerHTML|\son\w+=/);
  expect((await http.send('GET', '/docs')).text).not.toContain(nonce);
});
