import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { Egress, EgressRequest } from '../../egress/egress.ts';
import type { CallError, ToolOutcome, ToolPort } from '../../engine/ports.ts';
import { toolDeps } from '../../testing/tool-deps.ts';
import { buildModule, I32, leb, op, replying, wasi, writes, type ModulePlan } from '../../testing/wasm-builder.ts';
import { createToolPort, type ClosableToolPort } from '../create-tool-port.ts';
import { toolSpec } from '../../testing/specs.ts';

const OK = { status: 'ok', output: { result: 'done' } };
const folder = mkdtempSync(join(tmpdir(), 'svc-wasm-'));
const { egress, ...deps } = toolDeps();
const port = createToolPort({ ...deps, egress });
afterAll(async () => {
  await port.close();
  await egress.close();
  rmSync(folder, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
let files = 0;
function file(bytes: Uint8Array): string {
  files += 1;
  const path = join(folder, `${files}.wasm`);
  writeFileSync(path, bytes);
  return pathToFileURL(path).href;
}

interface Call {
  readonly spec?: Record<string, unknown>;
  readonly signal?: AbortSignal;
  readonly through?: ToolPort;
}

function invoke(endpoint: string, { spec, signal = new AbortController().signal, through = port }: Call = {}): Promise<ToolOutcome> {
  const tool = { namespace: 'team', name: 'sum', spec: toolSpec({ type: 'wasm', endpoint, ...spec }) };
  const call = { tool, requestId: 'req-1', taskId: 'team/t', stream: 'uid-1', namespace: 'team', agent: 'a', input: { q: 'tides' } };
  return through.invoke(call, { signal });
}

const failure = (promise: Promise<unknown>): Promise<CallError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as CallError,
  );

/** Reads standard input into memory at 4096 and replies with it as its result. */
function echo(): Uint8Array {
  const before = Buffer.from('{"status":"ok","output":{"result":');
  const after = Buffer.from('}}');
  return buildModule({
    memory: { minimum: 2 },
    imports: [wasi.fdWrite, wasi.fdRead],
    data: [
      { at: 1024, bytes: before },
      { at: 2048, bytes: after },
    ],
    functions: [
      {
        name: '_start',
        code: [
          ...[op.i32(16), op.i32(4096), op.store(), op.i32(16), op.i32(60_000), op.store(4)],
          ...[op.i32(0), op.i32(16), op.i32(1), op.i32(24), op.call(1), op.drop],
          ...writes(1, { at: 1024, length: before.length }),
          ...[op.i32(0), op.i32(4096), op.store(), op.i32(0), op.i32(24), op.load(), op.store(4)],
          ...[op.i32(1), op.i32(0), op.i32(1), op.i32(8), op.call(0), op.drop],
          ...writes(1, { at: 2048, length: after.length }),
        ],
      },
    ],
  });
}

test('a module gets the request on standard input; its reply is the outcome, with the facts of its sandbox', async () => {
  const module = echo();
  const outcome = await invoke(file(module), { spec: { operation_classes: ['read', 'write'] } });
  expect(JSON.parse(outcome.output)).toEqual({
    tool_contract_version: 'v1',
    request_id: 'req-1',
    task_id: 'team/t',
    namespace: 'team',
    agent: 'a',
    tool: { name: 'sum', operation: 'write', capabilities: [], risk_level: 'low' },
    input: { q: 'tides' },
    attempt: 1,
  });
  expect(outcome).toMatchObject({
    attempts: 1,
    contractVersion: 'v1',
    isolation: {
      mode: 'wasm',
      backend: 'wasm',
      module_sha256: sha256(module),
      memory_bytes: 64 * 1024 * 1024,
      memory_used_bytes: 2 * 65_536,
      network: 'none',
      exit_code: 0,
    },
  });
});

test('a module’s credentials are its only variables, and stay out of its output', async () => {
  const resolveValue = () => Promise.resolve('wasm-secret-token');
  const resolveEntries = () => Promise.resolve({ value: 'wasm-secret-token' });
  const through = createToolPort({ ...deps, egress, secrets: { resolveValue, resolveEntries } });
  const before = Buffer.from('{"status":"ok","output":{"result":"');
  const environ = [
    { name: 'environ_sizes_get', type: { parameters: [I32, I32], results: [I32] } },
    { name: 'environ_get', type: { parameters: [I32, I32], results: [I32] } },
  ];
  const module = buildModule({
    memory: { minimum: 1 },
    imports: [wasi.fdWrite, ...environ],
    data: [
      { at: 1024, bytes: before },
      { at: 2048, bytes: Buffer.from('"}}') },
    ],
    functions: [
      {
        name: '_start',
        code: [
          ...[op.i32(64), op.i32(68), op.call(1), op.drop, op.i32(64), op.load(), op.i32(1), op.notEqual, op.if(op.unreachable)],
          ...[op.i32(72), op.i32(4096), op.call(2), op.drop],
          ...writes(1, { at: 1024, length: before.length }),
          ...writes(1, { at: 4096, length: 'TOOL_AUTH_BEARER=wasm-secret-token'.length }),
          ...writes(1, { at: 2048, length: 3 }),
        ],
      },
    ],
  });
  expect((await invoke(file(module), { through, spec: { auth: { secretRef: 'token' } } })).output).toBe('TOOL_AUTH_BEARER=***');
  await through.close();
});

test('instances share nothing: a second call finds the memory as the module declares it', async () => {
  const counting = replying(OK, {
    code: [op.i32(512), op.load(), op.i32(0), op.notEqual, op.if(op.unreachable), op.i32(512), op.i32(1), op.store()],
  });
  const endpoint = file(counting);
  for (const warm of [true, true]) expect((await invoke(endpoint)).isolation).toMatchObject({ warm });
});

test('twenty calls at once all end', async () => {
  const endpoint = file(replying(OK));
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => invoke(endpoint)));
  expect(outcomes.map(({ output }) => output)).toEqual(Array(20).fill('done'));
});

test('a changed file is taken up by the next call', async () => {
  const endpoint = file(replying(OK));
  expect((await invoke(endpoint)).output).toBe('done');
  writeFileSync(new URL(endpoint), replying({ status: 'ok', output: { result: { n: 2 } } }));
  expect((await invoke(endpoint)).output).toBe('{"n":2}');
});

test('an entrypoint of one’s own runs after _initialize, and its i32 is the exit code', async () => {
  const bytes = Buffer.from(JSON.stringify(OK));
  const plan: ModulePlan = {
    memory: { minimum: 1 },
    imports: [wasi.fdWrite],
    data: [{ at: 1024, bytes }],
    functions: [
      { name: '_initialize', code: [...writes(1, { at: 1024, length: bytes.length })] },
      { name: 'main', type: { results: [I32] }, code: [op.i32(0)] },
      { name: 'fails', type: { results: [I32] }, code: [op.i32(3)] },
    ],
  };
  const endpoint = file(buildModule(plan));
  expect((await invoke(endpoint, { spec: { wasm: { entrypoint: 'main' } } })).output).toBe('done');
  expect(await failure(invoke(endpoint, { spec: { wasm: { entrypoint: 'fails' } } }))).toMatchObject({ reason: 'exit_code' });
});

describe('memory', () => {
  const growing = (pages: number, plan: Partial<ModulePlan> = {}) =>
    file(replying(OK, { ...plan, code: [op.i32(pages), op.grow, op.i32(-1), op.equal, op.if(op.unreachable)] }));
  const limit = { wasm: { memory_max_bytes: 32 * 65_536 } };

  test('may grow to the limit and no page further, though the module declares no maximum', async () => {
    expect((await invoke(growing(31), { spec: limit })).isolation).toMatchObject({
      memory_bytes: 32 * 65_536,
      memory_used_bytes: 32 * 65_536,
    });
    expect(await failure(invoke(growing(32), { spec: limit }))).toMatchObject({
      code: 'execution_failed',
      reason: 'trap',
      retryable: false,
    });
  });

  test('has 64 MiB by default', async () => {
    expect((await invoke(growing(1023))).output).toBe('done');
    expect(await failure(invoke(growing(1024)))).toMatchObject({ reason: 'trap' });
  });

  test('above the operator’s ceiling is refused at the call', async () => {
    const error = await failure(invoke(growing(1), { spec: { wasm: { memory_max_bytes: 256 * 1024 * 1024 + 1 } } }));
    expect(error).toMatchObject({ code: 'runtime_policy_invalid', reason: 'wasm_memory_ceiling', retryable: false });
    expect(error.message).toContain('--wasm-memory-max permits 268435456');
  });

  test('keeps a smaller maximum of the module’s own', async () => {
    expect(await failure(invoke(growing(4, { memory: { minimum: 1, maximum: 4 } }), { spec: limit }))).toMatchObject({ reason: 'trap' });
  });

  test.each<[string, ModulePlan['memory']]>([
    ['minimum', { minimum: 33 }],
    ['maximum', { minimum: 1, maximum: 33 }],
  ])('with a %s above the limit is refused, not started', async (_, memory) => {
    const error = await failure(invoke(file(replying(OK, { ...(memory && { memory }) })), { spec: limit }));
    expect(error).toMatchObject({ code: 'runtime_policy_invalid', reason: 'memory_limit', retryable: false });
    expect(error.message).toContain('spec.wasm.memory_max_bytes permits 2097152');
  });
});

describe('policy', () => {
  const foreign = (name: string, module?: string) => replying(OK, { imports: [{ name, type: {}, ...(module && { module }) }] });
  test.each<[string, () => Uint8Array, string]>([
    ['no module', () => Buffer.from('hello'), 'invalid_module'],
    ['a cut module', () => replying(OK).subarray(0, 60), 'invalid_module'],
    ['code that does not validate', () => replying(OK, { code: [op.drop] }), 'invalid_module'],
    ['an import of a host’s', () => foreign('log', 'env'), 'import_refused'],
    ['an import of another WASI', () => foreign('fd_write', 'wasi_unstable'), 'import_refused'],
    ['an unknown function of WASI', () => foreign('sock_open'), 'import_refused'],
    ['no entrypoint', () => buildModule({ memory: { minimum: 1 }, functions: [{ name: 'main', code: [] }] }), 'entrypoint_missing'],
    [
      'an entrypoint with parameters',
      () => buildModule({ memory: { minimum: 1 }, functions: [{ name: '_start', type: { parameters: [I32] }, code: [] }] }),
      'entrypoint_missing',
    ],
    ['no memory', () => buildModule({ functions: [{ name: '_start', code: [] }] }), 'invalid_module'],
    ['a hidden memory', () => replying(OK, { exportsMemory: false }), 'invalid_module'],
    ['a shared memory', () => replying(OK, { memory: { minimum: 1, maximum: 2, flags: 3 } }), 'invalid_module'],
    ['a 64-bit memory', () => replying(OK, { memory: { minimum: 1, flags: 4 } }), 'invalid_module'],
    ['two memories', () => replying(OK, { raw: [{ id: 5, body: [2, 0, 1, 0, 1] }] }), 'invalid_module'],
    ['many empty sections', () => Buffer.concat([replying(OK), Buffer.alloc(2_000)]), 'invalid_module'],
    [
      'a function of many parameters',
      () => replying(OK, { raw: [{ id: 1, body: [1, 0x60, ...leb(1_001), ...Array<number>(1_001).fill(I32), 0] }] }),
      'invalid_module',
    ],
    ['huge tables', () => replying(OK, { tables: [{ minimum: 10_000_000 }] }), 'invalid_module'],
    ['garbage-collected types', () => replying(OK, { raw: [{ id: 1, body: [1, 0x5f, 0] }] }), 'invalid_module'],
    ['a count that is not there', () => Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, ...leb(2 ** 32 - 1)]), 'invalid_module'],
  ])('%s', async (_, module, reason) => {
    const endpoint = file(module());
    for (const attempt of [1, 2]) {
      const error = await failure(invoke(endpoint, { spec: { runtime: { retry: { max_attempts: 3 } } } }));
      expect([attempt, error.code, error.reason, error.retryable, error.attempts]).toEqual([
        attempt,
        'runtime_policy_invalid',
        reason,
        false,
        1,
      ]);
    }
  });

  test.each(['container', 'kubernetes'])('isolation_mode %s', async (isolation_mode) => {
    const error = await failure(invoke(file(replying(OK)), { spec: { runtime: { isolation_mode } } }));
    expect(error).toMatchObject({ code: 'runtime_policy_invalid', reason: 'isolation_mode', retryable: false });
  });
  test.each(['high', 'critical'])('a module of %s risk without isolation_mode runs in its sandbox', async (risk_level) => {
    expect((await invoke(file(replying(OK)), { spec: { risk_level } })).isolation).toMatchObject({ mode: 'wasm' });
  });
  test.each(['none', 'sandboxed', 'wasm'])('isolation_mode %s runs in the sandbox', async (isolation_mode) => {
    expect((await invoke(file(replying(OK)), { spec: { runtime: { isolation_mode } } })).isolation).toMatchObject({ mode: 'wasm' });
  });

  test.each([
    ['https://cdn.test/t.wasm', 'invalid_endpoint'],
    ['https://cdn.test/t.wasm#sha256=abc', 'invalid_endpoint'],
    [`http://cdn.test/t.wasm#sha256=${'a'.repeat(64)}`, 'invalid_endpoint'],
    ['t.wasm', 'invalid_endpoint'],
    ['fi\tle:///x.wasm', 'invalid_endpoint'],
    ['\0file:///x.wasm', 'invalid_endpoint'],
    ['file:///does/not/exist.wasm', 'module_unreadable'],
    ['file:///dev/zero', 'module_unreadable'],
    ['file:///', 'module_unreadable'],
  ])('the endpoint %s', async (endpoint, reason) => {
    expect(await failure(invoke(endpoint))).toMatchObject({ code: 'runtime_policy_invalid', reason, retryable: false });
  });
});

describe('a hostile module', () => {
  const quick = { runtime: { timeout: '300ms' } };
  const forever = op.loop(op.branch(0));
  test.each<[string, () => Uint8Array, string, string]>([
    ['that loops', () => replying(OK, { code: [forever] }), 'timeout', 'timeout'],
    ['that loops when it is instantiated', () => replying(OK, { functions: [{ code: [forever] }], start: 2 }), 'timeout', 'timeout'],
    [
      'that writes forever',
      () => replying(OK, { code: [op.loop(...writes(1, { at: 0, length: 60_000 }), op.branch(0))] }),
      'execution_failed',
      'output_flood',
    ],
    [
      'that complains forever',
      () => replying(OK, { code: [op.loop(...writes(2, { at: 0, length: 60_000 }), op.branch(0))] }),
      'timeout',
      'timeout',
    ],
    [
      'that recurses',
      () => replying(OK, { code: [op.call(2)], functions: [{ code: [op.call(2)] }] }),
      'execution_failed',
      'resources_exhausted',
    ],
    ['that traps', () => replying(OK, { code: [op.unreachable] }), 'execution_failed', 'trap'],
    ['that reaches out of its memory', () => replying(OK, { code: [op.i32(-4), op.load(), op.drop] }), 'execution_failed', 'trap'],
    [
      'that says nothing',
      () => buildModule({ memory: { minimum: 1 }, functions: [{ name: '_start', code: [] }] }),
      'execution_failed',
      'tool_protocol',
    ],
    ['that says something else', () => replying('hello'), 'execution_failed', 'tool_protocol'],
  ])('%s ends in a typed error within its time', async (...[, module, code, reason]) => {
    const before = Date.now();
    const error = await failure(invoke(file(module()), reason === 'timeout' ? { spec: quick } : {}));
    expect([error.code, error.reason]).toEqual([code, reason]);
    // A terminated module has no exit code.
    expect(error.isolation?.['exit_code']).toBe(reason === 'tool_protocol' ? 0 : undefined);
    expect(Date.now() - before).toBeLessThan(5_000);
    expect((await invoke(file(replying(OK)))).output).toBe('done');
  });

  test('with an exit code fails with its standard error as the reason', async () => {
    const why = Buffer.from('no such\n city');
    const module = buildModule({
      memory: { minimum: 1 },
      imports: [wasi.fdWrite, wasi.procExit],
      data: [{ at: 1024, bytes: why }],
      functions: [{ name: '_start', code: [...writes(2, { at: 1024, length: why.length }), op.i32(3), op.call(1)] }],
    });
    const error = await failure(invoke(file(module)));
    expect(error).toMatchObject({ code: 'execution_failed', reason: 'exit_code', retryable: false, isolation: { exit_code: 3 } });
    expect(error.message).toBe('Tool "team/sum" ended with exit code 3: no such city');
  });

  test('with exit code 0 after its reply succeeds', async () => {
    const exits = replying(OK, {
      imports: [wasi.procExit],
      functions: [{ name: 'main', code: [op.call(2), op.i32(0), op.call(1), op.unreachable] }],
    });
    expect((await invoke(file(exits), { spec: { wasm: { entrypoint: 'main' } } })).output).toBe('done');
  });

  test('finds no file, no socket, no signal and no variable of the host', async () => {
    const refused = (name: string, parameters: number[], ...values: number[]) => ({
      import: { name, type: { parameters, results: [I32] } },
      values,
    });
    const probes = [
      refused('fd_prestat_get', [I32, I32], 3, 64),
      refused('fd_close', [I32], 3),
      refused('proc_raise', [I32], 9),
      refused('sock_shutdown', [I32, I32], 3, 1),
      refused('path_unlink_file', [I32, I32, I32], 3, 64, 1),
    ];
    const code = probes.flatMap(({ values }, index) => [
      ...values.map(op.i32),
      op.call(index + 1),
      op.i32(0),
      op.equal,
      op.if(op.unreachable),
    ]);
    const sizes = { name: 'environ_sizes_get', type: { parameters: [I32, I32], results: [I32] } };
    const variables = [op.i32(64), op.i32(68), op.call(probes.length + 1), op.drop, op.i32(64), op.load(), op.if(op.unreachable)];
    const module = replying(OK, { imports: [...probes.map((probe) => probe.import), sizes], code: [...code, ...variables] });
    expect((await invoke(file(module))).output).toBe('done');
  });

  test('is ended by an abort, at once', async () => {
    const abort = new AbortController();
    const call = failure(invoke(file(replying(OK, { code: [forever] })), { signal: abort.signal }));
    setTimeout(() => abort.abort(), 50);
    expect(await call).toMatchObject({ code: 'canceled', retryable: false });
  });
});

describe('a module from the network', () => {
  const sent: EgressRequest[] = [];
  afterEach(() => void sent.splice(0));
  /** TLS to a test's server needs an authority that no server trusts; what is fetched is judged by its hash anyway. */
  function serving(body: Uint8Array, status = 200): ClosableToolPort {
    const fake: Egress = {
      send: (request) => {
        sent.push(request);
        async function* read() {
          yield body;
        }
        return Promise.resolve({ status, headers: {}, body: read(), discard: () => undefined });
      },
      close: () => Promise.resolve(),
    };
    return createToolPort({ ...deps, egress: fake });
  }

  test('is fetched once, without credentials, and kept by its hash', async () => {
    const module = replying(OK);
    const through = serving(module);
    const endpoint = `https://cdn.test/t.wasm?v=1#sha256=${sha256(module)}`;
    const outcomes = await Promise.all([1, 2, 3].map(() => invoke(endpoint, { through })));
    expect([...outcomes, await invoke(endpoint, { through })].map(({ output }) => output)).toEqual(Array(4).fill('done'));
    expect(sent).toMatchObject([{ method: 'GET', url: 'https://cdn.test/t.wasm?v=1', allowPrivate: true }]);
    expect(sent[0]?.credentials).toBeUndefined();
    await through.close();
  });

  test('with another hash is not run', async () => {
    const error = await failure(invoke(`https://cdn.test/t.wasm#sha256=${'a'.repeat(64)}`, { through: serving(replying(OK)) }));
    expect(error).toMatchObject({ code: 'runtime_policy_invalid', reason: 'module_hash_mismatch', retryable: false });
  });

  test.each([
    [404, false, 1],
    [503, true, 3],
  ])('answered with %i fails with the status as its reason', async (status, retryable, fetches) => {
    const endpoint = `https://cdn.test/t.wasm#sha256=${'a'.repeat(64)}`;
    const spec = { runtime: { retry: { max_attempts: 2 } } };
    const error = await failure(invoke(endpoint, { through: serving(Buffer.from('no'), status), spec }));
    expect(error).toMatchObject({ code: 'execution_failed', retryable, reason: `module_http_${status}` });
    expect(sent).toHaveLength(fetches);
  });

  test('above the size limit is refused', async () => {
    const endpoint = `https://cdn.test/t.wasm#sha256=${'a'.repeat(64)}`;
    const error = await failure(invoke(endpoint, { through: serving(new Uint8Array(33 * 1024 * 1024)) }));
    expect(error).toMatchObject({ code: 'runtime_policy_invalid', reason: 'module_too_large' });
  });
});
