// The one ModelPort: picks the adapter for a ModelEndpoint's provider. Adding a provider is one adapter and one line here.
import type { Clock } from '../clock.ts';
import type { Egress } from '../egress/egress.ts';
import { CallError, type ModelPort } from '../engine/ports.ts';
import type { SecretResolver } from '../secrets/ports.ts';
import { createChatCompletionsProvider } from './gateway-a/chat-completions.ts';
import { createLocalRuntimeProvider } from './local-runtime/local-runtime.ts';
import { createNativeChatProvider } from './local-runtime/native-chat.ts';
import { createMockProvider } from './mock/mock.ts';
import { endpointTitle, type ModelProvider } from './provider.ts';

export interface ModelPortOptions {
  readonly secrets: SecretResolver;
  readonly egress: Egress;
  readonly clock: Clock;
}

export function createModelPort(options: ModelPortOptions): ModelPort {
  const adapters = [
    createMockProvider(options),
    createChatCompletionsProvider(options, { name: 'gateway-a', secretRequired: true }),
    createChatCompletionsProvider(options, { name: 'gateway-a-compatible', secretRequired: false }),
    createLocalRuntimeProvider({
      native: createNativeChatProvider(options),
      compatible: createChatCompletionsProvider(options, { name: 'local-runtime', secretRequired: false }),
    }),
  ];
  const providers = new Map<string, ModelProvider>(adapters.map((adapter) => [adapter.name, adapter]));
  return {
    complete(endpoint, request, callOptions) {
      const provider = providers.get(endpoint.spec.provider);
      if (!provider) return Promise.reject(unknownProvider(endpointTitle(endpoint), endpoint.spec.provider, [...providers.keys()]));
      return provider.complete({ endpoint, request, ...callOptions });
    },
  };
}

function unknownProvider(title: string, provider: string, available: readonly string[]): CallError {
  const message = `${title} names provider "${provider}", which this server does not run; it runs ${available.join(', ')}`;
  return new CallError('runtime_policy_invalid', message, { retryable: false, reason: 'unsupported_provider' });
}
