import { describe, expect, test } from 'vitest';
import type { ModelEndpointRef, TokenUsage } from '../engine/ports.ts';
import { priced, readPrices } from './prices.ts';
import { modelSpec } from '../testing/specs.ts';

const endpoint = (options: Record<string, string>): ModelEndpointRef => ({
  namespace: 'team',
  name: 'gpt',
  spec: modelSpec({ provider: 'gateway-a', options }),
});
const usage = (inputTokens: number, outputTokens: number, more: Partial<TokenUsage> = {}): TokenUsage => ({
  inputTokens,
  outputTokens,
  source: 'provider',
  ...more,
});
const IN = 'price_input_per_million';
const OUT = 'price_output_per_million';
const CACHED = 'price_cached_input_per_million';
const WRITE = 'price_cache_write_per_million';

describe('cost of a call', () => {
  test.each<[string, Record<string, string>, TokenUsage, number | undefined]>([
    ['both prices', { [IN]: '0.15', [OUT]: '0.60' }, usage(1_000, 500), 0.00045],
    ['a price of zero', { [IN]: '0', [OUT]: '0' }, usage(1_000, 500), 0],
    ['no tokens', { [IN]: '3', [OUT]: '15' }, usage(0, 0), 0],
    ['one token', { [IN]: '0.1', [OUT]: '0.2' }, usage(1, 1), 3e-7],
    ['no price for what the model wrote', { [IN]: '3' }, usage(10, 1), undefined],
    ['no price needed for what it did not write', { [IN]: '3' }, usage(10, 0), 0.00003],
    ['no price for what it read', { [OUT]: '3' }, usage(10, 1), undefined],
    ['cached input at its own price', { [IN]: '10', [OUT]: '0', [CACHED]: '1' }, usage(100, 0, { cachedInputTokens: 90 }), 0.00019],
    ['cached input at the price of input', { [IN]: '10', [OUT]: '0' }, usage(100, 0, { cachedInputTokens: 90 }), 0.001],
    ['more cached than read', { [IN]: '10', [CACHED]: '1' }, usage(100, 0, { cachedInputTokens: 900 }), 0.0001],
    ['cache writes at their price', { [IN]: '10', [WRITE]: '12.5' }, usage(100, 0, { cacheWriteTokens: 40 }), 0.0011],
    ['cache writes without a price', { [IN]: '10' }, usage(100, 0, { cacheWriteTokens: 40 }), undefined],
  ])('%s', (_, options, used, expected) => {
    const prices = readPrices(endpoint(options));
    expect(prices && priced(prices, used)).toEqual(expected === undefined ? {} : { costUsd: expected });
  });

  test('is not known without prices', () => {
    expect(readPrices(endpoint({ [IN]: '' }))).toBeUndefined();
  });
});

test.each(['-1', '1e3', '$3', '1,5', 'NaN', 'Infinity', '0x10', '.5', '1.'])('the price %j is the operator’s error', (text) => {
  expect(() => readPrices(endpoint({ [IN]: text }))).toThrow(
    'ModelEndpoint "team/gpt" spec.options.price_input_per_million must be US dollars as a decimal, such as 0.15',
  );
});
