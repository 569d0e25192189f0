// Ends of texts, and long runs before them.
import { expect, test } from 'vitest';
import { trimEnd } from './trim-end.ts';

test.each([
  ['', ''],
  ['/', ''],
  ['a', 'a'],
  ['/a//', '/a'],
  ['a//b', 'a//b'],
])('trims the slashes at the end of %j', (text, expected) => {
  expect(trimEnd(text, '/')).toBe(expected);
});

test('takes no longer for a run within a text', () => {
  const text = `${'/'.repeat(4_000_000)}a`;
  const began = process.cpuUsage();
  expect(trimEnd(text, '/')).toHaveLength(text.length);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(10_000);
});
