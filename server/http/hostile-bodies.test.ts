// Bodies as large as they may be, sent to make the server stand still: over REST and tRPC each is answered while the event loop stays free.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture, type HttpFixture } from '../testing/http-fixture.ts';
import { bestLoopDelay, RESPONSIVE_MS } from '../testing/loop-delay.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture({ apiTokens: 'r1:reader:reader,w1:writer:writer' });
});
afterAll(() => http.close());

const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';
const agent = (spec: object) => JSON.stringify({ metadata: { name: 'a' }, spec: { model_ref: 'm', ...spec } });
const names = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);
const fields = (count: number) => Object.fromEntries(names(count).map((name) => [name, 1]));
const doubling = Object.fromEntries(
  Array.from({ length: 45 }, (_, n) => [
    `d${n}`,
    n === 44 ? {} : { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
  ]),
);
const tool = (input_schema: object) => JSON.stringify({ metadata: { name: 't' }, spec: { endpoint: 'https://a.example', input_schema } });

interface Hostile {
  readonly what: string;
  readonly path: string;
  readonly type: string;
  readonly body: string;
  readonly status: number;
  readonly message: RegExp;
}

const brackets = '['.repeat(1_000_000) + ']'.repeat(1_000_000);
const tokens = names(60_000)
  .map((name) => `${name}: v`)
  .join('\n');
const cases: Hostile[] = [
  { what: '2,000,000 brackets', path: '/v1/agents', type: JSON_TYPE, body: brackets, status: 400, message: /deeper than 64/ },
  { what: '2,000,000 brackets without a type', path: '/v1/apply', type: '', body: brackets, status: 400, message: /deeper than 64/ },
  { what: '2,000,000 brackets as YAML', path: '/v1/apply', type: YAML_TYPE, body: brackets, status: 400, message: /deeper than 64/ },
  {
    what: '1,000,000 empty lists',
    path: '/v1/apply',
    type: JSON_TYPE,
    body: `[${'[],'.repeat(1_000_000)}[]]`,
    status: 413,
    message: /100000 values/,
  },
  { what: '200,000 YAML tokens', path: '/v1/agents', type: YAML_TYPE, body: tokens, status: 400, message: /YAML tokens/ },
  {
    what: '15,000 lines of YAML',
    path: '/v1/agents',
    type: YAML_TYPE,
    body: `spec:\n  ${tokens.split('\n').slice(0, 15_000).join('\n  ')}`,
    status: 400,
    message: /at most 1000 entries/,
  },
  {
    what: '300,000 unknown fields',
    path: '/v1/agents',
    type: JSON_TYPE,
    body: agent(fields(300_000)),
    status: 413,
    message: /100000 values/,
  },
  {
    what: '90,000 unknown fields',
    path: '/v1/agents',
    type: JSON_TYPE,
    body: agent(fields(90_000)),
    status: 400,
    message: /at most 1000 entries/,
  },
  {
    what: '90,000 unknown fields of the envelope',
    path: '/v1/agents?fieldValidation=Strict',
    type: JSON_TYPE,
    body: JSON.stringify({ metadata: fields(45_000), ...fields(45_000) }),
    status: 400,
    message: /not a known field/,
  },
  {
    what: '300,000 tools',
    path: '/v1/agents',
    type: JSON_TYPE,
    body: agent({ tools: names(300_000) }),
    status: 413,
    message: /100000 values/,
  },
  {
    what: '90,000 roles',
    path: '/v1/agents',
    type: JSON_TYPE,
    body: agent({ roles: names(90_000) }),
    status: 400,
    message: /spec.roles must have at most 1000 entries/,
  },
  {
    what: 'a schema that doubles 45 times',
    path: '/v1/tools',
    type: JSON_TYPE,
    body: tool({ $defs: doubling, $ref: '#/$defs/d0' }),
    status: 400,
    message: /10000 subschemas/,
  },
  {
    what: 'a pattern of 5,000 stars',
    path: '/v1/tools',
    type: JSON_TYPE,
    body: tool({ pattern: 'a*'.repeat(5_000) }),
    status: 400,
    message: /at most 512 characters/,
  },
  {
    what: 'a call to judge of 4 MiB',
    path: '/v1/authorize/check',
    type: JSON_TYPE,
    body: JSON.stringify({ tool: 'x'.repeat(4_000_000) }),
    status: 413,
    message: /larger than 65536 bytes/,
  },
];

test.each(cases)('$what is answered with $status over REST', async ({ path, type, body, status, message }) => {
  const headers = { authorization: 'Bearer writer', ...(type !== '' && { 'content-type': type }) };
  const { value, longestMs } = await bestLoopDelay(() => http.send('POST', path, { body, headers }));
  expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  expect([value.status, value.text.length < 200_000]).toEqual([status, true]);
  expect(value.body.error.message + JSON.stringify(value.body.error.details ?? '')).toMatch(message);
});

const write = (body: string) => `{"kind":"Agent","namespace":"default","mode":"create","body":${body}}`;

test.each([
  ['2,000,000 brackets', 'resources.write', write(brackets), 400, /deeper than 64/],
  ['300,000 tools', 'resources.write', write(agent({ tools: names(300_000) })), 413, /100000 values/],
  ['90,000 tools', 'resources.write', write(agent({ tools: names(90_000) })), 400, /spec.tools must have at most 1000 entries/],
  ['90,000 unknown parameters', 'resources.write', JSON.stringify(fields(90_000)), 400, /is invalid/],
])('%s are answered over tRPC, the procedure %s', async (_what, procedure, body, status, message) => {
  const headers = { authorization: 'Bearer writer', 'content-type': JSON_TYPE, origin: http.url };
  const { value, longestMs } = await bestLoopDelay(() => http.send('POST', `/trpc/${procedure}`, { body, headers }));
  expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  expect([value.status, value.text.length < 200_000]).toEqual([status, true]);
  expect(value.body.error.message).toMatch(message);
});

test('a call without a token is refused before its body is read', async () => {
  const { status } = await http.send('POST', '/trpc/resources.write', {
    body: brackets,
    headers: { 'content-type': JSON_TYPE, origin: http.url },
  });
  expect(status).toBe(401);
});
