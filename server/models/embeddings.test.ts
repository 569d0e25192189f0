// Embeddings of every provider that has them.
import { describe, expect, test } from 'vitest';
import type { ModelEndpointSpec } from '@svc/shared/kinds/model-endpoint/rules';
import type { EmbeddingsRequest, EmbeddingsResponse } from '../engine/ports.ts';
import { hang, json, redirect, text, type Answer } from '../testing/loopback-server.ts';
import { failure, startModelServer, type ModelSetup } from '../testing/model-calls.ts';
import { MODEL_TOKEN } from '../testing/model-dialects.ts';
import { createEmbeddingsPort } from './create-embeddings-port.ts';

const spec = (provider: string, base_url: string, more: Partial<ModelEndpointSpec> = {}): ModelEndpointSpec => ({
  provider,
  base_url,
  default_model: 'e1',
  allowPrivate: true,
  auth: { secretRef: 'key' },
  ...more,
});

interface Embed {
  readonly spec: ModelEndpointSpec;
  readonly request?: Partial<EmbeddingsRequest>;
  readonly signal?: AbortSignal;
}

function embed(setup: ModelSetup, { spec, request, signal }: Embed): Promise<EmbeddingsResponse> {
  const options = { signal: signal ?? new AbortController().signal };
  return createEmbeddingsPort(setup.deps).embed(
    { namespace: 'team', name: 'gpt', spec },
    { requestId: 'r', inputs: ['a', 'b'], ...request },
    options,
  );
}

/** Vectors that begin with the length of their text, in the order opposite to the inputs. */
const vectors: Answer = (response, request) => {
  const { input, dimensions = 3 } = JSON.parse(request.body) as { input: string[]; dimensions?: number };
  const data = input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding: [text.length, ...Array<number>(dimensions - 1).fill(0.5)],
  }));
  return json({ object: 'list', model: 'e1-2026', data: data.reverse(), usage: { prompt_tokens: input.length * 2 } })(response, request);
};

describe.each([
  ['gateway-a', '/v1', '/v1/embeddings', 'authorization'],
  ['gateway-a-compatible', '', '/v1/embeddings', 'authorization'],
  ['gateway-c', '', '/openai/deployments/e1/embeddings?api-version=2024-10-21', 'api-key'],
  ['local-runtime', '', '/v1/embeddings', 'authorization'],
])('%s', (provider, base, path, header) => {
  test('embeds texts, in the order they were given', async () => {
    const setup = await startModelServer(vectors);
    const asked = spec(provider, `${setup.server.url}${base}`, { options: { price_input_per_million: '0.02' } });
    expect(await embed(setup, { spec: asked, request: { inputs: ['one', 'three'], dimensions: 2 } })).toEqual({
      vectors: [
        [3, 0.5],
        [5, 0.5],
      ],
      usage: { inputTokens: 4, outputTokens: 0, source: 'provider' },
      model: 'e1-2026',
      costUsd: 8e-8,
    });
    const seen = setup.server.seen[0];
    expect([seen?.path, String(seen?.headers[header]).includes(MODEL_TOKEN)]).toEqual([path, true]);
    expect(JSON.parse(seen?.body ?? '')).toEqual({ model: 'e1', input: ['one', 'three'], encoding_format: 'float', dimensions: 2 });
  });
});

const compatible = (setup: ModelSetup, more: Partial<ModelEndpointSpec> = {}) => spec('gateway-a-compatible', setup.server.url, more);

test('many texts are sent in batches, each with an idempotency key of its own, and their usage is added up', async () => {
  const setup = await startModelServer(vectors);
  const inputs = Array.from({ length: 130 }, (_, index) => 'x'.repeat(index + 1));
  const response = await embed(setup, { spec: compatible(setup, { options: { dimensions: '4' } }), request: { inputs } });
  expect(response.vectors.map(([first]) => first)).toEqual(inputs.map(({ length }) => length));
  expect([response.vectors[0]?.length, response.usage.inputTokens]).toEqual([4, 260]);
  expect(setup.server.seen.map(({ headers }) => headers['idempotency-key'])).toEqual(['r-1', 'r-2', 'r-3']);
});

test('an empty list of texts sends no request', async () => {
  const setup = await startModelServer(hang);
  expect((await embed(setup, { spec: compatible(setup), request: { inputs: [] } })).vectors).toEqual([]);
  expect(setup.server.seen).toEqual([]);
});

test('unreported usage is estimated, and its cost is unknown without a price', async () => {
  const setup = await startModelServer(json({ data: [{ embedding: [1] }, { embedding: [2] }] }));
  const response = await embed(setup, { spec: compatible(setup), request: { inputs: ['12345678', 'x'] } });
  expect(response).toEqual({ vectors: [[1], [2]], usage: { inputTokens: 3, outputTokens: 0, source: 'estimated' }, model: 'e1' });
});

const item = (embedding: unknown, index?: unknown) => ({ embedding, ...(index !== undefined && { index }) });
test.each<[string, Answer]>([
  ['a web page', text('<html>')],
  ['no data', json({})],
  ['too few', json({ data: [item([1])] })],
  ['too many', json({ data: [item([1]), item([1]), item([1])] })],
  ['one twice', json({ data: [item([1], 0), item([1], 0)] })],
  ['one of another input', json({ data: [item([1], 0), item([1], 7)] })],
  ['an empty one', json({ data: [item([]), item([])] })],
  ['different lengths', json({ data: [item([1]), item([1, 2])] })],
  ['too many dimensions', json({ data: [item(Array(16_001).fill(1)), item(Array(16_001).fill(1))] })],
  ['text in place of numbers', json({ data: [item('AACAPw=='), item(['1'])] })],
  ['nothing in place of numbers', json({ data: [item([null]), item([1])] })],
])('%s is a malformed answer', async (_, answer) => {
  const setup = await startModelServer(answer);
  expect(await failure(embed(setup, { spec: compatible(setup) }))).toMatchObject({ code: 'malformed_response', retryable: true });
});

test('vectors of a different length than requested fail without a retry', async () => {
  const setup = await startModelServer(json({ data: [item([1, 2]), item([1, 2])] }));
  const error = await failure(embed(setup, { spec: compatible(setup), request: { dimensions: 3 } }));
  expect([error.code, error.retryable]).toEqual(['malformed_response', false]);
  expect(error.message).toBe('ModelEndpoint "team/gpt" sent embeddings of 2 dimensions where 3 were requested');
});

test.each<[string, Partial<ModelEndpointSpec>, Partial<EmbeddingsRequest>, string]>([
  ['an empty text', {}, { inputs: ['a', ''] }, 'invalid_input'],
  ['a bad option', { options: { dimensions: 'many' } }, {}, 'runtime_policy_invalid'],
  ['a provider without embeddings', { provider: 'gateway-b' }, {}, 'runtime_policy_invalid'],
  ['a missing Secret', { auth: { secretRef: 'gone' } }, {}, 'secret_resolution_failed'],
])('%s fails before anything is sent', async (_, more, request, code) => {
  const setup = await startModelServer(hang);
  const error = await failure(embed(setup, { spec: compatible(setup, more), request }));
  expect([error.code, error.retryable, setup.server.seen]).toEqual([code, false, []]);
});

test('loopback needs allowPrivate', async () => {
  const setup = await startModelServer(hang);
  expect((await failure(embed(setup, { spec: compatible(setup, { allowPrivate: false }) }))).code).toBe('egress_blocked');
});

test('a redirect inward is not followed', async () => {
  const setup = await startModelServer(redirect('http://169.254.169.254/latest', 307));
  expect((await failure(embed(setup, { spec: compatible(setup) }))).code).toBe('egress_blocked');
});

test('an abort is canceled, and leaves no connection', async () => {
  const setup = await startModelServer(hang);
  const abort = new AbortController();
  const call = failure(embed(setup, { spec: compatible(setup), signal: abort.signal }));
  await setup.server.nextRequest();
  abort.abort();
  expect((await call).code).toBe('canceled');
  await expect.poll(() => setup.server.connections()).toBe(0);
});
