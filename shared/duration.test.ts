import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration, parseLongDuration } from './duration.ts';

test.each([
  ['0', 0],
  ['0s', 0],
  ['30s', 30_000],
  ['10m', 600_000],
  ['24h', 86_400_000],
  ['1h30m', 5_400_000],
  ['1m30s500ms', 90_500],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['1500us', 1.5],
  ['1500µs', 1.5],
  ['720h', 2_592_000_000],
])('reads %s', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each([
  ['nothing', ''],
  ['a bare number', '30'],
  ['a bare unit', 's'],
  ['a sign', '-1s'],
  ['a plus', '+1s'],
  ['a space inside', '1h 30m'],
  ['a space around', ' 1s'],
  ['a line break', '1s\n'],
  ['days', '1d'],
  ['upper case', '1H'],
  ['words', '5 minutes'],
  ['a point without digits', '1.s'],
  ['an exponent', '1e3s'],
  ['hexadecimal', '0x1s'],
  ['other digits', '١s'],
  ['more than 292 years', '2562048h'],
  ['more than a number holds', `${'9'.repeat(400)}h`],
])('refuses %s', (_, text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('reads back what it writes, to the millisecond', () => {
  fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (ms) => parseDuration(formatDuration(ms)) === ms));
});

test('answers for any text, in time linear in its length', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => (parseDuration(text) ?? 0) >= 0));
  expect(parseDuration(`${'1'.repeat(100_000)}x`)).toBeUndefined();
  expect(parseDuration(`${'1s'.repeat(50_000)}x`)).toBeUndefined();
});

test.each([
  [0, '0s'],
  [-5, '0s'],
  [1, '1ms'],
  [90_000, '1m30s'],
  [86_400_000, '24h'],
  [2_500, '2s500ms'],
])('writes %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  ['30d', 30 * 86_400_000],
  ['1d12h', 129_600_000],
  ['0.5d', 43_200_000],
  ['90s', 90_000],
  ['0', 0],
  ['', undefined],
  ['d', undefined],
  ['1d0', undefined],
  ['12h1d', undefined],
  ['1d1d', undefined],
  ['-1d', undefined],
  ['1D', undefined],
  ['106752d', undefined],
])('parseLongDuration reads %j as %s', (text, ms) => {
  expect(parseLongDuration(text)).toBe(ms);
});
