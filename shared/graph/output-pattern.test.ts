import { expect, test } from 'vitest';
import { patternFinds, patternProblem } from './output-pattern.ts';

test.each(['yes', '(?i)approved', '^route: (a|b)$', '(?P<name>x)', 'a{1,1000}', 'é+', 'x'.repeat(512)])('accepts %s', (pattern) => {
  expect(patternProblem(pattern)).toBeUndefined();
});

test.each([
  ['nothing', '', 'blank'],
  ['an open group', '(a', 'RE2'],
  ['look-ahead', '(?=a)', 'RE2'],
  ['look-behind', '(?<!a)b', 'RE2'],
  ['a back-reference', '(a)\\1', 'RE2'],
  ['a repetition beyond 1000', 'a{1001}', 'RE2'],
  ['513 characters', 'x'.repeat(513), '512'],
])('refuses %s', (_, pattern, said) => {
  expect(patternProblem(pattern)).toContain(said);
});

test('finds a pattern anywhere in the text', () => {
  expect([patternFinds('b+', 'abbc'), patternFinds('^b', 'abbc'), patternFinds('(a', '(a')]).toEqual([true, false, false]);
});

test('matches in linear time what stalls a backtracking engine', () => {
  expect(patternFinds('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
});
