import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Trailing } from './trailing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what was called for is done a while later, once for all calls', () => {
  const action = vi.fn();
  const trailing = new Trailing(action, 4_000);
  trailing.call();
  vi.advanceTimersByTime(3_999);
  expect(action).not.toHaveBeenCalled();
  vi.advanceTimersByTime(60_000);
  expect(action).toHaveBeenCalledTimes(1);
});

test('what was called for just before it is done is done once more', () => {
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
