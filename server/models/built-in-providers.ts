// The providers that come with the server. Adding one is its adapter, one line here, and its entry in the kind's table of providers.
import { createChatCompletionsProvider } from './gateway-a/chat-completions.ts';
import { bearerWire } from './gateway-a/wire.ts';
import { createMessagesProvider } from './gateway-b/messages.ts';
import { deploymentWire } from './gateway-c/wire.ts';
import { createLocalRuntimeProvider } from './local-runtime/local-runtime.ts';
import { createNativeChatProvider } from './local-runtime/native-chat.ts';
import { createMockProvider } from './mock/mock.ts';
import type { ModelHttpDeps } from './model-http.ts';
import { createProviderRegistry, type ProviderRegistry } from './provider-registry.ts';

export function builtInProviders(deps: ModelHttpDeps): ProviderRegistry {
  return createProviderRegistry([
    createMockProvider(deps),
    createChatCompletionsProvider(deps, bearerWire({ name: 'gateway-a', secretRequired: true })),
    createMessagesProvider(deps),
    createChatCompletionsProvider(deps, deploymentWire),
    createChatCompletionsProvider(deps, bearerWire({ name: 'gateway-a-compatible', secretRequired: false })),
    createLocalRuntimeProvider({
      native: createNativeChatProvider(deps),
      compatible: createChatCompletionsProvider(deps, bearerWire({ name: 'local-runtime', secretRequired: false })),
    }),
  ]);
}
