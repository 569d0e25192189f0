// The providers that come with the server. Adding one is its adapter, one line here, and its entry in the kind's table of providers.
import { createChatCompletionsProvider } from './gateway-a/chat-completions.ts';
import { bearerWire } from './gateway-a/wire.ts';
import { createMessagesProvider } from './gateway-b/messages.ts';
import { deploymentWire } from './gateway-c/wire.ts';
import { createLocalRuntimeProvider } from './local-runtime/local-runtime.ts';
import { createNativeChatProvider } from './local-runtime/native-chat.ts';
import { createMockProvider } from './mock/mock.ts';
import type { ModelHttpDeps } from './model-http.ts';
import type { ModelProvider } from './provider.ts';
import { createProviderRegistry, type ProviderRegistry } from './provider-registry.ts';

/** `own` are those of a program that embeds the server. One of a built-in name replaces it. */
export function builtInProviders(deps: ModelHttpDeps, own: readonly ModelProvider[] = []): ProviderRegistry {
  const replaced = new Set(own.map(({ name }) => name));
  return createProviderRegistry([...own, ...builtIn(deps).filter(({ name }) => !replaced.has(name))]);
}

const builtIn = (deps: ModelHttpDeps): readonly ModelProvider[] => [
  createMockProvider(deps),
  createChatCompletionsProvider(deps, bearerWire({ name: 'gateway-a', secretRequired: true })),
  createMessagesProvider(deps),
  createChatCompletionsProvider(deps, deploymentWire),
  createChatCompletionsProvider(deps, bearerWire({ name: 'gateway-a-compatible', secretRequired: false })),
  createLocalRuntimeProvider({
    native: createNativeChatProvider(deps),
    compatible: createChatCompletionsProvider(deps, bearerWire({ name: 'local-runtime', secretRequired: false })),
  }),
];
