import { describe, expect, test } from 'vitest';
import { ask, failure, modelRequest, startModelServer } from '../testing/model-calls.ts';
import { hang } from '../testing/loopback-server.ts';
import { modelSpec } from '../testing/specs.ts';

const SCRIPT = '[{text: hi, usage: {input: 1000000, output: 100000}}]';

test.each([
  [{}, 0],
  [{ price_input_per_million: '3', price_output_per_million: '15' }, 4.5],
  [{ price_input_per_million: '0', price_output_per_million: '0' }, 0],
  [{ price_input_per_million: '3' }, undefined],
])('a mock model with the prices %j costs %s', async (prices, cost) => {
  const { port } = await startModelServer(hang);
  const { costUsd } = await ask(port, { spec: modelSpec({ provider: 'mock', options: { script: SCRIPT, ...prices } }) });
  expect(costUsd).toBe(cost);
});

test.each([
  [
    { input: 9_007_199_254_740_991, output: 1 },
    { inputTokens: 1, outputTokens: 1, source: 'estimated' },
  ],
  [
    { input: 1, output: 10_000_001 },
    { inputTokens: 1, outputTokens: 1, source: 'estimated' },
  ],
  [
    { input: 10_000_000, output: 10_000_000 },
    { inputTokens: 10_000_000, outputTokens: 10_000_000, source: 'provider' },
  ],
])('the usage %j counts as %j', async (usage, counted) => {
  const { port } = await startModelServer(hang);
  const spec = modelSpec({ provider: 'mock', options: { script: JSON.stringify([{ text: 'hi', usage }]), price_input_per_million: '3' } });
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const { usage: found, notice } = await ask(port, { spec, request: modelRequest({ messages }) });
  expect([found, notice?.includes('estimated') ?? false]).toEqual([counted, counted.source === 'estimated']);
});

/** Cases that conformance.test.ts covers for the providers over HTTP, without a wire. */
describe('the mock model, as every other', () => {
  const mock = (script: unknown, options: Record<string, string> = {}) =>
    modelSpec({ provider: 'mock', options: { script: JSON.stringify(script), ...options } });

  test.each([true, false])('answers with text, calls, usage and the reason of its end, streamed: %s', async (asStream) => {
    const { port } = await startModelServer(hang);
    const calls = [
      { tool: 'memory.read', input: { key: 'ä🌊' } },
      { tool: 'look', input: {} },
    ];
    const spec = mock([{ text: 'Grüß Gott 🌊 \u0000', pieces: 3, tools: calls, usage: { input: 11, output: 7 } }]);
    const deltas: string[] = [];
    expect(await ask(port, { spec, ...(asStream && { deltas }) })).toEqual({
      content: 'Grüß Gott 🌊 \u0000',
      toolCalls: [
        { id: 'call_1_1', name: 'memory.read', arguments: '{"key":"ä🌊"}' },
        { id: 'call_1_2', name: 'look', arguments: '{}' },
      ],
      usage: { inputTokens: 11, outputTokens: 7, source: 'provider' },
      finishReason: 'tool_calls',
      costUsd: 0,
      model: 'mock',
    });
    expect(deltas.join('')).toBe(asStream ? 'Grüß Gott 🌊 \u0000' : '');
  });

  test.each([
    ['auth_invalid', false],
    ['auth_forbidden', false],
    ['model_not_found', false],
    ['timeout', true],
    ['rate_limited', true],
    ['execution_failed', true],
    ['malformed_response', true],
  ])('fails with %s, retryable %s, and with the wait that was requested', async (code, retryable) => {
    const { port } = await startModelServer(hang);
    const error = await failure(ask(port, { spec: mock([{ error: { code, retry_after: '7s' } }]) }));
    expect([error.code, error.retryable, error.retryAfterMs]).toEqual([code, retryable, 7000]);
  });

  test('ends in a timeout, or canceled when it is aborted', async () => {
    const { port } = await startModelServer(hang);
    const spec = mock([{ hang: true }], { timeout: '20ms' });
    expect(await failure(ask(port, { spec }))).toMatchObject({ code: 'timeout', retryable: true });
    const abort = new AbortController();
    const call = failure(ask(port, { spec: mock([{ hang: true }]), signal: abort.signal }));
    abort.abort();
    expect(await call).toMatchObject({ code: 'canceled', retryable: false });
  });
});

test('prices that cannot be read fail the call before anything is spent', async () => {
  const { server, port } = await startModelServer(hang);
  const spec = { provider: 'gateway-a-compatible', base_url: server.url, default_model: 'm', allowPrivate: true };
  const error = await failure(ask(port, { spec: { ...spec, options: { price_output_per_million: '1,5' } }, request: modelRequest() }));
  expect([error.code, error.reason, error.retryable, server.seen]).toEqual(['runtime_policy_invalid', 'invalid_option', false, []]);
});
