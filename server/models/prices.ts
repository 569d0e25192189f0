// Cost of a call, from the prices of its ModelEndpoint. A missing price is unknown, never zero. Pure.
import { parsePrice, PRICE_RULE, type PriceOption } from '@svc/shared/kinds/model-endpoint/prices';
import { roundUsd } from '@svc/shared/money';
import type { ModelEndpointRef, TokenUsage } from '../engine/ports.ts';
import { textOption, wrongOption } from './options.ts';

const PER = 1_000_000;

/** US dollars for a million tokens; undefined where no price is given. */
interface Prices {
  readonly input: number | undefined;
  readonly output: number | undefined;
  readonly cachedInput: number | undefined;
  readonly cacheWrite: number | undefined;
}

/** Undefined when the endpoint gives none. Throws CallError for a value that is not a price. */
export function readPrices(endpoint: ModelEndpointRef): Prices | undefined {
  const price = (key: PriceOption): number | undefined => {
    const text = textOption(endpoint, key);
    return text === undefined ? undefined : (parsePrice(text) ?? wrongOption(endpoint, key, PRICE_RULE));
  };
  const prices = {
    input: price('price_input_per_million'),
    output: price('price_output_per_million'),
    cachedInput: price('price_cached_input_per_million'),
    cacheWrite: price('price_cache_write_per_million'),
  };
  return Object.values(prices).some((given) => given !== undefined) ? prices : undefined;
}

/** Cost fields of a response. */
export function priced(prices: Prices, usage: TokenUsage): { costUsd?: number } {
  const costUsd = costOf(prices, usage);
  return costUsd === undefined ? {} : { costUsd };
}

/** US dollars, or undefined when a price that the usage needs is not known. Tokens read from a cache cost as others unless they have a price of their own; those written to one cost more, so they need one. */
function costOf(prices: Prices, usage: TokenUsage): number | undefined {
  const cached = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, usage.inputTokens - cached);
  const parts: [number, number | undefined][] = [
    [usage.inputTokens - cached - written, prices.input],
    [cached, prices.cachedInput ?? prices.input],
    [written, prices.cacheWrite],
    [usage.outputTokens, prices.output],
  ];
  let total = 0;
  for (const [tokens, price] of parts) {
    if (tokens === 0) continue;
    if (price === undefined) return undefined;
    total += tokens * price;
  }
  return roundUsd(total / PER);
}
