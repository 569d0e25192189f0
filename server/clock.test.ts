import { afterEach, expect, test, vi } from 'vitest';
import { systemClock, timeLimit, TIMER_MAX_MS } from './clock.ts';
import { collectGarbage } from './testing/collect-garbage.ts';

afterEach(() => {
  vi.useRealTimers();
});

const DAY_MS = 24 * 60 * 60 * 1000;

test('a wait longer than one timer can hold ends when it is over, not at once', async () => {
  vi.useFakeTimers();
  let over = false;
  const wait = systemClock.sleep(60 * DAY_MS).then(() => {
    over = true;
  });
  await vi.advanceTimersByTimeAsync(60 * DAY_MS - 1);
  expect(over).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await wait;
  expect(over).toBe(true);
});

test('a wait beyond the timer limit still ends by its signal, in its second timer too', async () => {
  vi.useFakeTimers();
  const ended = new AbortController();
  const wait = systemClock.sleep(2 * TIMER_MAX_MS, ended.signal);
  const rejected = expect(wait).rejects.toThrow('no more');
  await vi.advanceTimersByTimeAsync(TIMER_MAX_MS + 1);
  ended.abort(new Error('no more'));
  await rejected;
  expect(vi.getTimerCount()).toBe(0);
});

test('a limit aborts signals combined from it after a garbage collection', async () => {
  const caller = new AbortController();
  const combine = () => AbortSignal.any([AbortSignal.any([caller.signal, timeLimit(500)]), new AbortController().signal]);
  let reason: unknown;
  (() => {
    const signal = combine();
    signal.addEventListener('abort', () => (reason = signal.reason));
  })();
  // In a later task: a job keeps what its weak references gave.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  await expect.poll(() => reason, { timeout: 5_000 }).toMatchObject({ name: 'TimeoutError' });
  expect(caller.signal.aborted).toBe(false);
});
