import { act, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { learnServerTime } from '../../../live/server-clock.ts';
import { useExpired } from './use-expired.ts';

const DAY_MS = 24 * 60 * 60_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  learnServerTime(new Date().toISOString(), Date.now(), Date.now());
  vi.useRealTimers();
});

/** Simulates a sleeping machine: its clock advances, its timers do not fire. */
const sleep = (ms: number) => vi.setSystemTime(Date.now() + ms);
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test.each([1_500, 20 * DAY_MS, 60 * DAY_MS])('after %d ms it has expired, and not before', async (ms) => {
  const at = Date.now() + ms;
  const { result } = renderHook(() => useExpired(at));
  sleep(ms - 1_000);
  await pass(500);
  expect(result.current).toBe(false);
  await pass(1_500);
  expect(result.current).toBe(true);
});

test('expiry follows the clock of the server, even when that is learned later', async () => {
  const at = Date.now() + 60_000;
  const { result } = renderHook(() => useExpired(at));
  learnServerTime(new Date(at + 5_000).toISOString(), Date.now(), Date.now());
  await pass(1_000);
  expect(result.current).toBe(true);
});

test('an approval without expiry never expires', async () => {
  const { result } = renderHook(() => useExpired(Number.NaN));
  await pass(5_000);
  expect(result.current).toBe(false);
});
