// Amounts of US dollars as numbers. Pure.

/** Far below the price of one token. */
const PARTS_OF_A_DOLLAR = 1e12;

/** A sum of amounts, without what binary fractions add to it: ten cents are ten cents. */
export function roundUsd(sum: number): number {
  return Math.round(sum * PARTS_OF_A_DOLLAR) / PARTS_OF_A_DOLLAR;
}
