// Fields of a route that protocols beside the REST API need: raw bytes, an error body of their own, access by system.
import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { startHttpFixture, type HttpFixture, type HttpFixtureOptions } from '../testing/http-fixture.ts';
import { json, type Route } from './route.ts';

const TOKENS = [
  'root:root-token:admin',
  'maker:writer-token:writer',
  'viewer:reader-token:reader',
  'caller:a2a-token:a2a:team/sys|plain',
  'boss:approver-token:approver',
].join(',');

const open: HttpFixture[] = [];
async function start(routes: readonly Route[], options: HttpFixtureOptions = {}): Promise<HttpFixture> {
  const http = await startHttpFixture({ apiTokens: TOKENS, routes, ...options });
  open.push(http);
  return http;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

const described = { tag: 'Test', operationId: 'test', summary: 'A test', responses: {} } as const;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const hook: Route = {
  ...described,
  method: 'POST',
  path: '/v1/test-hook',
  access: 'public',
  body: { description: 'Signed bytes.', schema: {}, contentTypes: ['application/json'], maxBytes: 1024 },
  handle: async (call) => {
    const bytes = await call.readBytes();
    return json({ signature: createHmac('sha256', 'key').update(bytes).digest('hex'), documents: await call.readDocuments() });
  },
};

describe('a route that reads the raw body', () => {
  test('receives the bytes as they were sent, and the documents of the same body', async () => {
    const http = await start([hook]);
    const sent = '{ "b" : 1,\r\n "a":2 }';
    const answer = await http.send('POST', '/v1/test-hook', { body: sent, headers: { 'content-type': 'application/json' } });
    expect(answer.body).toEqual({ signature: createHmac('sha256', 'key').update(sent).digest('hex'), documents: [{ b: 1, a: 2 }] });
  });

  test('refuses a body past its own limit with 413', async () => {
    const http = await start([hook]);
    expect((await http.send('POST', '/v1/test-hook', { body: 'x'.repeat(1025) })).status).toBe(413);
  });

  test('refuses a body that does not arrive in time with the code timeout', async () => {
    const http = await start([hook], { limits: { bodyTimeoutMs: 50 } });
    const late = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });
    const answer = await fetch(`${http.url}/v1/test-hook`, { method: 'POST', body: late, duplex: 'half' });
    expect(await answer.json()).toMatchObject({ error: { code: 'timeout' } });
  });
});

describe('a route with an error body of its own', () => {
  const errorShape = { schema: { type: 'object' }, body: (error: ServiceError) => ({ error: { type: error.code, param: null } }) };
  const route = (failure: Error): Route => ({
    ...described,
    method: 'POST',
    path: '/v1/test-chat',
    access: 'writer',
    errorShape,
    handle: () => Promise.reject(failure),
  });
  const send = (http: HttpFixture, token: string) => http.send('POST', '/v1/test-chat', { headers: bearer(token) });

  test('uses it for errors of authentication, of the role and of the handler, with their status and headers', async () => {
    const http = await start([route(new ServiceError('rate_limited', 'Too many', { retryAfterSeconds: 7 }))]);
    expect(await send(http, 'wrong')).toMatchObject({ status: 401, body: { error: { type: 'unauthorized', param: null } } });
    expect(await send(http, 'reader-token')).toMatchObject({ status: 403, body: { error: { type: 'forbidden', param: null } } });
    const limited = await send(http, 'writer-token');
    expect(limited).toMatchObject({ status: 429, headers: { 'retry-after': '7' }, body: { error: { type: 'rate_limited', param: null } } });
  });

  test('hides the text of an unknown error', async () => {
    const http = await start([route(new Error('a secret'))]);
    const answer = await send(http, 'writer-token');
    expect(answer).toMatchObject({ status: 500, body: { error: { type: 'internal' } } });
    expect(answer.text).not.toContain('a secret');
  });

  test('names its schema in the OpenAPI document', async () => {
    const http = await start([route(new Error('unused'))]);
    const { body } = await http.send('GET', '/openapi.json', { headers: bearer('root-token') });
    expect(body.paths['/v1/test-chat'].post.responses['403'].content['application/json'].schema).toEqual({ type: 'object' });
  });
});

describe('a route with access a2a', () => {
  const route: Route = {
    ...described,
    method: 'POST',
    path: '/v1/test-a2a',
    access: 'a2a',
    systemOf: async (call) => {
      const { namespace = 'default', name, open: isPublic = false } = (await call.readDocument()) as Record<string, never>;
      return { namespace, name: name ?? '', isPublic };
    },
    handle: async (call) => json({ by: call.context.identity.name }),
  };
  const invoke = async (http: HttpFixture, body: object, headers: Record<string, string> = {}) =>
    (await http.send('POST', '/v1/test-a2a', { body, headers })).status;

  test.each([
    ['a2a-token', { namespace: 'team', name: 'sys' }, 200],
    ['a2a-token', { name: 'plain' }, 200],
    ['a2a-token', { namespace: 'team', name: 'plain' }, 403],
    ['a2a-token', { name: 'sys' }, 403],
    ['writer-token', { name: 'other' }, 200],
    ['root-token', { name: 'other' }, 200],
    ['approver-token', { name: 'other' }, 403],
    ['reader-token', { name: 'other' }, 403],
    ['wrong', { name: 'other', open: true }, 401],
  ])('answers the token %s for the system %j with %i', async (token, system, status) => {
    expect(await invoke(await start([route]), system, bearer(token))).toBe(status);
  });

  test('answers for a system that the token does not list, and reports the refusal', async () => {
    const refused: unknown[] = [];
    const onRefused: HttpFixtureOptions['onRefused'] = ({ code, path, namespace, identity }) =>
      void refused.push([code, path, namespace, identity?.name]);
    const http = await start([{ ...route, handleUnlisted: async () => json({ by: 'nobody' }) }], { onRefused });
    const unlisted = { body: { name: 'sys' }, headers: bearer('a2a-token') };
    const { status, body } = await http.send('POST', '/v1/test-a2a?namespace=team', unlisted);
    expect([status, body]).toEqual([200, { by: 'nobody' }]);
    expect(await invoke(http, { name: 'sys' }, bearer('reader-token'))).toBe(403);
    expect(refused).toEqual([
      ['forbidden', '/v1/test-a2a', 'team', 'caller'],
      ['forbidden', '/v1/test-a2a', undefined, 'viewer'],
    ]);
  });

  test('needs a token, except for a public system', async () => {
    const http = await start([route]);
    expect(await invoke(http, { name: 'plain' })).toBe(401);
    expect(await invoke(http, { name: 'plain', open: true })).toBe(200);
  });

  test.each([
    ['of a sign-in', undefined],
    ['that has ended', 'svc_session=ended'],
  ])('takes a request with a cookie %s for one without a token', async (_title, ended) => {
    const http = await start([route]);
    const login = await http.send('POST', '/v1/auth/login', { body: { token: 'root-token' } });
    const cookie = ended ?? String(login.headers['set-cookie']).split(';', 1)[0] ?? '';
    for (const origin of [http.url, 'https://elsewhere.example']) {
      expect(await invoke(http, { name: 'plain' }, { cookie, origin })).toBe(401);
      const { status, body, headers } = await http.send('POST', '/v1/test-a2a', { body: { open: true }, headers: { cookie, origin } });
      expect([status, body, headers['set-cookie']]).toEqual([200, { by: '' }, undefined]);
    }
    expect(await invoke(http, { name: 'plain' }, { cookie, ...bearer('writer-token') })).toBe(200);
  });

  test('refuses at start a route that names no system', async () => {
    const { systemOf: _systemOf, ...incomplete } = route;
    await expect(start([incomplete])).rejects.toThrow('names no system');
  });
});
