import { describe, expect, test } from 'vitest';
import {
  formatAge,
  formatBytes,
  formatCompact,
  formatCost,
  formatCountdown,
  formatDateTime,
  formatDuration,
  formatExact,
  formatInstant,
  formatNumber,
  formatPercent,
  isInstant,
} from './format.ts';

describe('a duration', () => {
  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [1250, '1.2 s'],
    [9990, '9.9 s'],
    [12_000, '12s'],
    [60_000, '1m'],
    [61_000, '1m 1s'],
    [3_600_000 * 3 + 60_000 * 12, '3h 12m'],
    [86_400_000 * 2, '2d'],
    [Number.NaN, '–'],
    [-1, '–'],
  ])('with %d ms reads %s', (ms, text) => expect(formatDuration(ms)).toBe(text));
});

describe('an age', () => {
  const now = Date.UTC(2026, 0, 1);
  test.each([
    [1000, 'now'],
    [12_000, '12s'],
    [240_000, '4m'],
    [86_400_000 * 400, '400d'],
    [86_400_000 * 800, '2y'],
    [-240_000, 'in 4m'],
  ])('with %d ms reads %s', (ms, text) => expect(formatAge(now - ms, now)).toBe(text));
  test('without a date reads as a dash', () => expect(formatAge(Number.NaN, now)).toBe('–'));
});

describe('a countdown', () => {
  test.each([
    [8001, '0:09'],
    [724_000, '12:04'],
    [3_600_000 * 4 + 60_000 * 7, '4h 07m'],
    [86_400_000 * 2 + 3_600_000 * 3, '2d 3h'],
    [-5, '0:00'],
  ])('with %d ms reads %s', (ms, text) => expect(formatCountdown(ms)).toBe(text));
});

describe('a size', () => {
  test.each([
    [0, '0 B'],
    [512, '512 B'],
    [1536, '1.5 KB'],
    [10 * 1024 ** 2, '10 MB'],
    [123.4 * 1024 ** 2, '123 MB'],
  ])('with %d bytes reads %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

test('numbers have separators and short forms', () => {
  expect([formatNumber(1234567, 'en'), formatCompact(1234, 'en'), formatCompact(940, 'en')]).toEqual(['1,234,567', '1.2K', '940']);
});

test('a stored number keeps its digits', () => {
  expect([0.0375, 0.0001, 1234.5678, 3].map((value) => formatExact(value, 'en'))).toEqual(['0.0375', '0.0001', '1,234.5678', '3']);
});

test('an instant with further text is a text', () => {
  expect(['2026-11-30T10:00:00Z', '2026-11-30T10:00:00.123456+01:00'].map(isInstant)).toEqual([true, true]);
  expect(['2026-11-30T10:00:00Z buy milk', '2026-13-30T10:00:00Z', '2026-11-30T10:00:00'].map(isInstant)).toEqual([false, false, false]);
});

test('midnight is hour 0', () => {
  expect(formatDateTime(Date.UTC(2026, 10, 21, 0, 5), 'UTC', 'en-US')).toContain('00:05:00');
});

test('an incomplete share never reads as none or all', () => {
  expect([0, 0.001, 0.42, 0.999, 1].map((share) => formatPercent(share, 'en'))).toEqual(['0%', '1%', '42%', '99%', '100%']);
});

test('money under a cent keeps its digits', () => {
  expect([formatCost(0, 'USD', 'en'), formatCost(0.000123, 'USD', 'en'), formatCost(12.5, 'USD', 'en')]).toEqual([
    '$0.00',
    '$0.00012',
    '$12.50',
  ]);
});

test('an instant names its zone', () => {
  const at = Date.UTC(2026, 10, 21, 14, 32, 5);
  expect(formatInstant(at, 'UTC', 'en-GB')).toContain('14:32:05 UTC');
  expect(formatDateTime(at, 'UTC', 'en-GB')).toContain('14:32:05');
});
