import { expect, test } from 'vitest';
import { ask, failure, modelRequest, startModelServer } from '../testing/model-calls.ts';
import { hang } from '../testing/loopback-server.ts';

const SCRIPT = '[{text: hi, usage: {input: 1000000, output: 100000}}]';

test.each([
  [{}, 0],
  [{ price_input_per_million: '3', price_output_per_million: '15' }, 4.5],
  [{ price_input_per_million: '0', price_output_per_million: '0' }, 0],
  [{ price_input_per_million: '3' }, undefined],
])('a mock model with the prices %j costs %s', async (prices, cost) => {
  const { port } = await startModelServer(hang);
  const { costUsd } = await ask(port, { spec: { provider: 'mock', options: { script: SCRIPT, ...prices } } });
  expect(costUsd).toBe(cost);
});

test('prices that cannot be read fail the call before anything is spent', async () => {
  const { server, port } = await startModelServer(hang);
  const spec = { provider: 'gateway-a-compatible', base_url: server.url, default_model: 'm', allowPrivate: true };
  const error = await failure(ask(port, { spec: { ...spec, options: { price_output_per_million: '1,5' } }, request: modelRequest() }));
  expect([error.code, error.reason, error.retryable, server.seen]).toEqual(['runtime_policy_invalid', 'invalid_option', false, []]);
});
