import { expect, test } from 'vitest';
import { linearRegExp } from './linear-regexp.ts';

test.each([
  ['^\\d{2}-[a-z]+$', '12-ab', true],
  ['^\\d{2}-[a-z]+$', 'x12-ab', false],
  ['b', 'abc', true],
  ['^\\u00fc\\/$', 'ü/', true],
  ['^\\p{L}+$', 'grüß', true],
  ['^(a+)+$', `${'a'.repeat(20_000)}!`, false],
])('%s against %s', (pattern, text, matches) => expect(linearRegExp(pattern).test(text)).toBe(matches));

test.each(['(?=a)b', '(a)\\1', '('])('%s is refused', (pattern) => expect(() => linearRegExp(pattern)).toThrow());
