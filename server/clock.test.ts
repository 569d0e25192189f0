import { getEventListeners } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { steadyClock, systemClock, timeLimit, TIMER_MAX_MS, underSignals } from './clock.ts';
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

test('a limit longer than one timer can hold aborts when it is over', async () => {
  vi.useFakeTimers();
  const signal = timeLimit(60 * DAY_MS);
  await vi.advanceTimersByTimeAsync(59 * DAY_MS);
  expect(signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(DAY_MS);
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
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

test('a steady clock continues while the clock is set back, and follows a step ahead', () => {
  let [now, elapsed] = [1_000_000, 50.5];
  const pass = (ms: number, step = 0) => {
    elapsed += ms;
    now += ms + step;
  };
  const clock = steadyClock({ ...systemClock, now: () => now, elapsed: () => elapsed });
  const moments: number[] = [];
  for (const step of [0, -60_000, 0, 3_600_000, 0]) {
    pass(10, step);
    moments.push(clock.now() - 1_000_000);
  }
  expect(moments).toEqual([10, 20, 30, 3_540_040, 3_540_050]);
});

test('work under several signals is aborted with the reason of the first one', async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const reasons = underSignals([one.signal, other.signal], async (signal) => {
    expect(signal.aborted).toBe(false);
    other.abort('second');
    one.abort('first');
    return signal.reason as unknown;
  });
  expect(await reasons).toBe('second');
  expect(await underSignals([new AbortController().signal, one.signal], async (signal) => signal.reason as unknown)).toBe('first');
});

test('work under a signal leaves nothing in it, not even when it fails', async () => {
  const stop = new AbortController();
  const marks = () => [getEventListeners(stop.signal, 'abort').length, Object.getOwnPropertySymbols(stop.signal).length];
  const before = marks();
  const late: AbortSignal[] = [];
  await underSignals([stop.signal], async (signal) => void late.push(signal));
  await expect(underSignals([stop.signal], () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(marks()).toEqual(before);
  stop.abort();
  expect(late[0]?.aborted).toBe(false);
});
