// The growth of waits, as a table.
import { expect, test } from 'vitest';
import { backoffMs, type BackoffRule } from './backoff.ts';

const rule = (jitter: BackoffRule['jitter']): BackoffRule => ({ backoffMs: 1_000, maxBackoffMs: 60_000, jitter });

test.each([
  { jitter: 'none', failures: 1, random: 0.3, waits: 1_000 },
  { jitter: 'none', failures: 3, random: 0, waits: 4_000 },
  { jitter: 'none', failures: 5_000, random: 0, waits: 60_000 },
  { jitter: 'full', failures: 2, random: 0, waits: 0 },
  { jitter: 'full', failures: 2, random: 0.5, waits: 1_000 },
  { jitter: 'equal', failures: 1, random: 0, waits: 500 },
  { jitter: 'equal', failures: 2, random: 1, waits: 2_000 },
  { jitter: 'equal', failures: 4, random: 0.5, waits: 6_000 },
  { jitter: 'equal', failures: 7, random: 1, waits: 60_000 },
] as const)('waits $waits ms after $failures failures with jitter $jitter at $random', ({ jitter, failures, random, waits }) => {
  expect(backoffMs(rule(jitter), { failures, random })).toBe(waits);
});

test.each([
  { retryAfterMs: 250, waits: 1_000 },
  { retryAfterMs: 5_000, waits: 5_000 },
  { retryAfterMs: 90_000, waits: 60_000 },
])('a demanded wait of $retryAfterMs ms makes it $waits ms', ({ retryAfterMs, waits }) => {
  expect(backoffMs(rule('none'), { failures: 1, random: 0, retryAfterMs })).toBe(waits);
});
