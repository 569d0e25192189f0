import { expect, test } from 'vitest';
import { isTooLongToMatch, patternFinds, patternProblem } from './output-pattern.ts';

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

test.each([
  ['a usual pattern and output', ['(?i)approved|fine'], 100_000, false],
  ['a usual pattern and an output of 16 Mi characters', ['(?i)approved|fine'], 16 * 1024 * 1024, true],
  ['counted repetitions', ['((a|b){20}){20}'], 100_000, true],
  ['many patterns', Array.from({ length: 1_000 }, () => 'approved'), 10_000, true],
  ['a stored pattern past the limits', ['(a?){1000}'.repeat(50)], 1, true],
])('says whether it is too long to match: %s', (_what, patterns, chars, expected) => {
  expect(isTooLongToMatch(patterns, 'a'.repeat(chars))).toBe(expected);
});

test('takes less than a second for what is just short enough', () => {
  const pattern = 'a(a|b){80}[cd]';
  let text = '';
  for (let at = 0; at < 25_000; at += 1) text += 'ab'[((at * at * 7919) % 2) ^ ((at >> 3) % 2)];
  expect(isTooLongToMatch([pattern], text)).toBe(false);
  const began = process.cpuUsage();
  patternFinds(pattern, text);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(1_000);
});

test('finds a pattern anywhere in the text', () => {
  expect([patternFinds('b+', 'abbc'), patternFinds('^b', 'abbc'), patternFinds('(a', '(a')]).toEqual([true, false, false]);
});

test('matches in linear time what stalls a backtracking engine', () => {
  expect(patternFinds('^(a+)+$', `${'a'.repeat(50_000)}!`)).toBe(false);
});
