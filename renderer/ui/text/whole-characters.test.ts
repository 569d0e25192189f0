// Cuts beside and within surrogate pairs.
import { expect, test } from 'vitest';
import { beginningOf, endOf } from './whole-characters.ts';

test.each([
  ['abc', 3, 'abc', 'abc'],
  ['abc', 2, 'ab', 'bc'],
  ['a😀b', 2, 'a', 'b'],
  ['a😀b', 3, 'a😀', '😀b'],
  ['😀', 1, '', ''],
])('%s is cut to %i units between characters', (text, max, beginning, end) => {
  expect([beginningOf(text, max), endOf(text, max)]).toEqual([beginning, end]);
});
