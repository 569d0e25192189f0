// Rules that many kinds share.
import { expect, test } from 'vitest';
import { noCredentials, noPassword } from './field-rules.ts';
import { normalizeModelEndpoint, validateModelEndpoint } from './model-endpoint/rules.ts';
import { normalizeTool } from './tool/normalize.ts';
import { validateTool } from './tool/rules.ts';

test('an unknown provider lists every name with its aliases and suggests the nearest', () => {
  expect(validateModelEndpoint(normalizeModelEndpoint({ provider: 'open-ai' }))).toMatchObject([
    {
      path: 'spec.provider',
      message:
        'must be one of gateway-a (openai), gateway-b (anthropic), gateway-c (azure-openai), local-runtime (ollama), mock, ' +
        'gateway-a-compatible (openai-compatible), not "open-ai"; did you mean "openai"?',
    },
  ]);
});

test('an unknown value suggests the nearest', () => {
  expect(validateTool(normalizeTool({ type: 'htp' }))[0]?.message).toMatch(/not "htp"; did you mean "http"\?$/);
});

test.each([
  ['99999999h', 'must be at most 292 years (2562047h), not "99999999h"'],
  ['soon', 'must be a duration such as 30s, 10m or 24h, not "soon"'],
])('a duration of %s says what is wrong with it', (timeout, message) => {
  expect(validateTool(normalizeTool({ type: 'http', endpoint: 'https://a.example', runtime: { timeout } }))).toEqual([
    { path: 'spec.runtime.timeout', message },
  ]);
});

test.each([
  'postgres://svc:p@db.example/x',
  'postgres://svc:Zk9/pQ==@db.example/x',
  'postgres://svc:99/pQ==@db.example/x',
  'postgres://svc:Zk#9@db.example/x',
  'postgres://svc:Zk?9@db.example/x',
  'postgres://svc:p@ss/w@db.example/x',
  'postgres://svc@corp:p@db.example/x',
  'svc:Zk9/pQ@db.example:5432/x',
  'redis://:Zk9/pQ@cache.example',
  'postgres://svc@db.example/x?password=p',
  'postgres://svc@db.example/x?pass%77ord=p',
  'postgres://svc@db.example/x?sslmode=require&sslpassword=p',
  'jdbc:postgresql://db.example/x?user=svc&PASSWORD=p',
  'host=db.example user=svc password=p',
  "password = 'p' host=db.example",
  'Server=db.example;Pwd=p',
])('the address %s holds a password', (address) => {
  expect(noPassword('spec.endpoint', address)).toHaveLength(1);
});

test.each([
  'postgres://db.example/x',
  'postgres://svc@db.example:5432/x?sslmode=require&application_name=bypass',
  'postgres://svc@[::1]:5432/x@y',
  'postgres://a%40b@[::1]:6432/x%20y',
  'postgres://svc:@db.example/x',
  'nats://broker.example:4222/tools.search',
  'https://vectors.example/?bypass=1',
])('the address %s holds no password', (address) => {
  expect(noPassword('spec.endpoint', address)).toEqual([]);
});

test('an address that no URL parser takes holds no credentials further on', () => {
  expect(noCredentials('spec.endpoint', 'https://svc:Zk9/pQ@files.example/m.wasm')).toHaveLength(1);
  expect(noCredentials('spec.endpoint', 'https://files.example:8443/m@1.2/m.wasm#sha256=00')).toEqual([]);
});

/** Backtracking would take longer than the test may. */
test('a long address is read in linear time', () => {
  for (const text of [':'.repeat(1e6), 'a-'.repeat(5e5), ' password'.repeat(1e5), `password${' '.repeat(1e6)}`, '%41'.repeat(3e5)])
    expect(noPassword('spec.endpoint', text)).toEqual([]);
});

test.each(['queue', 'grpc'])('a %s tool keeps no password with a slash', (type) => {
  expect(validateTool(normalizeTool({ type, endpoint: 'u:a/b@tools.example:4222/s' }))).toMatchObject([{ path: 'spec.endpoint' }]);
  expect(validateTool(normalizeTool({ type, endpoint: 'nats://u:a/b@tools.example:4222/s' }))).toMatchObject([{ path: 'spec.endpoint' }]);
});
