// The providers this server runs, by name. Independent of any vendor: built-in-providers.ts registers the adapters.
import { invariant } from '@svc/shared/errors';
import { CallError, type ModelEndpointRef } from '../engine/ports.ts';
import { endpointTitle, type ModelProvider } from './provider.ts';

type Embed = NonNullable<ModelProvider['embed']>;

export interface ProviderRegistry {
  readonly names: readonly string[];
  /** The adapter of an endpoint. Throws a CallError that lists the providers there are. */
  chat(endpoint: ModelEndpointRef): ModelProvider;
  /** How an endpoint's provider embeds. Throws a CallError that lists the providers that do. */
  embed(endpoint: ModelEndpointRef): Embed;
}

export function createProviderRegistry(adapters: readonly ModelProvider[]): ProviderRegistry {
  const chat = new Map<string, ModelProvider>();
  const embed = new Map<string, Embed>();
  for (const adapter of adapters) {
    invariant(!chat.has(adapter.name), `two adapters for provider ${adapter.name}`);
    chat.set(adapter.name, adapter);
    if (adapter.embed) embed.set(adapter.name, adapter.embed);
  }
  const names = [...chat.keys()];
  return {
    names,
    chat(endpoint) {
      const provider = chat.get(endpoint.spec.provider);
      if (!provider) throw unsupported(endpoint, `which this server does not run; it runs ${names.join(', ')}`);
      return provider;
    },
    embed(endpoint) {
      const found = embed.get(endpoint.spec.provider);
      if (!found)
        throw unsupported(endpoint, `which has no embeddings here; providers with embeddings are ${[...embed.keys()].join(', ')}`);
      return found;
    },
  };
}

function unsupported(endpoint: ModelEndpointRef, problem: string): CallError {
  const message = `${endpointTitle(endpoint)} names provider "${endpoint.spec.provider}", ${problem}`;
  return new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'unsupported_provider' });
}
