import { describe, expect, test } from 'vitest';
import { CallError } from '../engine/ports.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { backoffMs, withRetries, type RetryRule } from './retry.ts';

const rule = (more: Partial<RetryRule> = {}): RetryRule => ({ maxAttempts: 3, backoffMs: 100, maxBackoffMs: 350, jitter: 'none', ...more });

describe('the wait', () => {
  test.each<[RetryRule['jitter'], number, number[]]>([
    ['none', 0.5, [100, 200, 350, 350]],
    ['full', 0.5, [50, 100, 175, 175]],
    ['equal', 0.5, [75, 150, 263, 263]],
    ['full', 0, [0, 0, 0, 0]],
  ])('doubles up to its cap with jitter %s', (jitter, random, waits) => {
    expect([1, 2, 3, 40].map((attempt) => backoffMs(rule({ jitter }), { attempt, random }))).toEqual(waits);
  });

  test('is at least what the tool asked for, and never above the cap', () => {
    const wait = (retryAfterMs: number) => backoffMs(rule({ jitter: 'full' }), { attempt: 1, random: 0, retryAfterMs });
    expect([wait(0), wait(300), wait(10_000)]).toEqual([0, 300, 350]);
  });
});

describe('attempts', () => {
  const options = (clock = createManualClock(), signal = new AbortController().signal) => ({
    rule: rule(),
    clock,
    random: () => 0,
    signal,
    what: 'call',
  });
  const error = (retryable: boolean) => new CallError('execution_failed', 'no', { retryable, reason: 'http_500' });

  test('stop at a failure that is not retryable', async () => {
    let made = 0;
    const call = withRetries(options(), async () => {
      made += 1;
      throw error(false);
    });
    await expect(call).rejects.toMatchObject({ attempts: 1, reason: 'http_500' });
    expect(made).toBe(1);
  });

  test('stop when they are used up, and the error says how many were made', async () => {
    const clock = createManualClock();
    const call = withRetries(options(clock), async () => {
      setImmediate(() => clock.advance(1000));
      throw error(true);
    });
    await expect(call).rejects.toMatchObject({ code: 'execution_failed', attempts: 3 });
  });

  test('end at once when the caller goes away during a wait', async () => {
    const abort = new AbortController();
    const call = withRetries(options(createManualClock(), abort.signal), async () => {
      setImmediate(() => abort.abort());
      throw error(true);
    });
    await expect(call).rejects.toMatchObject({ code: 'canceled', attempts: 1, retryable: false });
  });
});
