import { expect, test } from 'vitest';
import { judgePaste, linesOf } from './paste-guard.ts';

test('a paste of one line needs no review', () => {
  expect(judgePaste('svcctl get agents')).toEqual({ text: 'svcctl get agents', needsReview: false });
});

test('a paste of several lines needs a review, whatever its line breaks', () => {
  for (const pasted of ['a\nb', 'a\r\nb', 'a\rb']) expect(judgePaste(pasted)).toEqual({ text: 'a\nb', needsReview: true });
  expect(judgePaste('rm -rf x\n').needsReview).toBe(true);
});

test('a paste loses control characters, such as the end of a bracketed paste', () => {
  expect(judgePaste('a\u001b[201~\u0003b\tc').text).toBe('a[201~b\tc');
});

test('a break after the last line begins no other', () => {
  expect([linesOf('a'), linesOf('a\n'), linesOf('a\nb'), linesOf('a\n\n')]).toEqual([1, 1, 2, 2]);
});
