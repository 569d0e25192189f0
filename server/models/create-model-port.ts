// The one ModelPort: calls the adapter of the endpoint's provider, and prices its answer.
import type { ModelPort, ModelRequest, ModelResponse } from '../engine/ports.ts';
import { builtInProviders } from './built-in-providers.ts';
import type { ModelHttpDeps } from './model-http.ts';
import { priced, readPrices } from './prices.ts';
import type { ProviderRegistry } from './provider-registry.ts';
import { estimateUsage, isPossible, TOKENS_MAX } from './usage.ts';

const IMPOSSIBLE_USAGE = `the model server reports more than ${TOKENS_MAX} tokens, so the usage is estimated`;

/** `providers` are those of this server unless it is given others. */
export function createModelPort(deps: ModelHttpDeps, providers: ProviderRegistry = builtInProviders(deps)): ModelPort {
  return {
    async complete(endpoint, request, options) {
      const provider = providers.chat(endpoint);
      // Before the call: what would be paid for must not fail afterwards.
      const prices = readPrices(endpoint);
      const response = withPossibleUsage(request, await provider.complete({ endpoint, request, ...options }));
      if (!prices) return response;
      const { costUsd: _ofTheProvider, ...answer } = response;
      return { ...answer, ...priced(prices, answer.usage) };
    },
  };
}

function withPossibleUsage({ messages }: ModelRequest, response: ModelResponse): ModelResponse {
  const { usage, content, toolCalls, notice } = response;
  if (isPossible(usage)) return response;
  const words = notice === undefined ? IMPOSSIBLE_USAGE : `${notice}; ${IMPOSSIBLE_USAGE}`;
  return { ...response, usage: estimateUsage(messages, content, toolCalls), notice: words };
}
