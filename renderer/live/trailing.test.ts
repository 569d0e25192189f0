import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Trailing } from './trailing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('several calls lead to one action after the delay', () => {
  const action = vi.fn();
  const trailing = new Trailing(action, 4_000);
  trailing.call();
  vi.advanceTimersByTime(3_999);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(action).toHaveBeenCalledTimes(1);
});

test('a call just before the action leads to one more action', () => {
  const action = vi.fn();
  const trailing = new Trailing(action, 4_000);
  trailing.call();
  vi.advanceTimersByTime(3_900);
  trailing.call();
  vi.advanceTimersByTime(4_000);
  expect(action).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(4_000);
  expect(action).toHaveBeenCalledTimes(2);
  trailing.call();
  trailing.stop();
  vi.advanceTimersByTime(60_000);
  expect(action).toHaveBeenCalledTimes(2);
});
