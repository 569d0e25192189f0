// Problems from several checks as one list.
import { expect, test } from 'vitest';
import type { TextProblem } from '../yaml/check-text.ts';
import { mergeProblems } from './merge-problems.ts';

const problem = (from: number, message: string, source: TextProblem['source']): TextProblem => ({
  from,
  to: from + 1,
  path: 'spec.auth.secretRef',
  message,
  source,
  severity: 'error',
});

test('a refused save repeats no problem that the rules have found', () => {
  const required = problem(9, 'spec.auth.secretRef is required', 'rules');
  const same = { ...required, source: 'caller' as const };
  const other = problem(3, 'spec.auth.secretRef does not exist', 'caller');
  expect(mergeProblems([required], [same, other])).toEqual([other, required]);
});
