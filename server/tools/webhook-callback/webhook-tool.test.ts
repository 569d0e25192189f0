import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '@svc/shared/errors';
import { systemClock } from '../../clock.ts';
import type { ToolInvocation, ToolOutcome, ToolPort } from '../../engine/ports.ts';
import type { Store } from '../../store/store.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { hang, json, redirect, reset, startLoopbackServer, text, type Answer, type LoopbackServer } from '../../testing/loopback-server.ts';
import { callFailure, toolCall, toolDeps } from '../../testing/tool-deps.ts';
import { createToolPort } from '../create-tool-port.ts';
import { createToolCallbacks, type ToolCallbacks } from './accept-reply.ts';

const BASE = 'https://svc.example/base/';
const QUEUE = 'task';
const ok = (result: unknown) => json({ status: 'ok', output: { result } });
const accepted = text('', 202, {});
/** Takes calls, and answers no questions about them. */
const acceptsOnly: Answer = (response, { method }) => void response.writeHead(method === 'POST' ? 202 : 405).end();

async function serve(...answers: Answer[]): Promise<LoopbackServer> {
  const server = await startLoopbackServer(...answers);
  onTestFinished(() => server.close());
  return server;
}

interface Bundle {
  readonly store: Store;
  readonly port: ToolPort;
  readonly callbacks: ToolCallbacks;
}

/** A worker and a server on one store, with the run of the call at work. */
async function setup(callbackUrl: string | null = BASE): Promise<Bundle> {
  const store = await openSqliteStore({ path: ':memory:', clock: systemClock });
  const deps = toolDeps();
  const resolveValue = () => Promise.resolve('tool-secret');
  const secrets = { resolveValue, resolveEntries: async () => ({ value: await resolveValue() }) };
  const port = createToolPort({ ...deps, secrets, store, callbackUrl: () => callbackUrl ?? undefined });
  await store.transaction((tx) =>
    tx.enqueueWork({ queue: QUEUE, key: 'uid-1', namespace: 'team', name: 't', rank: 0, notBefore: 0, requirements: {} }),
  );
  onTestFinished(() => store.close());
  onTestFinished(() => deps.egress.close());
  return { store, port, callbacks: createToolCallbacks({ store, clock: systemClock, queue: QUEUE }) };
}

const aCall = (server: LoopbackServer, runtime: Record<string, unknown> = {}, more: Partial<ToolInvocation> = {}): ToolInvocation =>
  toolCall({ type: 'webhook-callback', endpoint: `${server.url}/run?key=1`, runtime: { timeout: '10s', ...runtime } }, more);

const invoke = (port: ToolPort, call: ToolInvocation, signal = new AbortController().signal): Promise<ToolOutcome> =>
  port.invoke(call, { signal });

/** Callback that the request offered to the tool. */
const offered = (server: LoopbackServer, request = 0) =>
  (JSON.parse(server.seen[request]?.body ?? '{}') as { callback: { url: string; token: string } }).callback;

const reply = (callbacks: ToolCallbacks, token: string, body: unknown = { status: 'ok', output: { result: 'later' } }) =>
  callbacks.accept({ requestId: 'req-1', token, read: () => Promise.resolve(body) });

describe('answered at once', () => {
  test('the reply is the outcome, and the request follows the protocol with a callback address', async () => {
    const { port } = await setup();
    const server = await serve(ok({ n: 1 }));
    expect(await invoke(port, aCall(server))).toEqual({ output: '{"n":1}', attempts: 1, contractVersion: 'v1' });
    const { method, path, headers, body } = server.seen[0] ?? {};
    expect([method, path, headers?.['x-tool-contract-version'], headers?.['idempotency-key']]).toEqual([
      'POST',
      '/run?key=1',
      'v1',
      'req-1',
    ]);
    expect(JSON.parse(body ?? '')).toMatchObject({ tool_contract_version: 'v1', request_id: 'req-1', attempt: 1, input: { q: 'tides' } });
    expect(offered(server).url).toBe('https://svc.example/base/v1/tool-callbacks/req-1');
    expect(Buffer.from(offered(server).token, 'base64url')).toHaveLength(32);
  });

  test('a late callback is refused: the call is over', async () => {
    const { port, callbacks } = await setup();
    const server = await serve(ok(1));
    await invoke(port, aCall(server));
    await expect(reply(callbacks, offered(server).token)).rejects.toMatchObject({ code: 'conflict' });
  });

  test.each<[string, Answer, Record<string, unknown>]>([
    ['an error reply', json({ status: 'error', error: { code: 'timeout', message: 'slow' } }), { code: 'timeout', retryable: false }],
    ['a denial', json({ status: 'denied' }), { code: 'permission_denied', reason: 'denied_by_tool' }],
    ['no reply at all', text('<html>'), { code: 'execution_failed', reason: 'tool_protocol' }],
    ['a status', text('no', 403), { code: 'auth_forbidden' }],
  ])('%s is the error it means', async (_, answer, expected) => {
    const { port } = await setup();
    expect(await callFailure(invoke(port, aCall(await serve(answer))))).toMatchObject(expected);
  });

  test('the token goes to no other origin', async () => {
    const { port } = await setup();
    const other = await serve(ok(1));
    const error = await callFailure(invoke(port, aCall(await serve(redirect(`${other.url}/`, 307)))));
    expect([error.code, other.seen]).toEqual(['egress_blocked', []]);
  });
});

describe('accepted, and polled', () => {
  test('the endpoint of the tool is polled until it has the reply', async () => {
    const { port } = await setup(null);
    const notYet = text('not found', 404);
    const server = await serve(accepted, notYet, accepted, text('busy', 503), reset(), ok('done'));
    const call = aCall(server);
    const { tool } = call;
    const spec = { ...tool.spec, auth: { profile: 'bearer', secretRef: 'token' } };
    expect(await invoke(port, { ...call, tool: { ...tool, spec } })).toEqual({ output: 'done', attempts: 1, contractVersion: 'v1' });
    const asked = server.seen.slice(1);
    expect(new Set(asked.map(({ method, path }) => `${method} ${path}`))).toEqual(new Set(['GET /run/req-1?key=1']));
    expect(new Set(asked.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer tool-secret']));
    expect(asked).toHaveLength(5);
    expect(offered(server)).toBeUndefined();
  });

  test('follows the Retry-After of the tool, up to max_backoff', async () => {
    const { port } = await setup(null);
    const server = await serve(accepted, text('', 202, { 'retry-after': '3600' }), ok('done'));
    const began = Date.now();
    await invoke(port, aCall(server, { retry: { max_backoff: '600ms' } }));
    expect(Date.now() - began).toBeGreaterThanOrEqual(650);
  });

  test.each<[string, Answer, Record<string, unknown>]>([
    ['an error reply', json({ status: 'error', error: { code: 'out_of_stock' } }), { code: 'execution_failed', reason: 'out_of_stock' }],
    ['a refusal of the question', text('no', 405), { code: 'execution_failed', reason: 'http_405' }],
    ['a refusal of the credentials', text('no', 401), { code: 'auth_invalid', retryable: false }],
    ['garbage', text('later'), { code: 'execution_failed' }],
    ['a redirect to a metadata service', redirect('http://169.254.169.254/', 302), { code: 'egress_blocked' }],
  ])('%s ends the call', async (_, answer, expected) => {
    const { port } = await setup(null);
    const server = await serve(accepted, answer);
    expect(await callFailure(invoke(port, aCall(server)))).toMatchObject(expected);
    expect(server.seen).toHaveLength(2);
  });

  test('a reply that never comes is a timeout, and an abort ends the waiting at once', async () => {
    const { port } = await setup(null);
    const server = await serve(accepted);
    expect(await callFailure(invoke(port, aCall(server, { timeout: '300ms' })))).toMatchObject({ code: 'timeout', retryable: true });
    const abort = new AbortController();
    const call = callFailure(invoke(port, aCall(server), abort.signal));
    await server.nextRequest();
    abort.abort();
    expect((await call).code).toBe('canceled');
  });

  test('a question that hangs is bounded by the call', async () => {
    const { port } = await setup(null);
    const server = await serve(accepted, hang);
    expect((await callFailure(invoke(port, aCall(server, { timeout: '400ms' })))).code).toBe('timeout');
  });
});

describe('accepted, and called back', () => {
  test('the reply ends the call, and the run gets a signal', async () => {
    const { port, callbacks, store } = await setup();
    const server = await serve(acceptsOnly);
    const call = invoke(port, aCall(server));
    await expect.poll(() => server.seen.length).toBeGreaterThan(0);
    await reply(callbacks, offered(server).token);
    expect(await store.readSignals('uid-1')).toMatchObject([
      { type: 'tool_reply', data: { request_id: 'req-1', reply: { status: 'ok', output: 'later' } } },
    ]);
    expect(await call).toEqual({ output: 'later', attempts: 1, contractVersion: 'v1' });
  });

  test('an error reply is the error of the call', async () => {
    const { port, callbacks } = await setup();
    const server = await serve(acceptsOnly);
    const call = callFailure(invoke(port, aCall(server)));
    await expect.poll(() => server.seen.length).toBeGreaterThan(0);
    await reply(callbacks, offered(server).token, { status: 'denied', error: { code: 'quota', message: 'not today' } });
    expect(await call).toMatchObject({ code: 'permission_denied', reason: 'quota', retryable: false });
  });

  test('a reply that came while the worker was away is the outcome; the tool is not called again', async () => {
    const { port, callbacks } = await setup();
    const server = await serve(acceptsOnly);
    const crash = new AbortController();
    const gone = callFailure(invoke(port, aCall(server), crash.signal));
    await expect.poll(() => server.seen.length).toBeGreaterThan(0);
    crash.abort();
    await gone;
    const calls = server.seen.length;
    await reply(callbacks, offered(server).token);
    expect((await invoke(port, aCall(server))).output).toBe('later');
    expect(server.seen).toHaveLength(calls);
  });

  test('an outage of the database only delays the reply', async () => {
    const { port, callbacks, store } = await setup();
    const server = await serve(acceptsOnly);
    const call = invoke(port, aCall(server));
    await expect.poll(() => server.seen.length).toBeGreaterThan(0);
    const away = vi.spyOn(store, 'getDocument').mockRejectedValueOnce(new ServiceError('unavailable', 'away'));
    await expect.poll(() => away.mock.calls.length).toBeGreaterThan(0);
    away.mockRestore();
    await reply(callbacks, offered(server).token);
    expect(await call).toEqual({ output: 'later', attempts: 1, contractVersion: 'v1' });
  });

  test('a repeated call is answered with the token of either request', async () => {
    const { port, callbacks } = await setup();
    const server = await serve(acceptsOnly);
    const crash = new AbortController();
    const gone = callFailure(invoke(port, aCall(server), crash.signal));
    await expect.poll(() => server.seen.length).toBeGreaterThan(0);
    crash.abort();
    await gone;
    const made = server.seen.length;
    const again = invoke(port, aCall(server));
    await expect.poll(() => server.seen.length).toBeGreaterThan(made);
    expect(offered(server, made).token).not.toBe(offered(server).token);
    await reply(callbacks, offered(server).token);
    expect((await again).output).toBe('later');
  });

  test('once the time is up a reply is refused', async () => {
    const { port, callbacks } = await setup();
    const server = await serve(acceptsOnly);
    expect((await callFailure(invoke(port, aCall(server, { timeout: '200ms' })))).code).toBe('timeout');
    await expect(reply(callbacks, offered(server).token)).rejects.toMatchObject({ code: 'conflict' });
  });
});

test('without a store the call is not made, and may be retried', async () => {
  const deps = toolDeps();
  onTestFinished(() => deps.egress.close());
  const server = await serve(ok(1));
  const error = await callFailure(invoke(createToolPort({ ...deps, callbackUrl: () => BASE }), aCall(server)));
  expect(error).toMatchObject({ code: 'execution_failed', reason: 'store_unavailable', retryable: true });
  expect(server.seen).toEqual([]);
});
