import { describe, expect, test } from 'vitest';
import { PROVIDERS } from '@svc/shared/kinds/model-endpoint/providers';
import { systemClock } from '../clock.ts';
import type { Egress } from '../egress/egress.ts';
import type { CallError, ModelEndpointRef, ModelRequest, ModelResponse } from '../engine/ports.ts';
import { builtInProviders } from './built-in-providers.ts';
import { createEmbeddingsPort } from './create-embeddings-port.ts';
import { createModelPort } from './create-model-port.ts';
import type { ModelProvider } from './provider.ts';
import { createProviderRegistry } from './provider-registry.ts';
import { modelSpec } from '../testing/specs.ts';

const egress: Egress = { send: () => Promise.reject(new Error('nothing may be sent')), close: () => Promise.resolve() };
const secrets = { resolveValue: () => Promise.resolve('token'), resolveEntries: () => Promise.resolve({}) };
const deps = { egress, secrets, clock: systemClock, allowPrivate: true };

const request: ModelRequest = { requestId: 'r', agent: 'a', step: 1, messages: [], tools: [] };
const at = (provider: string): ModelEndpointRef => ({ namespace: 'team', name: 'gpt', spec: modelSpec({ provider }) });
const options = { signal: new AbortController().signal };

const failure = (promise: Promise<unknown>): Promise<CallError> =>
  promise.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as CallError,
  );

test('this server runs every provider that a ModelEndpoint may name', () => {
  expect([...builtInProviders(deps).names].sort()).toEqual([...PROVIDERS].sort());
});

describe('a registry of its own', () => {
  const answer: ModelResponse = {
    content: 'hi',
    toolCalls: [],
    usage: { inputTokens: 1, outputTokens: 1, source: 'provider' },
    finishReason: 'stop',
    model: 'm',
  };
  const oracle: ModelProvider = { name: 'oracle', complete: () => Promise.resolve(answer) };
  const seer: ModelProvider = {
    name: 'seer',
    complete: () => Promise.resolve(answer),
    embed: () => Promise.resolve({ vectors: [[1]], usage: answer.usage, model: 'm' }),
  };
  const providers = createProviderRegistry([oracle, seer]);

  test('serves a provider that was added to it', async () => {
    expect(await createModelPort(deps, providers).complete(at('oracle'), request, options)).toEqual(answer);
  });

  test('names a provider that it does not run, with those it runs', async () => {
    expect(await failure(createModelPort(deps, providers).complete(at('gateway-b'), request, options))).toMatchObject({
      code: 'runtime_policy_invalid',
      retryable: false,
      reason: 'unsupported_provider',
      message: 'ModelEndpoint "team/gpt" names provider "gateway-b", which this server does not run; it runs oracle, seer',
    });
  });

  test('names a provider without embeddings, with those that have them', async () => {
    const embeddings = createEmbeddingsPort(deps, providers);
    expect(await failure(embeddings.embed(at('oracle'), { requestId: 'r', inputs: ['x'] }, options))).toMatchObject({
      code: 'runtime_policy_invalid',
      message: 'ModelEndpoint "team/gpt" names provider "oracle", which has no embeddings here; providers with embeddings are seer',
    });
    expect((await embeddings.embed(at('seer'), { requestId: 'r', inputs: ['x'] }, options)).vectors).toEqual([[1]]);
  });

  test('refuses two adapters of one name', () => {
    expect(() => createProviderRegistry([oracle, oracle])).toThrow('two adapters for provider oracle');
  });
});
