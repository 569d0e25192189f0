import { expect, test } from 'vitest';
import { roundUsd } from './money.ts';

test('ten cents added ten times are a dollar, and the price of a token is kept', () => {
  const cents = Array.from({ length: 10 }, () => 0.1);
  expect(cents.reduce((sum, each) => sum + each, 0)).not.toBe(1);
  expect(roundUsd(cents.reduce((sum, each) => sum + each, 0))).toBe(1);
  expect(roundUsd(0.000000075)).toBe(0.000000075);
});
