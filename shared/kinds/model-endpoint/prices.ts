// Prices of a ModelEndpoint: options that say what a million tokens cost in US dollars. Pure; used at write and at each call.

/** The options that hold a price. */
export const PRICE_OPTIONS = [
  'price_input_per_million',
  'price_output_per_million',
  'price_cached_input_per_million',
  'price_cache_write_per_million',
] as const;
export type PriceOption = (typeof PRICE_OPTIONS)[number];

/** Form of a valid value, for error messages. */
export const PRICE_RULE = 'must be US dollars as a decimal, such as 0.15';

/** Plain decimals only: signs, exponents, currency marks and thousands separators are more often a slip than a price. */
const PRICE = /^\d{1,9}(\.\d{1,12})?$/;

/** US dollars, or undefined when the text is not a price. */
export function parsePrice(text: string): number | undefined {
  return PRICE.test(text) ? Number(text) : undefined;
}
