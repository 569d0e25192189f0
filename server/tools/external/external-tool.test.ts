import { describe, expect, onTestFinished, test } from 'vitest';
import type { ToolOutcome, ToolPort } from '../../engine/ports.ts';
import { flood, json, reset, startLoopbackServer, text, type Answer, type LoopbackServer } from '../../testing/loopback-server.ts';
import { callFailure, toolCall, toolDeps } from '../../testing/tool-deps.ts';
import { createToolPort } from '../create-tool-port.ts';

const SECRET = 'tool-secret-value';

async function serve(...answers: Answer[]): Promise<LoopbackServer> {
  const server = await startLoopbackServer(...answers);
  onTestFinished(() => server.close());
  return server;
}

function openPort(): ToolPort {
  const deps = toolDeps();
  onTestFinished(() => deps.egress.close());
  const secrets = { resolveValue: () => Promise.resolve(SECRET), resolveEntries: () => Promise.resolve({ value: SECRET }) };
  return createToolPort({ ...deps, secrets });
}

const invoke = (port: ToolPort, server: LoopbackServer, spec: Record<string, unknown> = {}): Promise<ToolOutcome> =>
  port.invoke(toolCall({ type: 'external', endpoint: `${server.url}/v1/run`, ...spec }), { signal: new AbortController().signal });

const ok = (result: unknown) => json({ status: 'ok', output: { result } });

test('the request is the protocol’s, with its headers and credentials, and the result is the output', async () => {
  const server = await serve(ok({ found: 2 }));
  const outcome = await invoke(openPort(), server, { auth: { secretRef: 'token' }, operation_classes: ['write'], risk_level: 'medium' });
  expect(outcome).toEqual({ output: '{"found":2}', attempts: 1, contractVersion: 'v1' });
  const { method, path, headers, body } = server.seen[0] ?? {};
  expect([method, path, headers?.['x-tool-contract-version'], headers?.['idempotency-key'], headers?.authorization]).toEqual([
    'POST',
    '/v1/run',
    'v1',
    'req-1',
    `Bearer ${SECRET}`,
  ]);
  expect(JSON.parse(body ?? '')).toEqual({
    tool_contract_version: 'v1',
    request_id: 'req-1',
    task_id: 'team/t',
    namespace: 'team',
    agent: 'a',
    tool: { name: 'search', operation: 'write', capabilities: [], risk_level: 'medium' },
    input: { q: 'tides' },
    attempt: 1,
  });
});

test('attempts are counted in the request, and carry one id', async () => {
  const failing = json({ status: 'error', error: { code: 'execution_failed', retryable: true } });
  const server = await serve(failing, text('busy', 503), reset(), ok('done'));
  const outcome = await invoke(openPort(), server, { runtime: { retry: { max_attempts: 4, backoff: '1ms' } } });
  expect(outcome).toMatchObject({ output: 'done', attempts: 4 });
  const requests = server.seen.map(({ body }) => JSON.parse(body) as { attempt: number; request_id: string });
  expect(requests.map(({ attempt, request_id }) => [attempt, request_id])).toEqual([1, 2, 3, 4].map((n) => [n, 'req-1']));
});

describe('the reply of a tool is typed', () => {
  const denied = { status: 'denied', error: { code: 'quota', message: `no more for ${SECRET}` } };
  test.each<[string, Answer, Record<string, unknown>]>([
    ['an error', json({ status: 'error', error: { code: 'invalid_input', message: 'no q' } }), { code: 'invalid_input', retryable: false }],
    [
      'a denial',
      json(denied),
      { code: 'permission_denied', reason: 'quota', message: 'Tool "team/search" refused the call: no more for ***' },
    ],
    ['an error under its status', json({ status: 'error', error: { code: 'gone' } }, 422), { code: 'execution_failed', reason: 'gone' }],
    ['a denial under its status', json(denied, 409), { code: 'permission_denied', reason: 'quota' }],
    [
      'ok under a failing status',
      json({ status: 'ok', output: {} }, 500),
      { code: 'execution_failed', reason: 'http_500', retryable: true },
    ],
    ['401, whatever it says', json(denied, 401), { code: 'auth_invalid', reason: 'http_401', retryable: false }],
    ['403, whatever it says', json(denied, 403), { code: 'auth_forbidden', reason: 'http_403', retryable: false }],
    ['another JSON under its status', json({ detail: 'no such route' }, 404), { code: 'execution_failed', reason: 'http_404' }],
    ['something else', json({ result: 5 }), { code: 'execution_failed', reason: 'tool_protocol', retryable: false }],
    ['a web page', text('<html>', 200, { 'content-type': 'text/html' }), { code: 'execution_failed' }],
    ['a flood', flood('application/json'), { code: 'execution_failed', reason: 'response_too_large' }],
    ['a result past the cap', ok('x'.repeat(1024 * 1024 + 1)), { code: 'execution_failed', reason: 'response_too_large' }],
  ])('%s', async (_, answer, expected) => {
    const server = await serve(answer);
    const error = await callFailure(invoke(openPort(), server, { auth: { secretRef: 'token' } }));
    expect(error).toMatchObject(expected);
    expect(error.message).not.toContain(SECRET);
    expect(server.seen).toHaveLength(1);
  });
});

test('a tool that repeats its credentials, encoded or not, does not get them into the output', async () => {
  const shown = [SECRET, `Bearer ${SECRET}`, encodeURIComponent(SECRET)];
  const server = await serve(ok({ shown, encoded: Buffer.from(`Bearer ${SECRET}`).toString('base64') }));
  const { output } = await invoke(openPort(), server, { auth: { secretRef: 'token' } });
  const { shown: told, encoded } = JSON.parse(output) as { shown: string[]; encoded: string };
  expect(told).toEqual(['***', 'Bearer ***', '***']);
  expect(Buffer.from(encoded.replace('***', ''), 'base64').toString()).not.toContain('secret');
});

test.each([300, 500, 1_000, 2_000, 4_040])('a secret around the character %i of a message leaves no part in the error', async (place) => {
  const message = `${'x'.repeat(place - SECRET.length / 2)}${SECRET} and more`;
  const server = await serve(json({ status: 'error', error: { code: 'timeout', message } }));
  const error = await callFailure(invoke(openPort(), server, { auth: { secretRef: 'token' } }));
  expect(error.message).toContain('xxx');
  expect(error.message).not.toContain(SECRET.slice(0, 5));
});
