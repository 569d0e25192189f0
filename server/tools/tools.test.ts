import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import { createEgress } from '../egress/create-egress.ts';
import type { CallError, ToolOutcome, ToolPort } from '../engine/ports.ts';
import {
  flood,
  hang,
  json,
  redirect,
  reset,
  startLoopbackServer,
  text,
  type Answer,
  type LoopbackServer,
} from '../testing/loopback-server.ts';
import { toolCall, toolDeps } from '../testing/tool-deps.ts';
import { createToolPort } from './create-tool-port.ts';
import { callHashOf } from './decision-check.ts';
import { toolSpec } from '../testing/specs.ts';

const TOKEN = 'tool-secret-token';
const CLIENT_SECRET = 'client-secret/+=';

async function serve(...answers: Answer[]): Promise<LoopbackServer> {
  const server = await startLoopbackServer(...answers);
  onTestFinished(() => server.close());
  return server;
}

const values: Record<string, Record<string, string>> = {
  token: { value: TOKEN },
  login: { value: 'me:pass-word' },
  client: { client_id: 'id', client_secret: CLIENT_SECRET },
};

function openPort(allowPrivateEndpoints = true): ToolPort {
  const egress = createEgress();
  onTestFinished(() => egress.close());
  const missing = () => Promise.reject(new ServiceError('not_found', 'no such Secret'));
  const secrets = {
    resolveValue: (ref: string) => (values[ref] ? Promise.resolve(values[ref]['value'] ?? '') : missing()),
    resolveEntries: (ref: string) => (values[ref] ? Promise.resolve(values[ref]) : missing()),
  };
  return createToolPort({ ...toolDeps({ allowPrivateEndpoints }), secrets, egress });
}

interface Call {
  readonly spec: Record<string, unknown>;
  readonly input?: JsonObject;
  readonly signal?: AbortSignal;
}

function invoke(port: ToolPort, { spec, input = { q: 'tides' }, signal = new AbortController().signal }: Call): Promise<ToolOutcome> {
  const tool = { namespace: 'team', name: 'search', spec: toolSpec(spec) };
  return port.invoke({ tool, requestId: 'req-1', taskId: 'team/t', stream: 'uid-1', namespace: 'team', agent: 'a', input }, { signal });
}

async function failure(promise: Promise<unknown>): Promise<CallError> {
  const error = await promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (reason: unknown) => reason as CallError,
  );
  for (const secret of [TOKEN, CLIENT_SECRET, 'pass-word']) expect(`${error.message} ${error.reason ?? ''}`).not.toContain(secret);
  return error;
}

const retrying = (max_attempts: number) => ({ runtime: { timeout: '5s', retry: { max_attempts, backoff: '1ms' } } });

test('the input is posted as JSON with the request id as its key, and the answer is the output', async () => {
  const server = await serve(json({ found: [1, 2] }));
  expect(await invoke(openPort(), { spec: { endpoint: `${server.url}/run?x=1` } })).toEqual({ output: '{"found":[1,2]}', attempts: 1 });
  const { method, path, body, headers } = server.seen[0] ?? {};
  expect([method, path, body]).toEqual(['POST', '/run?x=1', '{"q":"tides"}']);
  expect([headers?.['content-type'], headers?.['idempotency-key'], headers?.['x-tool-contract-version']]).toEqual([
    'application/json',
    'req-1',
    undefined,
  ]);
});

test('a call of an unknown type is refused and the error names the type', async () => {
  const type = 'smtp';
  const error = await failure(invoke(openPort(), { spec: { type } }));
  expect(error).toMatchObject({ code: 'unsupported_tool', retryable: false });
  expect(error.message).toContain(`Tool "team/search" has type "${type}", which this server does not run; it runs http`);
});

describe('before anything is sent', () => {
  const schema = { type: 'object', required: ['q'], properties: { q: { type: 'string' } } };

  test('the stages judge in their order: type, isolation, input, decision', async () => {
    const server = await serve(text('ok'));
    const approved = { decision: 1, callHash: 'sha256:other' };
    const stages: Record<string, unknown>[] = [
      { type: 'smtp', runtime: { isolation_mode: 'wasm' } },
      { runtime: { isolation_mode: 'wasm' } },
      {},
      { input_schema: {} },
    ];
    const codes: string[] = [];
    for (const spec of stages) {
      const tool = { namespace: 'team', name: 'search', spec: toolSpec({ endpoint: server.url, input_schema: schema, ...spec }) };
      const call = { tool, requestId: 'r', taskId: 'team/t', stream: 'u', namespace: 'team', agent: 'a', input: { q: 5 }, approved };
      const error = await failure(openPort().invoke(call, { signal: new AbortController().signal }));
      codes.push(`${error.code} ${error.reason ?? ''}`);
    }
    expect(codes).toEqual([
      'unsupported_tool unsupported_type',
      'runtime_policy_invalid isolation_mode',
      'invalid_input schema_mismatch',
      'permission_denied decision_mismatch',
    ]);
    expect(server.seen).toEqual([]);
  });

  test('a call runs with the input that was approved, and with no other', async () => {
    const server = await serve(text('ok'));
    const egress = createEgress();
    onTestFinished(() => egress.close());
    const call = toolCall({ type: 'http', endpoint: server.url });
    const callHash = callHashOf(call);
    const decisions = { callHashOf: (decision: number) => Promise.resolve(decision === 4 ? callHash : undefined) };
    const port = createToolPort({ ...toolDeps(), egress, decisions });
    const signal = new AbortController().signal;
    const approved = { decision: 4, callHash };
    const tampered = await failure(port.invoke({ ...call, approved, input: { q: 'rm' } }, { signal }));
    expect([tampered.code, tampered.reason]).toEqual(['permission_denied', 'decision_mismatch']);
    expect((await port.invoke({ ...call, approved }, { signal })).output).toBe('ok');
    expect(server.seen.map(({ body }) => body)).toEqual(['{"q":"tides"}']);
  });
});

describe('retries', () => {
  test('send the same key again until an attempt succeeds', async () => {
    const server = await serve(text('busy', 503), reset(), text('slow down', 429, { 'retry-after': '0' }), text('done'));
    const outcome = await invoke(openPort(), { spec: { endpoint: server.url, ...retrying(4) } });
    expect(outcome).toEqual({ output: 'done', attempts: 4 });
    expect(server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['req-1', 'req-1', 'req-1', 'req-1']);
  });

  test('stop when the attempts are used up', async () => {
    const server = await serve(text('busy', 503));
    const error = await failure(invoke(openPort(), { spec: { endpoint: server.url, ...retrying(2) } }));
    expect(error).toMatchObject({ code: 'execution_failed', reason: 'http_503', retryable: true, attempts: 2 });
  });

  test.each([
    [400, 'execution_failed'],
    [401, 'auth_invalid'],
    [403, 'auth_forbidden'],
    [404, 'execution_failed'],
    [422, 'execution_failed'],
  ])('are not made on status %i (%s)', async (status, code) => {
    const server = await serve(json({ error: 'field x is missing' }, status));
    const error = await failure(invoke(openPort(), { spec: { endpoint: server.url, ...retrying(3) } }));
    expect([error.code, error.retryable, server.seen.length]).toEqual([code, false, 1]);
  });

  test('are made on a timeout of one attempt', async () => {
    const server = await serve(hang, text('done'));
    const spec = { endpoint: server.url, runtime: { timeout: '1s', retry: { max_attempts: 2 } } };
    expect(await invoke(openPort(), { spec })).toEqual({ output: 'done', attempts: 2 });
  });
});

describe('auth', () => {
  test.each<[string, Record<string, unknown>, [string, string]]>([
    ['bearer by default', { secretRef: 'token' }, ['authorization', `Bearer ${TOKEN}`]],
    ['api_key_header', { profile: 'api_key_header', headerName: 'X-Key', secretRef: 'token' }, ['x-key', TOKEN]],
    ['basic', { profile: 'basic', secretRef: 'login' }, ['authorization', `Basic ${Buffer.from('me:pass-word').toString('base64')}`]],
  ])('%s', async (_, auth, [header, value]) => {
    const server = await serve(text('ok'));
    await invoke(openPort(), { spec: { endpoint: server.url, auth } });
    expect(server.seen[0]?.headers[header]).toBe(value);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a missing Secret', { secretRef: 'gone' }, 'secret_resolution_failed'],
    ['a basic Secret without a colon', { profile: 'basic', secretRef: 'token' }, 'secret_resolution_failed'],
    [
      'an OAuth Secret without its keys',
      { profile: 'oauth2_client_credentials', secretRef: 'token', tokenURL: 'http://x.test' },
      'secret_resolution_failed',
    ],
    [
      'a header that cannot carry a key',
      { profile: 'api_key_header', headerName: 'Content-Length', secretRef: 'token' },
      'runtime_policy_invalid',
    ],
    ['an unknown profile', { profile: 'magic', secretRef: 'token' }, 'runtime_policy_invalid'],
  ])('%s fails permanently, without a request', async (_, auth, code) => {
    const server = await serve(text('ok'));
    const error = await failure(invoke(openPort(), { spec: { endpoint: server.url, auth, ...retrying(3) } }));
    expect([error.code, error.retryable, server.seen]).toEqual([code, false, []]);
  });

  test('a tool that repeats its credentials does not get them into output or errors', async () => {
    const echo: Answer = (response, { headers }) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(headers));
    const failing: Answer = (response, { headers }) =>
      void response.writeHead(400, { 'content-type': 'text/plain' }).end(JSON.stringify(headers));
    const server = await serve(echo, failing);
    const port = openPort();
    const spec = { endpoint: server.url, auth: { profile: 'basic', secretRef: 'login' } };
    const { output } = await invoke(port, { spec });
    expect(output).toContain('"authorization":"Basic ***"');
    expect((await failure(invoke(port, { spec }))).message).not.toContain(Buffer.from('me:pass-word').toString('base64'));
  });

  test('credentials do not follow a redirect to another origin', async () => {
    const other = await serve(text('done'));
    const server = await serve(redirect(other.url, 307));
    await invoke(openPort(), {
      spec: { endpoint: server.url, auth: { profile: 'api_key_header', headerName: 'X-Key', secretRef: 'token' } },
    });
    expect(other.seen[0]?.headers['x-key']).toBeUndefined();
    expect(other.seen[0]?.headers['idempotency-key']).toBe('req-1');
  });
});

describe('OAuth client credentials', () => {
  const oauth = (server: LoopbackServer, tokens: LoopbackServer) => ({
    endpoint: server.url,
    auth: { profile: 'oauth2_client_credentials', secretRef: 'client', tokenURL: `${tokens.url}/token`, scopes: ['a', 'b'] },
  });
  const granting = (token: string, expires_in = 3600) => json({ access_token: token, token_type: 'Bearer', expires_in });

  test('one token serves many calls, at once and one after the other', async () => {
    const tokens = await serve(granting('t1'));
    const server = await serve(text('ok'));
    const port = openPort();
    await Promise.all([1, 2, 3].map(() => invoke(port, { spec: oauth(server, tokens) })));
    await invoke(port, { spec: oauth(server, tokens) });
    expect(tokens.seen).toHaveLength(1);
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(Array(4).fill('Bearer t1'));
    expect(Object.fromEntries(new URLSearchParams(tokens.seen[0]?.body))).toEqual({ grant_type: 'client_credentials', scope: 'a b' });
    expect(tokens.seen[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from(`id:${encodeURIComponent(CLIENT_SECRET)}`).toString('base64')}`,
    );
  });

  test('a 401 drops the token and tries once with a new one, within the attempt', async () => {
    const tokens = await serve(granting('t1'), granting('t2'));
    const server = await serve(text('no', 401), text('ok'));
    expect(await invoke(openPort(), { spec: oauth(server, tokens) })).toEqual({ output: 'ok', attempts: 1 });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  test('a second 401 is auth_invalid', async () => {
    const tokens = await serve(granting('t1'), granting('t2'));
    const server = await serve(text('no', 401));
    const error = await failure(invoke(openPort(), { spec: { ...oauth(server, tokens), ...retrying(3) } }));
    expect([error.code, server.seen.length, tokens.seen.length]).toEqual(['auth_invalid', 2, 2]);
  });

  test('an expired token is replaced', async () => {
    const tokens = await serve(granting('t1', 1), granting('t2'));
    const server = await serve(text('ok'));
    const port = openPort();
    await invoke(port, { spec: oauth(server, tokens) });
    await invoke(port, { spec: oauth(server, tokens) });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  test('a server that takes the client only in the body is served', async () => {
    const tokens = await serve(json({ error: 'invalid_client' }, 401), granting('t1'));
    const server = await serve(text('ok'));
    await invoke(openPort(), { spec: oauth(server, tokens) });
    expect(new URLSearchParams(tokens.seen[1]?.body).get('client_secret')).toBe(CLIENT_SECRET);
  });

  test.each<[string, Answer, string, boolean]>([
    ['a refusal', json({ error: 'invalid_client' }, 401), 'auth_invalid', false],
    ['an outage', text('down', 503), 'execution_failed', true],
    ['garbage', text('<html>'), 'execution_failed', true],
    ['a redirect', redirect('http://example.com/', 307), 'execution_failed', false],
    ['no token', json({}), 'execution_failed', true],
  ])('%s at the token endpoint is typed', async (...[, answer, code, retryable]) => {
    const tokens = await serve(answer);
    const server = await serve(text('ok'));
    const error = await failure(invoke(openPort(), { spec: oauth(server, tokens) }));
    expect([error.code, error.retryable, server.seen]).toEqual([code, retryable, []]);
  });

  test('the token endpoint is under the egress rules too', async () => {
    const tokens = await serve(granting('t1'));
    const error = await failure(invoke(openPort(false), { spec: oauth(tokens, tokens) }));
    expect([error.code, tokens.seen]).toEqual(['egress_blocked', []]);
  });

  test('one caller’s abort does not take the token from the others', async () => {
    const tokens = await serve(
      (response) =>
        void setImmediate(() => granting('t1')(response, { method: '', path: '', headers: {}, body: '', bytes: Buffer.alloc(0) })),
    );
    const server = await serve(text('ok'));
    const port = openPort();
    const abort = new AbortController();
    const gone = failure(invoke(port, { spec: oauth(server, tokens), signal: abort.signal }));
    const other = invoke(port, { spec: oauth(server, tokens) });
    await tokens.nextRequest();
    abort.abort();
    expect((await gone).code).toBe('canceled');
    expect((await other).output).toBe('ok');
    expect(tokens.seen).toHaveLength(1);
  });
});

describe('egress', () => {
  test('loopback needs the operator’s switch, and the error names it', async () => {
    const server = await serve(text('inside'));
    const error = await failure(invoke(openPort(false), { spec: { endpoint: server.url, ...retrying(3) } }));
    expect(error).toMatchObject({ code: 'egress_blocked', retryable: false, attempts: 1 });
    expect(error.message).toContain('127.0.0.1 is a loopback address; only the server option --allow-private-tool-endpoints permits it');
  });

  test.each(['http://169.254.169.254/', 'http://100.100.100.200/', 'file:///etc/passwd'])(
    '%s stays blocked with the switch on',
    async (endpoint) => {
      expect((await failure(invoke(openPort(), { spec: { endpoint } }))).code).toBe('egress_blocked');
    },
  );
});

describe('hostile tools', () => {
  test.each<[string, Answer, string, boolean]>([
    ['hangs', hang, 'timeout', true],
    ['drips without end', (response) => void dripInto(response), 'timeout', true],
    ['cuts the connection', reset(), 'execution_failed', true],
    ['cuts its answer', reset('{"a'), 'execution_failed', true],
    ['floods', flood('application/json'), 'execution_failed', false],
    ['answers with an image', text('GIF89a', 200, { 'content-type': 'image/gif' }), 'execution_failed', false],
    ['answers with binary data', text('a\0b', 200, {}), 'execution_failed', false],
    ['calls something else JSON', text('{"a":', 200, { 'content-type': 'application/json' }), 'execution_failed', false],
    ['compresses', text('x', 200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }), 'execution_failed', false],
    ['speaks no HTTP', (response) => void response.socket?.end('220 smtp ready\r\n'), 'execution_failed', true],
    ['redirects forever', redirect('/', 307), 'execution_failed', false],
    ['redirects to the metadata service', redirect('http://169.254.169.254/', 302), 'egress_blocked', false],
  ])('one that %s ends in a typed error', async (...[, answer, code, retryable]) => {
    const server = await serve(answer);
    const error = await failure(
      invoke(openPort(), { spec: { endpoint: server.url, runtime: { timeout: code === 'timeout' ? '300ms' : '20s' } } }),
    );
    expect([error.code, error.retryable]).toEqual([code, retryable]);
  });

  test('an abort is canceled, at once', async () => {
    const server = await serve(hang);
    const abort = new AbortController();
    const call = failure(invoke(openPort(), { spec: { endpoint: server.url, ...retrying(3) }, signal: abort.signal }));
    await server.nextRequest();
    abort.abort();
    expect(await call).toMatchObject({ code: 'canceled', retryable: false });
  });

  test('an empty answer is an empty output', async () => {
    const server = await serve(text('', 204, {}));
    expect((await invoke(openPort(), { spec: { endpoint: server.url } })).output).toBe('');
  });
});

describe('input', () => {
  const schema = {
    type: 'object',
    properties: { q: { type: 'string', format: 'email' }, n: { type: 'integer' } },
    required: ['q'],
    additionalProperties: false,
  };

  test('outside the schema is refused with places and rules, never values', async () => {
    const server = await serve(text('ok'));
    const spec = { endpoint: server.url, input_schema: schema };
    const error = await failure(invoke(openPort(), { spec, input: { q: 'private words', n: 1.5, x: 1 } }));
    expect([error.code, error.retryable, server.seen]).toEqual(['invalid_input', false, []]);
    expect(error.message).toContain('input.q must match format "email"; input.n must be integer');
    expect(error.message).toContain('must NOT have additional properties ("x")');
    expect(error.message).not.toContain('private words');
  });

  test('within the schema is sent; schemas of all dialects work and may share an $id', async () => {
    const server = await serve(text('ok'));
    const port = openPort();
    const dialects = [
      'http://json-schema.org/draft-07/schema#',
      'https://json-schema.org/draft/2019-09/schema',
      'https://json-schema.org/draft/2020-12/schema',
      undefined,
    ];
    for (const $schema of dialects) {
      const input_schema = { ...schema, $id: 'https://same.test/', ...($schema && { $schema }) };
      await invoke(port, { spec: { endpoint: server.url, input_schema }, input: { q: 'a@b.test' } });
    }
    expect(server.seen).toHaveLength(dialects.length);
  });

  test('is matched against patterns in linear time, each against its own', async () => {
    const server = await serve(text('ok'));
    const input_schema = { properties: { a: { type: 'string', pattern: '^(x+)+$' }, b: { type: 'string', pattern: '^\\u0079\\/\\d+$' } } };
    const spec = { endpoint: server.url, input_schema };
    const error = await failure(invoke(openPort(), { spec, input: { a: `${'x'.repeat(5000)}!`, b: 'x' } }));
    expect(error.message).toContain('input.a must match pattern');
    expect(error.message).toContain('input.b must match pattern');
    expect((await invoke(openPort(), { spec, input: { a: 'xx', b: 'y/12' } })).output).toBe('ok');
  });

  test.each<[string, object]>([
    ['is no schema', { type: 'nonsense' }],
    ['refers elsewhere', { $ref: 'https://elsewhere.test/schema' }],
    ['has a pattern without a linear match', { properties: { q: { pattern: '(?=a)b' } } }],
    ['has a broken pattern', { properties: { q: { pattern: '(' } } }],
    ['is huge', { description: 'x'.repeat(300_000) }],
  ])('a schema that %s fails as an error of the tool, not of the model', async (_, input_schema) => {
    const error = await failure(invoke(openPort(), { spec: { endpoint: 'http://x.test', input_schema } }));
    expect(error).toMatchObject({ code: 'runtime_policy_invalid', retryable: false });
  });
});

function dripInto(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/plain' });
  const timer = setInterval(() => response.write('.'), 20);
  response.on('close', () => clearInterval(timer));
}
