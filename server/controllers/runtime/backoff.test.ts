// How waits grow, as a table.
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

const limits = { baseMs: 1_000, maxMs: 60_000 };

test.each([
  { failures: 1, random: 1, waits: 1_000 },
  { failures: 1, random: 0, waits: 500 },
  { failures: 2, random: 1, waits: 2_000 },
  { failures: 4, random: 0.5, waits: 6_000 },
  { failures: 7, random: 1, waits: 60_000 },
  { failures: 5_000, random: 0, waits: 30_000 },
])('after $failures failures and a throw of $random it waits $waits ms', ({ failures, random, waits }) => {
  expect(backoffMs(failures, limits, random)).toBe(waits);
});
