// The one ModelPort: calls the adapter of the endpoint's provider and prices its answer.
import type { ModelPort } from '../engine/ports.ts';
import { builtInProviders } from './built-in-providers.ts';
import type { ModelHttpDeps } from './model-http.ts';
import { priced, readPrices } from './prices.ts';
import type { ProviderRegistry } from './provider-registry.ts';

/** `providers` are those of this server unless it is given others. */
export function createModelPort(deps: ModelHttpDeps, providers: ProviderRegistry = builtInProviders(deps)): ModelPort {
  return {
    async complete(endpoint, request, options) {
      const provider = providers.chat(endpoint);
      // Before the call: what would be paid for must not fail afterwards.
      const prices = readPrices(endpoint);
      const response = await provider.complete({ endpoint, request, ...options });
      if (!prices) return response;
      const { costUsd: _ofTheProvider, ...answer } = response;
      return { ...answer, ...priced(prices, answer.usage) };
    },
  };
}
