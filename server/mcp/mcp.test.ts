// Sync and calls against real MCP servers of both eras, over stdio and HTTP.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../clock.ts';
import { storeEngines } from '../testing/background.ts';
import { startLegacyHttp, startModernHttp, type HttpMcpServer } from '../testing/mcp/http-servers.ts';
import { openMcpWorld, program, type McpWorld } from '../testing/mcp/world.ts';
import { as } from '../testing/registry-fixture.ts';
import { callFailure } from '../testing/tool-deps.ts';
import { LEADER_QUEUE } from '../controllers/runtime/leader.ts';
import type { Claim, Store } from '../store/store.ts';
import { PROBE_MAX_MS } from './limits.ts';
import { MCP_STDIO_LEADER } from './sync/controller.ts';

const [sqlite] = storeEngines;

async function setup(options: Parameters<typeof openMcpWorld>[1] = {}, engine = sqlite): Promise<McpWorld> {
  if (!engine) throw new Error('no store engine');
  const world = await openMcpWorld(await engine.open(systemClock), options);
  onTestFinished(() => world.close());
  return world;
}

async function serving(start: () => Promise<HttpMcpServer>): Promise<HttpMcpServer> {
  const server = await start();
  onTestFinished(server.close);
  return server;
}

const toolOf = async (world: McpWorld, name: string) => {
  const tool = await world.store.getObject({ kind: 'Tool', namespace: 'default', name });
  if (!tool) throw new Error(`no Tool ${name}`);
  return tool;
};

describe.each(storeEngines)('sync of a stdio server over $name', (engine) => {
  it.skipIf(engine.skip)('generates its tools with description, schemas, operation class and risk', async () => {
    const world = await setup({}, engine);
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    expect(await world.status('notes')).toMatchObject({
      phase: 'Ready',
      protocolVersion: '2026-07-28',
      discoveredTools: ['add', 'delete_all', 'environment'],
      generatedTools: ['notes--add', 'notes--delete-all', 'notes--environment'],
    });
    expect((await toolOf(world, 'notes--add')).spec).toMatchObject({
      type: 'mcp',
      description: 'Adds two numbers',
      mcp_server_ref: 'notes',
      mcp_tool_name: 'add',
      operation_classes: ['read'],
      risk_level: 'low',
    });
    expect((await toolOf(world, 'notes--delete-all')).spec).toMatchObject({ operation_classes: ['write'], risk_level: 'high' });
    await world.remove('McpServer', 'notes');
    await world.settle();
    expect(await world.toolNames()).toEqual([]);
  });
});

describe('calls over stdio', () => {
  it('returns a structured result as JSON', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    expect((await world.call('notes--add', { a: 2, b: 3 })).output).toBe('{"sum":5}');
  });

  it('gives a program exactly the declared environment', async () => {
    const world = await setup();
    const env = [
      { name: 'MODE', value: 'ro' },
      { name: 'TOKEN', secretRef: 'token' },
    ];
    await world.apply({ kind: 'McpServer', name: 'notes', spec: { ...program('stdio-2026'), env } });
    await world.settle();
    expect(JSON.parse((await world.call('notes--environment')).output)).toEqual({ MODE: 'ro', TOKEN: '***' });
  });

  it('turns isError into a tool error with the text of the server', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    const error = await callFailure(world.call('notes--delete-all'));
    expect(error).toMatchObject({ code: 'execution_failed', reason: 'tool_error', retryable: false });
    expect(error.message).toContain('nothing was deleted');
  });

  it('returns images as typed parts', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'older', spec: program('stdio-2025') });
    await world.settle();
    expect(JSON.parse((await world.call('older--picture')).output)).toEqual({
      content: [
        { type: 'text', text: 'a dot' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      ],
    });
  });

  it('speaks the older handshake with a server of 2025 and the pinned revision with any', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'older', spec: program('stdio-2025') });
    await world.apply({ kind: 'McpServer', name: 'pinned', spec: { ...program('stdio-2026'), protocol_version: '2025-06-18' } });
    await world.settle();
    expect(await world.status('older')).toMatchObject({ phase: 'Ready', protocolVersion: '2025-11-25' });
    expect(await world.status('pinned')).toMatchObject({ phase: 'Ready', protocolVersion: '2025-06-18' });
  });

  it('connects a program that starts after the time limit of the first request', async () => {
    const world = await setup();
    const { command, args } = program('stdio-2025');
    const started = { command: 'sh', args: ['-c', `/bin/sleep ${PROBE_MAX_MS / 1_000 + 1}; exec "$0" "$@"`, command, ...args] };
    await world.apply({ kind: 'McpServer', name: 'npx', spec: { transport: 'stdio', ...started, reconnect: { max_attempts: 1 } } });
    await world.settle();
    expect(await world.status('npx')).toMatchObject({ phase: 'Ready', protocolVersion: '2025-11-25' });
  });

  it('lets progress extend the time limit', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'older', spec: program('stdio-2025') });
    await world.settle();
    const { spec } = await toolOf(world, 'older--slow');
    await world.registry.patch(
      { identity: { method: 'none', name: 'operator', role: 'admin' }, requestId: 't' },
      {
        kind: 'Tool',
        namespace: 'default',
        name: 'older--slow',
        body: { spec: { runtime: { ...(spec['runtime'] as object), timeout: '1s' } } },
      },
    );
    expect((await world.call('older--slow')).output).toBe('done');
  });
});

describe('changes', () => {
  it('imports an added tool and removes a vanished one after list_changed', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'older', spec: program('stdio-2025') });
    await world.settle();
    world.start();
    await world.call('older--grow');
    await vi.waitFor(async () => expect(await world.toolNames()).toContain('older--grown'), { timeout: 20_000 });
    await vi.waitFor(async () => expect(await world.toolNames()).not.toContain('older--grow'), { timeout: 20_000 });
  });

  it('keeps the operation class and risk that an operator set', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    const context = { identity: { method: 'none', name: 'operator', role: 'admin' }, requestId: 't' } as const;
    const spec = { risk_level: 'critical', operation_classes: ['admin'] };
    await world.registry.patch(context, { kind: 'Tool', namespace: 'default', name: 'notes--add', body: { spec } });
    await world.apply({ kind: 'McpServer', name: 'notes', spec: { ...program('stdio-2026'), tool_filter: { include: ['add'] } } });
    await world.settle();
    expect((await toolOf(world, 'notes--add')).spec).toMatchObject(spec);
    expect(await world.toolNames()).toEqual(['notes--add']);
  });

  it('removes a generated Tool that lost its annotations with its server, and keeps others', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    const spec = { type: 'mcp', mcp_server_ref: 'notes', mcp_tool_name: 'add' };
    await world.apply({ kind: 'Tool', name: 'notes--add', spec });
    await world.apply({ kind: 'Tool', name: 'notes--own', spec: { type: 'http', endpoint: 'http://tool' } });
    await world.apply({ kind: 'Tool', name: 'own', spec });
    await world.remove('McpServer', 'notes');
    await world.settle();
    expect(await world.toolNames()).toEqual(['notes--own', 'own']);
  });

  it('are removed in one apply with such a Tool, which goes first', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    await world.apply({ kind: 'Tool', name: 'notes--add', spec: { type: 'mcp', mcp_server_ref: 'notes', mcp_tool_name: 'add' } });
    const removals = await Promise.all(
      [
        ['McpServer', 'notes'],
        ['Tool', 'notes--add'],
      ].map(async ([kind = '', name = '']) => {
        const key = { kind, namespace: 'default', name };
        const { uid, resourceVersion } = (await world.registry.get(as('admin'), key)).metadata;
        return { ...key, uid, resourceVersion };
      }),
    );
    const results = await world.registry.apply(as('admin'), [], { namespace: 'default', removals });
    expect(results.map(({ kind, action }) => `${kind} ${action}`)).toEqual(['Tool pruned', 'McpServer pruned']);
  });

  it('adopts a generated Tool again after an apply without its annotations', async () => {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    for (const name of ['add', 'delete_all']) {
      const spec = { type: 'mcp', mcp_server_ref: 'notes', mcp_tool_name: name, risk_level: 'critical', operation_classes: ['delete'] };
      await world.apply({ kind: 'Tool', name: `notes--${name.replace('_', '-')}`, spec });
    }
    const own = await toolOf(world, 'notes--add');
    expect(own.annotations).toEqual({});
    await world.apply({ kind: 'McpServer', name: 'notes', spec: { ...program('stdio-2026'), tool_filter: { include: ['add'] } } });
    await world.settle();
    expect(await world.status('notes')).toMatchObject({ phase: 'Ready', generatedTools: ['notes--add'] });
    expect(await toolOf(world, 'notes--add')).toMatchObject({
      uid: own.uid,
      annotations: { 'svc.dev/mcp-server': 'notes' },
      spec: { description: 'Adds two numbers', risk_level: 'critical', operation_classes: ['delete'] },
    });
    expect(await world.toolNames()).toEqual(['notes--add']);
    await world.remove('McpServer', 'notes');
    await world.settle();
    expect(await world.toolNames()).toEqual([]);
  });

  it('reports a program that dies and is Ready again without a restart', async () => {
    const world = await setup();
    await world.apply({
      kind: 'McpServer',
      name: 'older',
      spec: { ...program('stdio-2025'), reconnect: { max_attempts: 3, backoff: '100ms' } },
    });
    await world.settle();
    const phases: unknown[] = [];
    const { lastSyncedAt } = await world.status('older');
    world.start();
    expect(await callFailure(world.call('older--die'))).toMatchObject({ code: 'execution_failed', reason: 'connection_lost' });
    await vi.waitFor(
      async () => {
        const status = await world.status('older');
        phases.push(status['phase']);
        expect(status['phase']).toBe('Ready');
        expect(status['lastSyncedAt']).not.toBe(lastSyncedAt);
      },
      { timeout: 15_000 },
    );
    expect((await world.call('older--echo', { text: 'back' })).output).toBe('back');
  });

  it('reports why a program does not start', async () => {
    const world = await setup();
    await world.apply({
      kind: 'McpServer',
      name: 'none',
      spec: { transport: 'stdio', command: 'no-such-program', reconnect: { max_attempts: 1 } },
    });
    await world.settle();
    const status = await world.status('none');
    expect(status).toMatchObject({ phase: 'Error' });
    expect(status['lastError']).toContain('no-such-program');
  });

  it.each([
    ['without PATH', [], 'ended with exit code 127; it finds no other programs until spec.env sets PATH; it wrote: '],
    ['with PATH', [{ name: 'PATH', value: '/usr/bin:/bin' }], 'ended with exit code 127; it wrote: '],
  ])('names the remedy for a launcher %s that does not find its program', async (_title, env, error) => {
    const world = await setup();
    const spec = { transport: 'stdio', command: 'sh', args: ['-c', 'no-such-program'], env, reconnect: { max_attempts: 1 } };
    await world.apply({ kind: 'McpServer', name: 'npx', spec });
    await world.settle();
    expect((await world.status('npx'))['lastError']).toContain(error);
  });

  it('records connections, changes of the list and failures as facts', async () => {
    const world = await setup();
    const facts = async () =>
      (await world.store.readChanges({ after: 0, limit: 1_000 }))
        .filter(({ kind, fact }) => kind === 'McpServer' && fact !== undefined)
        .map(({ fact }) => [fact?.type, fact?.data]);
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    await world.settle();
    const connected = ['mcp.connected', { protocolVersion: '2026-07-28', discovered: 3, generated: 3 }];
    expect(await facts()).toEqual([connected]);
    await world.apply({ kind: 'McpServer', name: 'none', spec: { transport: 'stdio', command: 'none', reconnect: { max_attempts: 1 } } });
    await world.settle();
    const failure = { attempt: 1, maxAttempts: 1, code: expect.any(String) as string, nextAttemptAt: expect.any(String) as string };
    expect(await facts()).toEqual([connected, ['mcp.failed', failure]]);
  });

  it('starts no program without --mcp-stdio', async () => {
    const world = await setup({ stdio: false });
    await world.apply({ kind: 'McpServer', name: 'notes', spec: program('stdio-2026') });
    await world.settle();
    expect((await world.status('notes'))['lastError']).toContain('--mcp-stdio');
  });

  it('leaves programs to a server with --mcp-stdio, and reports them after its lease has ended', async () => {
    const world = await setup({ stdio: false });
    const claim = await leadPrograms(world.store);
    await world.apply({ kind: 'McpServer', name: 'notes', spec: { ...program('stdio-2026'), reconnect: { max_attempts: 1 } } });
    await world.settle();
    expect(await world.status('notes')).toEqual({ phase: 'Pending' });
    await world.store.transaction((tx) => tx.releaseWork(claim, { notBefore: 0 }));
    await world.apply({ kind: 'McpServer', name: 'notes', spec: { ...program('stdio-2026', 'again'), reconnect: { max_attempts: 1 } } });
    await world.settle();
    expect(await world.status('notes')).toMatchObject({ phase: 'Error', lastError: expect.stringContaining('--mcp-stdio') as string });
  });

  it('follows a change of the transport in both directions', async () => {
    const world = await setup();
    const http = await serving(() => startModernHttp('top-secret'));
    const web = { transport: 'http', endpoint: http.url, auth: { secretRef: 'token' } };
    const states = [];
    for (const spec of [program('stdio-2026'), web, program('stdio-2025')]) {
      await world.apply({ kind: 'McpServer', name: 'notes', spec });
      await world.settle();
      states.push([(await world.status('notes'))['phase'], (await world.toolNames())[0]]);
    }
    expect(states).toEqual([
      ['Ready', 'notes--add'],
      ['Ready', 'notes--echo'],
      ['Ready', 'notes--complain'],
    ]);
  });
});

/** Claim of another server on the sync of programs. */
async function leadPrograms(store: Store): Promise<Claim> {
  const item = {
    queue: LEADER_QUEUE,
    key: MCP_STDIO_LEADER,
    namespace: '',
    name: MCP_STDIO_LEADER,
    rank: 0,
    notBefore: 0,
    requirements: {},
  };
  const capabilities = { gpu: false, supportedModels: [], secrets: false };
  const query = { queue: LEADER_QUEUE, owner: 'other', now: systemClock.now(), leaseMs: 30_000, limit: 1, capabilities };
  return store.transaction(async (tx) => {
    await tx.enqueueWork(item);
    const [claim] = await tx.claimWork(query);
    if (!claim) throw new Error('the lease is held');
    return claim;
  });
}

describe('standard error of a program', () => {
  const TEXT = ['the token *** is refused', 'still writing'];

  it('is in the log and, after a while, in the status without a reading of the list', async () => {
    const world = await setup({ clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms === 30_000 ? 500 : ms, signal) } });
    const env = [{ name: 'TOKEN', secretRef: 'token' }];
    await world.apply({ kind: 'McpServer', name: 'older', spec: { ...program('stdio-2025'), env } });
    await world.settle();
    const { lastSyncedAt } = await world.status('older');
    world.start();
    await world.call('older--complain');
    await vi.waitFor(async () => expect((await world.status('older'))['stderrTail']).toBe(`${TEXT.join('\n')}\n`), { timeout: 20_000 });
    expect(await world.status('older')).toMatchObject({ phase: 'Ready', lastSyncedAt });
    const lines = world.log.filter(({ fields }) => fields['line'] !== undefined).map(({ fields: { server, line } }) => ({ server, line }));
    expect(lines).toEqual(TEXT.map((line) => ({ server: 'default/older', line })));
  });
});

describe.each([
  ['2025', startLegacyHttp, '2025-11-25'],
  ['2026', startModernHttp, '2026-07-28'],
] as const)('a server of %s over HTTP', (_era, start, version) => {
  it('is imported and called with the token of its Secret', async () => {
    const world = await setup();
    const http = await serving(() => start('top-secret'));
    await world.apply({ kind: 'McpServer', name: 'web', spec: { transport: 'http', endpoint: http.url, auth: { secretRef: 'token' } } });
    await world.settle();
    expect(await world.status('web')).toMatchObject({ phase: 'Ready', protocolVersion: version, generatedTools: ['web--echo'] });
    expect((await world.call('web--echo', { text: 'over HTTP' })).output).toBe('over HTTP');
  });

  it('is refused at a private address unless the operator permits it', async () => {
    const world = await setup({ allowPrivate: false });
    const http = await serving(() => start('top-secret'));
    await world.apply({ kind: 'McpServer', name: 'web', spec: { transport: 'http', endpoint: http.url } });
    await world.settle();
    expect((await world.status('web'))['lastError']).toContain('loopback');
  });

  it('is in Error when it refuses the credentials', async () => {
    const world = await setup();
    const http = await serving(() => start('another-secret'));
    const spec = { transport: 'http', endpoint: http.url, auth: { secretRef: 'token' }, reconnect: { max_attempts: 1 } };
    await world.apply({ kind: 'McpServer', name: 'web', spec });
    await world.settle();
    const status = await world.status('web');
    expect(status).toMatchObject({ phase: 'Error' });
    expect(status['lastError']).toContain('HTTP 401');
  });
});

describe('a stdio server that no sync holds', () => {
  async function called(): Promise<{ readonly world: McpWorld; readonly pid: number }> {
    const world = await setup();
    await world.apply({ kind: 'McpServer', name: 'older', spec: program('stdio-2025') });
    for (const name of ['pid', 'hang'])
      await world.apply({ kind: 'Tool', name, spec: { type: 'mcp', mcp_server_ref: 'older', mcp_tool_name: name } });
    return { world, pid: Number((await world.call('pid')).output) };
  }
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };

  it('ends with its deletion, its calls in flight too', async () => {
    const { world, pid } = await called();
    const pending = callFailure(world.call('hang'));
    expect(isRunning(pid)).toBe(true);
    await world.remove('McpServer', 'older');
    expect(await pending).toMatchObject({ code: 'unsupported_tool', reason: 'mcp_server_gone', retryable: false });
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
  });

  it('ends with the last call of its old spec when it is changed', async () => {
    const { world, pid } = await called();
    const caller = new AbortController();
    const pending = callFailure(world.call('hang', {}, caller.signal));
    await world.apply({ kind: 'McpServer', name: 'older', spec: { ...program('stdio-2025'), env: [{ name: 'MODE', value: 'ro' }] } });
    const next = Number((await world.call('pid')).output);
    expect(next).not.toBe(pid);
    expect(isRunning(pid)).toBe(true);
    caller.abort();
    expect(await pending).toMatchObject({ code: 'canceled' });
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000 });
    await world.apply({ kind: 'McpServer', name: 'older', spec: program('stdio-2025') });
    await vi.waitFor(() => expect(isRunning(next)).toBe(false), { timeout: 20_000 });
  });
});

it('follows the list of a 2026 server again after the stream of changes has ended', async () => {
  const world = await setup();
  const http = await serving(() => startModernHttp('top-secret'));
  await world.apply({ kind: 'McpServer', name: 'web', spec: { transport: 'http', endpoint: http.url, auth: { secretRef: 'token' } } });
  world.start();
  await vi.waitFor(() => expect(http.streams()).toBe(1), { timeout: 20_000 });
  await vi.waitFor(async () => expect(await world.status('web')).toMatchObject({ phase: 'Ready' }), { timeout: 20_000 });
  http.moreTools.add('later');
  http.disconnect();
  await vi.waitFor(async () => expect(await world.toolNames()).toContain('web--later'), { timeout: 20_000 });
  expect(http.streams()).toBe(2);
});

it.each([
  ['2025', startLegacyHttp],
  ['2026', startModernHttp],
])('reports an HTTP server of %s that dies', async (_era, start) => {
  const world = await setup();
  const http = await serving(() => start('top-secret'));
  const spec = { transport: 'http', endpoint: http.url, auth: { secretRef: 'token' }, reconnect: { max_attempts: 1, backoff: '100ms' } };
  await world.apply({ kind: 'McpServer', name: 'web', spec });
  world.start();
  await vi.waitFor(() => expect(http.streams()).toBe(1), { timeout: 20_000 });
  await vi.waitFor(async () => expect(await world.status('web')).toMatchObject({ phase: 'Ready' }), { timeout: 20_000 });
  await http.close();
  const lastError = expect.stringContaining('refused the connection');
  await vi.waitFor(async () => expect(await world.status('web')).toMatchObject({ phase: 'Error', lastError }), { timeout: 20_000 });
});

it.each([404, 400])('begins a new session when a server of 2025 answers the old one with %i', async (unknownSession) => {
  const world = await setup();
  const http = await serving(() => startLegacyHttp('top-secret', unknownSession));
  await world.apply({ kind: 'McpServer', name: 'web', spec: { transport: 'http', endpoint: http.url, auth: { secretRef: 'token' } } });
  await world.settle();
  await http.forgetSessions();
  expect((await world.call('web--echo', { text: 'again' })).output).toBe('again');
});

describe('a sync with a server of 2025 that has forgotten its session', () => {
  async function forgotten(unknownSession: number) {
    let shiftMs = 0;
    const world = await setup({ clock: { ...systemClock, now: () => Date.now() + shiftMs } });
    const http = await serving(() => startLegacyHttp('top-secret', unknownSession));
    await world.apply({ kind: 'McpServer', name: 'web', spec: { transport: 'http', endpoint: http.url, auth: { secretRef: 'token' } } });
    await world.settle();
    const { lastSyncedAt: before } = await world.status('web');
    await http.forgetSessions();
    const settleAfter = async (ms: number) => {
      shiftMs += ms;
      await world.settle();
      const { phase, lastSyncedAt } = await world.status('web');
      return { phase, isListed: lastSyncedAt !== before };
    };
    return settleAfter;
  }

  it.each([404, 400])('reads the list in a new session after %i', async (unknownSession) => {
    const settleAfter = await forgotten(unknownSession);
    expect(await settleAfter(301_000)).toEqual({ phase: 'Ready', isListed: true });
  });

  it('opens a new connection with the next attempt after 410', async () => {
    const settleAfter = await forgotten(410);
    expect(await settleAfter(301_000)).toEqual({ phase: 'Connecting', isListed: false });
    expect(await settleAfter(10_000)).toEqual({ phase: 'Ready', isListed: true });
  });
});
