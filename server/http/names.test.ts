// Names on every surface: a text that breaks the rule of its place is 400 with the place's name, whatever the route, procedure or stream.
import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';
import { describeRoutes } from './route-table.ts';
import type { Route } from './route.ts';
import { appRouter } from './trpc/router.ts';

const BAD_NAMES = ['a\0b', 'a\0', '\0', 'a b', '-a', 'a/', 'a/b', 'a\nb', 'ä', 'a'.repeat(254), ' '];

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
  for (const name of ['a', 'ap']) {
    await http.send('POST', '/v1/agents', { body: { kind: 'Agent', metadata: { name }, spec: { model_ref: 'm', prompt: 'p' } } });
  }
});
afterAll(() => http.close());

const VALUES: Readonly<Record<string, string>> = {
  name: 'a',
  model: 'a',
  request_id: 'r1',
  checkpoint_id: 'c1',
  seq: '1',
  endpoint_id: 'e1',
  delivery_id: '1',
  key: 'k',
  generation: '1',
  run: '1',
};
const pathOf = ({ path }: Pick<Route, 'path'>, values: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(.+?)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
const routesWith = (parameter: string) => describeRoutes().filter(({ path }) => path.includes(`{${parameter}}`));
const bodyFor = ({ body }: Route) => (body ? { body: {} } : {});

async function refusal(method: string, path: string, options: Parameters<HttpFixture['send']>[2] = {}) {
  const { status, body } = await http.send(method, path, options);
  // Routes of OpenAI's API name the parameter in their own error shape.
  if (body?.error?.type === 'invalid_request_error') return { status, code: 'invalid', paths: [body.error.param] };
  if (body?.jsonrpc === '2.0') return { status, code: 'invalid', paths: body.error.data?.map((detail: { path: string }) => detail.path) };
  return { status, code: body?.error?.code, paths: body?.error?.details?.map((detail: { path: string }) => detail.path) };
}

describe('a path parameter', () => {
  test.each(['name', 'request_id', 'checkpoint_id', 'seq', 'endpoint_id', 'delivery_id', 'generation', 'run'])(
    '{%s} that breaks its rule is 400 on every route',
    async (parameter) => {
      const routes = routesWith(parameter);
      expect(routes.length).toBeGreaterThan(0);
      for (const route of routes) {
        for (const bad of parameter === 'name' ? BAD_NAMES : ['1\0', '\0', 'ä', 'a b']) {
          const path = pathOf(route, { ...VALUES, [parameter]: bad });
          expect(await refusal(route.method, path, bodyFor(route)), `${route.method} ${path}`).toEqual({
            status: 400,
            code: 'invalid',
            paths: [parameter],
          });
        }
      }
    },
  );

  test('with U+0000 leaves the object of the cut name alone', async () => {
    await http.send('DELETE', '/v1/agents/a%00b');
    await http.send('PATCH', '/v1/agents/a%00b', { body: { spec: { prompt: 'changed' } } });
    const { status, body } = await http.send('GET', '/v1/agents/a');
    expect([status, body.spec.prompt]).toEqual([200, 'p']);
  });
});

describe('a query parameter', () => {
  const declared = describeRoutes().flatMap((route) =>
    (route.query ?? []).filter(({ problem }) => problem !== undefined).map((parameter) => ({ route, parameter })),
  );

  test('every text parameter has a rule on every route', () => {
    const bare = describeRoutes().flatMap(({ method, path, query = [], headers = [] }) =>
      [...query, ...headers]
        .filter(({ schema, problem }) => schema['type'] === 'string' && schema['enum'] === undefined && problem?.('a\0b') === undefined)
        .map(({ name }) => `${method} ${path} ${name}`),
    );
    expect(bare).toEqual([]);
  });

  test('with U+0000 is 400 on every route that declares it', async () => {
    for (const { route, parameter } of declared) {
      const path = `${pathOf(route, VALUES)}?${parameter.name}=a%00b`;
      const found = await refusal(route.method, path, bodyFor(route));
      expect(found, `${route.method} ${path}`).toEqual({ status: 400, code: 'invalid', paths: [parameter.name] });
    }
  });

  test.each([
    ['/v1/agents?namespace=Team', 'namespace'],
    ['/v1/agents?namespace=', 'namespace'],
    ['/v1/agents/a?namespace=*', 'namespace'],
    ['/v1/agents?labelSelector=team%20in%20(a%00b)', 'labelSelector'],
    ['/v1/tasks?fieldSelector=spec.system%3Da%00b', 'fieldSelector'],
    ['/v1/agents/watch?name=a%00b', 'name'],
    ['/v1/agents/watch?name=a/b', 'name'],
    ['/v1/events?name=..', 'name'],
    ['/v1/events?kind=Agent%20', 'kind'],
    ['/v1/events/watch?type=task.claimed%00', 'type'],
    ['/v1/decisions?task=a/b/c', 'task'],
    ['/v1/decisions?approval=', 'approval'],
    ['/v1/tasks/a/messages?from_agent=a%00b', 'from_agent'],
  ])('%s is 400 and names %s', async (path, parameter) => {
    expect(await refusal('GET', path)).toEqual({ status: 400, code: 'invalid', paths: [parameter] });
  });

  test.each([
    '/v1/agents?after=a%00b',
    '/v1/agents?after=default/a%00',
    '/v1/agents?after=..',
    '/v1/events?after=1%00',
    '/v1/events?since=%00',
  ])('cursor %s is 400', async (path) => expect(await refusal('GET', path)).toMatchObject({ status: 400, code: 'invalid' }));
});

test.each([
  ['/v1/agents/watch', 'Last-Event-ID', '1 2'],
  ['/v1/events/watch', 'Last-Event-ID', 'x'],
  ['/v1/tasks/a/trace/stream', 'Last-Event-ID', 'a\u0081b'],
])('%s refuses the header %s of %j with 400', async (path, header, value) => {
  expect(await refusal('GET', path, { headers: { [header]: value } })).toMatchObject({ status: 400, code: 'invalid' });
});

/** Paths of the texts of a schema that accept U+0000, free texts left out. */
function openTexts(schema: unknown, path: string): string[] {
  const type = schema as z.ZodType & { def: any };
  const { def } = type;
  switch (def.type) {
    case 'string':
      return type.meta()?.['freeText'] === true || !type.safeParse('a\0b').success ? [] : [path];
    case 'object':
      return Object.entries(def.shape as object).flatMap(([name, field]) => openTexts(field, `${path}.${name}`));
    case 'optional':
    case 'nullable':
      return openTexts(def.innerType, path);
    case 'array':
      return openTexts(def.element, `${path}[]`);
    case 'union':
      return (def.options as unknown[]).flatMap((option) => openTexts(option, path));
    case 'record':
      return [...openTexts(def.keyType, `${path}.key`), ...openTexts(def.valueType, `${path}.*`)];
    default:
      return [];
  }
}

describe('the console’s procedures', () => {
  test('declare every text by a type that refuses U+0000, or as free text', () => {
    const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, { _def: { inputs: unknown[] } }>);
    expect(procedures.length).toBeGreaterThan(30);
    expect(procedures.flatMap(([name, { _def }]) => _def.inputs.flatMap((input) => openTexts(input, name)))).toEqual([]);
  });

  test.each(BAD_NAMES)('refuse the name %j in queries and mutations', async (name) => {
    const key = { kind: 'Agent', namespace: 'default', name };
    const query = await http.send('GET', `/trpc/resources.get?input=${encodeURIComponent(JSON.stringify(key))}`);
    expect([query.status, query.body.error.data.error.details[0].path]).toEqual([400, 'name']);
    const headers = { 'content-type': 'application/json', origin: http.url };
    const removed = await http.send('POST', '/trpc/resources.remove', { headers, body: key });
    expect([removed.status, removed.body.error.data.error.details[0].path]).toEqual([400, 'name']);
    expect((await http.send('GET', '/v1/agents/a')).status).toBe(200);
  });
});
