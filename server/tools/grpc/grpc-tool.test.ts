import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as grpc from '@grpc/grpc-js';
import * as loader from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import type { JsonObject } from '@svc/shared/json';
import { projectDirectory } from '../../installation.ts';
import type { CallError, ToolOutcome } from '../../engine/ports.ts';
import { createTestAuthority, withoutOpenssl, type TestAuthority, type TestCertificate } from '../../testing/test-certificates.ts';
import { toolDeps } from '../../testing/tool-deps.ts';
import { createToolPort, type ClosableToolPort } from '../create-tool-port.ts';
import { toolSpec } from '../../testing/specs.ts';

const LOADING = { keepCase: true, longs: String, enums: String, defaults: true, oneofs: true };
const DEMO = `syntax = "proto3";
package demo.v1;
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
service Weather {
  rpc Lookup(Query) returns (Query);
  rpc Watch(Query) returns (stream Query);
}
enum Unit { UNIT_NONE = 0; CELSIUS = 1; }
message Query {
  string city_name = 1;
  int64 when = 2;
  repeated double grid = 3;
  map<string, int32> weights = 4;
  Unit unit = 5;
  oneof place { string zip = 6; Point point = 7; }
  google.protobuf.Timestamp at = 8;
  google.protobuf.Struct options = 9;
  bytes blob = 10;
  optional int32 limit = 11;
  google.protobuf.Duration span = 12;
  google.protobuf.Int32Value wrapped = 13;
  sint32 offset = 14;
  repeated Point points = 15;
  bool exact = 16;
  float score = 17;
  fixed64 id = 18;
  message Point { sint64 x = 1; fixed32 y = 2; }
}
`;
const folder = mkdtempSync(join(tmpdir(), 'svc-grpc-'));
writeFileSync(join(folder, 'demo.proto'), DEMO);
const toolProto = join(projectDirectory(), 'resources', 'proto', 'tool', 'v1', 'tool.proto');
const toolDefinition = loader.loadSync(toolProto, LOADING);
const demoDefinition = loader.loadSync(join(folder, 'demo.proto'), LOADING);

type Handler = grpc.handleUnaryCall<any, any>;
interface Served {
  readonly invoke?: Handler;
  readonly lookup?: Handler;
  readonly reflection?: boolean;
  readonly certificate?: TestCertificate;
  /** Gets the path of each call. */
  readonly paths?: string[];
}

let authority: TestAuthority;
let localhost: TestCertificate;
let elsewhere: TestCertificate;
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function serve({ invoke, lookup, reflection = false, certificate, paths = [] }: Served): Promise<number> {
  const server = new grpc.Server({
    'grpc.max_send_message_length': -1,
    interceptors: [
      (method, call) => {
        paths.push(method.path);
        return new grpc.ServerInterceptingCall(call);
      },
    ],
  });
  const service = (definition: loader.PackageDefinition, name: string) => definition[name] as grpc.ServiceDefinition;
  if (invoke) server.addService(service(toolDefinition, 'tool.v1.ToolService'), { Invoke: invoke });
  if (lookup) server.addService(service(demoDefinition, 'demo.v1.Weather'), { Lookup: lookup, Watch: (call: any) => call.end() });
  if (reflection) new ReflectionService(demoDefinition).addToServer(server);
  const credentials = certificate
    ? grpc.ServerCredentials.createSsl(null, [{ private_key: Buffer.from(certificate.key), cert_chain: Buffer.from(certificate.cert) }])
    : grpc.ServerCredentials.createInsecure();
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound))),
  );
  cleanups.push(() => server.forceShutdown());
  return port;
}

const secrets: Record<string, () => Record<string, string>> = {
  token: () => ({ value: 'grpc-secret-token' }),
  trusting: () => ({ value: 'grpc-secret-token', 'ca.crt': authority.ca }),
  broken: () => ({ value: 'grpc-secret-token', 'ca.crt': 'no PEM' }),
};

function openPort(allowPrivateEndpoints = true): ClosableToolPort {
  const missing = () => Promise.reject(new ServiceError('not_found', 'no such Secret'));
  const resolver = {
    resolveValue: (ref: string) => (secrets[ref] ? Promise.resolve(secrets[ref]()['value'] ?? '') : missing()),
    resolveEntries: (ref: string) => (secrets[ref] ? Promise.resolve(secrets[ref]()) : missing()),
  };
  const deps = toolDeps({ allowPrivateEndpoints });
  const port = createToolPort({ ...deps, secrets: resolver });
  cleanups.push(() => port.close());
  cleanups.push(() => deps.egress.close());
  return port;
}

interface Call {
  readonly spec?: Record<string, unknown>;
  readonly input?: JsonObject;
  readonly signal?: AbortSignal;
  readonly port?: ClosableToolPort;
}

function invoke(endpoint: string, { spec, input = { q: 'tides' }, signal = new AbortController().signal, port = openPort() }: Call = {}) {
  const tool = { namespace: 'team', name: 'sum', spec: toolSpec({ type: 'grpc', endpoint, ...spec }) };
  const call = { tool, requestId: 'req-1', taskId: 'team/t', stream: 'uid-1', namespace: 'team', agent: 'a', input };
  return port.invoke(call, { signal });
}

const failure = (promise: Promise<ToolOutcome>): Promise<CallError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as CallError,
  );

const ok =
  (seen: any[] = []): Handler =>
  (call, reply) => {
    seen.push({ request: call.request, metadata: call.metadata.getMap() });
    reply(null, { status: 'ok', output: { result: { stringValue: 'done', kind: 'stringValue' } } });
  };

describe('the fixed service', () => {
  test('gets the request of protocol v1 with its metadata, and its reply is the outcome', async () => {
    const seen: any[] = [];
    const port = await serve({ invoke: ok(seen) });
    const spec = { auth: { secretRef: 'token' }, operation_classes: ['read', 'write'], capabilities: ['maths'], risk_level: 'medium' };
    const input = { q: 'tides', deep: [1, { a: null }], yes: true };
    expect(await invoke(`grpc://127.0.0.1:${port}`, { spec, input })).toEqual({ output: 'done', attempts: 1, contractVersion: 'v1' });
    const { request, metadata } = seen[0];
    expect(request).toMatchObject({
      tool_contract_version: 'v1',
      request_id: 'req-1',
      task_id: 'team/t',
      namespace: 'team',
      agent: 'a',
      tool: { name: 'sum', operation: 'write', capabilities: ['maths'], risk_level: 'medium' },
      attempt: 1,
    });
    expect(request.input.fields).toMatchObject({
      q: { stringValue: 'tides' },
      yes: { boolValue: true },
      deep: { listValue: { values: [{ numberValue: 1 }, { structValue: { fields: { a: { kind: 'nullValue' } } } }] } },
    });
    expect(metadata).toMatchObject({
      authorization: 'Bearer grpc-secret-token',
      'idempotency-key': 'req-1',
      'x-tool-contract-version': 'v1',
    });
  });

  test('answers with JSON too, and with errors that are typed', async () => {
    const answers = [
      {
        status: 'ok',
        output: { result: { structValue: { fields: { n: { numberValue: 2, kind: 'numberValue' } } }, kind: 'structValue' } },
      },
      { status: 'error', error: { code: 'rate_limited', retryable: true, message: 'slow down' } },
      { status: 'denied', error: { code: 'x', message: 'not you' } },
      { status: '' },
    ];
    const port = await serve({ invoke: (_, reply) => reply(null, answers.shift()) });
    const at = { port: openPort() };
    expect((await invoke(`grpc://127.0.0.1:${port}`, at)).output).toBe('{"n":2}');
    expect(await failure(invoke(`grpc://127.0.0.1:${port}`, at))).toMatchObject({
      code: 'execution_failed',
      reason: 'rate_limited',
      retryable: true,
    });
    expect(await failure(invoke(`grpc://127.0.0.1:${port}`, at))).toMatchObject({ code: 'permission_denied', retryable: false });
    expect(await failure(invoke(`grpc://127.0.0.1:${port}`, at))).toMatchObject({ code: 'execution_failed' });
  });

  test('missing on a server is an unsupported tool', async () => {
    const port = await serve({ lookup: ok() });
    expect(await failure(invoke(`grpc://127.0.0.1:${port}`))).toMatchObject({ code: 'unsupported_tool', reason: 'grpc_unimplemented' });
  });
});

describe('a method by reflection', () => {
  const everything: JsonObject = {
    cityName: 'Oslo',
    when: '9007199254740993',
    grid: [0.5, 'NaN'],
    weights: { rain: 2, __proto__x: -1 },
    unit: 'CELSIUS',
    point: { x: '-7', y: 8 },
    at: '2026-01-31T12:00:00.250Z',
    options: { a: [1, null, { b: 'c' }] },
    blob: 'AAEC',
    limit: 0,
    span: '-1.500s',
    wrapped: 5,
    offset: -3,
    points: [{ x: '1', y: 0 }],
    exact: true,
    score: 0.1,
    id: '18446744073709551615',
  };

  test('takes and gives every type in proto3 JSON', async () => {
    const seen: any[] = [];
    const port = await serve({
      reflection: true,
      lookup: (call, reply) => {
        seen.push(call.request);
        reply(null, call.request);
      },
    });
    const { output, contractVersion } = await invoke(`grpc://127.0.0.1:${port}/demo.v1.Weather/Lookup`, { input: everything });
    expect(JSON.parse(output)).toEqual(everything);
    expect(contractVersion).toBeUndefined();
    expect(seen[0]).toMatchObject({
      city_name: 'Oslo',
      when: '9007199254740993',
      grid: [0.5, NaN],
      unit: 'CELSIUS',
      place: 'point',
      point: { x: '-7', y: 8 },
      at: { seconds: '1769860800', nanos: 250_000_000 },
      blob: Buffer.from([0, 1, 2]),
      limit: 0,
      span: { seconds: '-1', nanos: -500_000_000 },
      wrapped: { value: 5 },
      offset: -3,
      exact: true,
      id: '18446744073709551615',
    });
  });

  test('shows fields without presence with their defaults, and leaves out what was not set', async () => {
    const port = await serve({ reflection: true, lookup: (_, reply) => reply(null, {}) });
    expect(JSON.parse((await invoke(`grpc://127.0.0.1:${port}/demo.v1.Weather/Lookup`, { input: {} })).output)).toEqual({
      cityName: '',
      when: '0',
      grid: [],
      weights: {},
      unit: 'UNIT_NONE',
      blob: '',
      offset: 0,
      points: [],
      exact: false,
      score: 0,
      id: '0',
    });
  });

  test.each<[JsonObject, string]>([
    [{ town: 'Oslo' }, 'input.town is not a field of demo.v1.Query'],
    [{ cityName: 5 }, 'input.cityName must be string'],
    [{ offset: 2 ** 31 }, 'input.offset must be sint32'],
    [{ id: -1 }, 'input.id must be fixed64'],
    [{ unit: 'KELVIN' }, 'input.unit must be one of UNIT_NONE, CELSIUS'],
    [{ grid: 1 }, 'input.grid must be a list'],
    [{ points: [{ x: '1' }, { y: 'x' }] }, 'input.points[1].y must be fixed32'],
    [{ weights: { a: 1.5 } }, 'input.weights.a must be int32'],
    [{ zip: '1', point: {} }, 'input.point cannot be combined with another field'],
    [{ at: 'yesterday' }, 'input.at must be a timestamp'],
    [{ options: [] }, 'input.options must be an object'],
  ])('refuses %j, and the model receives the place of the problem', async (input, message) => {
    const seen: any[] = [];
    const port = await serve({ reflection: true, lookup: ok(seen) });
    const error = await failure(invoke(`grpc://127.0.0.1:${port}/demo.v1.Weather/Lookup`, { input }));
    expect(error).toMatchObject({ code: 'invalid_input', retryable: false });
    expect(error.message).toContain(message);
    expect(seen).toEqual([]);
  });

  test('is queried once for many calls', async () => {
    const paths: string[] = [];
    const port = await serve({ reflection: true, lookup: (_, reply) => reply(null, {}), paths });
    const through = openPort();
    const endpoint = `grpc://127.0.0.1:${port}/demo.v1.Weather/Lookup`;
    for (let call = 0; call < 5; call += 1) await invoke(endpoint, { input: {}, port: through });
    expect(paths.filter((path) => path.includes('reflection'))).toHaveLength(1);
    expect(paths.filter((path) => path.endsWith('/Lookup'))).toHaveLength(5);
  });

  test.each([
    ['demo.v1.Weather/Watch', 'unsupported_tool', 'method'],
    ['demo.v1.Weather/Gone', 'unsupported_tool', 'method'],
    ['demo.v1.Gone/Lookup', 'unsupported_tool', 'method'],
  ])('%s cannot be called', async (method, code, reason) => {
    const port = await serve({ reflection: true, lookup: ok() });
    expect(await failure(invoke(`grpc://127.0.0.1:${port}/${method}`))).toMatchObject({ code, reason, retryable: false });
  });

  test('reports a server without reflection', async () => {
    const port = await serve({ lookup: ok() });
    const error = await failure(invoke(`grpc://127.0.0.1:${port}/demo.v1.Weather/Lookup`));
    expect(error).toMatchObject({ code: 'unsupported_tool', reason: 'no_reflection' });
    expect(error.message).toContain('switch reflection on');
  });
});

describe('statuses', () => {
  test.each<[grpc.status, string, boolean]>([
    [grpc.status.UNAUTHENTICATED, 'auth_invalid', false],
    [grpc.status.PERMISSION_DENIED, 'auth_forbidden', false],
    [grpc.status.DEADLINE_EXCEEDED, 'timeout', true],
    [grpc.status.UNAVAILABLE, 'execution_failed', true],
    [grpc.status.RESOURCE_EXHAUSTED, 'execution_failed', true],
    [grpc.status.INVALID_ARGUMENT, 'invalid_input', false],
    [grpc.status.UNIMPLEMENTED, 'unsupported_tool', false],
    [grpc.status.INTERNAL, 'execution_failed', false],
  ])('%i is %s', async (status, code, retryable) => {
    let calls = 0;
    const port = await serve({
      invoke: (call, reply) => {
        calls += 1;
        reply({ code: status, details: `because of ${String(call.metadata.get('authorization')[0])}` });
      },
    });
    const spec = { auth: { secretRef: 'token' }, runtime: { retry: { max_attempts: 2 } } };
    const error = await failure(invoke(`grpc://127.0.0.1:${port}`, { spec }));
    expect([error.code, error.retryable, calls]).toEqual([code, retryable, retryable ? 2 : 1]);
    expect(error.message).not.toContain('grpc-secret-token');
  });
});

describe('time', () => {
  test('a call that hangs ends at the timeout, and the server sees its end', async () => {
    const ended: Promise<string>[] = [];
    const hang: Handler = (call) => void ended.push(new Promise((resolve) => call.on('cancelled', () => resolve('cancelled'))));
    const port = await serve({ invoke: hang });
    const error = await failure(invoke(`grpc://127.0.0.1:${port}`, { spec: { runtime: { timeout: '1s' } } }));
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
    expect(await Promise.all(ended)).toEqual(['cancelled']);
  });

  test('an abort is canceled, at once', async () => {
    const abort = new AbortController();
    const port = await serve({ invoke: () => abort.abort() });
    expect(await failure(invoke(`grpc://127.0.0.1:${port}`, { signal: abort.signal }))).toMatchObject({ code: 'canceled' });
  });

  test.each(['', '/demo.v1.Weather/Lookup'])('a server that accepts and says nothing is a timeout (%s)', async (method) => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    cleanups.push(() => {
      sockets.forEach((socket) => socket.destroy());
      silent.close();
    });
    const { port } = silent.address() as AddressInfo;
    const spec = { runtime: { timeout: '300ms' } };
    expect(await failure(invoke(`grpc://127.0.0.1:${port}${method}`, { spec }))).toMatchObject({ code: 'timeout' });
    expect(await failure(invoke(`127.0.0.1:${port}${method}`, { spec }))).toMatchObject({ code: 'timeout' });
  });
});

describe.skipIf(withoutOpenssl('gRPC tools over TLS'))('TLS', () => {
  beforeAll(() => {
    authority = createTestAuthority();
    localhost = authority.issue('DNS:localhost');
    elsewhere = authority.issue('DNS:elsewhere.test');
  });
  afterAll(() => authority?.remove());

  const trusting = { auth: { secretRef: 'trusting' } };

  test('is the default; the Secret’s ca.crt is trusted for the host of the endpoint', async () => {
    const port = await serve({ invoke: ok(), certificate: localhost });
    expect((await invoke(`localhost:${port}`, { spec: trusting })).output).toBe('done');
    expect((await invoke(`grpcs://localhost:${port}`, { spec: trusting })).output).toBe('done');
  });

  test.each<[string, () => TestCertificate, Record<string, unknown>, string]>([
    ['an unknown authority', () => localhost, {}, 'tls_failed'],
    ['another host’s certificate', () => elsewhere, trusting, 'tls_failed'],
    ['a broken ca.crt', () => localhost, { auth: { secretRef: 'broken' } }, 'invalid_ca'],
  ])('%s is refused permanently, before sending', async (...[, certificate, spec, reason]) => {
    const seen: any[] = [];
    const port = await serve({ invoke: ok(seen), certificate: certificate() });
    const started = Date.now();
    const error = await failure(
      invoke(`localhost:${port}`, { spec: { ...spec, runtime: { timeout: '10s', retry: { max_attempts: 3 } } } }),
    );
    expect([error.reason, error.retryable, error.attempts, seen]).toEqual([reason, false, 1, []]);
    expect(Date.now() - started).toBeLessThan(5_000);
  });

  test('a server without TLS is a typed error', async () => {
    const port = await serve({ invoke: ok() });
    const error = await failure(invoke(`localhost:${port}`, { spec: trusting }));
    expect([error.code, error.message.includes('done')]).toEqual(['execution_failed', false]);
  });
});

describe('addresses', () => {
  test.each([
    ['grpc://127.0.0.1:1', 'loopback'],
    ['127.0.0.1:1', 'loopback'],
    ['2130706433:1/demo.v1.Weather/Lookup', 'loopback'],
    ['grpc://169.254.169.254:1', 'metadata'],
    ['[::ffff:10.0.0.1]:1', 'private'],
  ])('%s is blocked', async (endpoint, reason) => {
    expect(await failure(invoke(endpoint, { port: openPort(false) }))).toMatchObject({ code: 'egress_blocked', reason, retryable: false });
  });

  test('without TLS only private addresses are called', async () => {
    const error = await failure(invoke('grpc://93.184.216.34:50051'));
    expect(error).toMatchObject({ code: 'egress_blocked', reason: 'plaintext_refused', retryable: false });
  });

  test('a refused connection can be retried', async () => {
    expect(await failure(invoke('grpc://127.0.0.1:1'))).toMatchObject({ code: 'execution_failed', retryable: true });
    expect(await failure(invoke('127.0.0.1:1'))).toMatchObject({ code: 'execution_failed', reason: 'connection_refused', retryable: true });
  });

  test.each(['127.0.0.1', 'https://x.test:1', 'x.test:1/not a method', 'grpc://u:p@x.test:1', 'x.test:1/a/b/c', ':1'])(
    'the endpoint %s',
    async (endpoint) => {
      expect(await failure(invoke(endpoint))).toMatchObject({ code: 'runtime_policy_invalid', retryable: false });
    },
  );
});

describe('bounds', () => {
  test('an answer that is too large is refused and not requested again', async () => {
    let calls = 0;
    const port = await serve({
      invoke: (_, reply) => {
        calls += 1;
        reply(null, { status: 'ok', output: { result: { stringValue: 'x'.repeat(5 * 1024 * 1024), kind: 'stringValue' } } });
      },
    });
    const error = await failure(invoke(`grpc://127.0.0.1:${port}`, { spec: { runtime: { retry: { max_attempts: 3 } } } }));
    expect([error.code, error.reason, calls]).toEqual(['execution_failed', 'response_too_large', 1]);
  });

  test('a thousand calls leave no handle behind', async () => {
    const port = await serve({ invoke: ok() });
    const through = openPort();
    const endpoint = `grpc://127.0.0.1:${port}`;
    await invoke(endpoint, { port: through });
    const before = process.getActiveResourcesInfo().length;
    for (let batch = 0; batch < 20; batch += 1) {
      await Promise.all(Array.from({ length: 50 }, () => invoke(endpoint, { port: through })));
    }
    await expect.poll(() => process.getActiveResourcesInfo().length).toBeLessThanOrEqual(before);
  });

  test('a server that restarts is found again', async () => {
    const port = await serve({ invoke: ok() });
    const through = openPort();
    await invoke(`grpc://127.0.0.1:${port}`, { port: through });
    await cleanups[0]?.();
    expect(await failure(invoke(`grpc://127.0.0.1:${port}`, { port: through }))).toMatchObject({
      code: 'execution_failed',
      retryable: true,
    });
    const server = new grpc.Server();
    server.addService(toolDefinition['tool.v1.ToolService'] as grpc.ServiceDefinition, { Invoke: ok() });
    await new Promise((resolve) => server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), resolve));
    cleanups.push(() => server.forceShutdown());
    await expect
      .poll(() =>
        invoke(`grpc://127.0.0.1:${port}`, { port: through }).then(
          ({ output }) => output,
          () => 'not yet',
        ),
      )
      .toBe('done');
  });
});
