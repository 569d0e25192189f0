import { describe, expect, test } from 'vitest';
import { defined, keyword, trimEach, trimmed, unique, uniqueIgnoringCase } from './clean.ts';

test('blank text counts as absent', () => {
  expect([trimmed(undefined), trimmed(''), trimmed(' \n'), trimmed(' a b ')]).toEqual([undefined, undefined, undefined, 'a b']);
  expect([keyword(undefined), keyword(' '), keyword(' Wait_For_All ')]).toEqual([undefined, undefined, 'wait_for_all']);
});

test('an absent list stays absent and an empty one empty', () => {
  expect([trimEach, unique, uniqueIgnoringCase].map((clean) => [clean(undefined), clean([])])).toEqual([
    [undefined, []],
    [undefined, []],
    [undefined, []],
  ]);
});

describe('lists', () => {
  const list = [' b ', 'a', 'B', '', 'a ', ' '];

  test('trimEach keeps every entry', () => expect(trimEach(list)).toEqual(['b', 'a', 'B', '', 'a', '']));
  test('unique drops blanks and repetitions', () => expect(unique(list)).toEqual(['b', 'a', 'B']));
  test('uniqueIgnoringCase keeps the first spelling', () => expect(uniqueIgnoringCase(list)).toEqual(['b', 'a']));
});

test('defined drops undefined fields and keeps every other value', () => {
  expect(defined({ a: undefined, b: '', c: 0, d: false, e: null })).toStrictEqual({ b: '', c: 0, d: false, e: null });
});
