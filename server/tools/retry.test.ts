import { describe, expect, test } from 'vitest';
import { CallError } from '../engine/ports.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { withRetries, type RetryRule } from './retry.ts';

const rule = (more: Partial<RetryRule> = {}): RetryRule => ({ maxAttempts: 3, backoffMs: 100, maxBackoffMs: 350, jitter: 'none', ...more });

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

  test('stop when they are used up, and the error has their number', async () => {
    const clock = createManualClock();
    const call = withRetries(options(clock), async () => {
      setImmediate(() => clock.advance(1000));
      throw error(true);
    });
    await expect(call).rejects.toMatchObject({ code: 'execution_failed', attempts: 3 });
  });

  test('end at once when the caller aborts during a wait', async () => {
    const abort = new AbortController();
    const call = withRetries(options(createManualClock(), abort.signal), async () => {
      setImmediate(() => abort.abort());
      throw error(true);
    });
    await expect(call).rejects.toMatchObject({ code: 'canceled', attempts: 1, retryable: false });
  });
});
