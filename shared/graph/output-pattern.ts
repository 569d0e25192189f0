// Patterns of route conditions `output_matches:<pattern>`: RE2 syntax, linear time, bounded size.
import { RE2JS, RE2JSException } from 're2js';
import { boundedMemo } from '../bounded-memo.ts';
import { expressionProblem, expressionSize } from '../linear-regexp.ts';

const COMPILED_MAX = 500;
const compiled = boundedMemo(COMPILED_MAX, (pattern) => (patternProblem(pattern) === undefined ? RE2JS.compile(pattern) : undefined));

/** Why `pattern` is refused, or undefined when it may be used. Look-around and back-references are not RE2. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'must not be blank';
  const oversize = expressionProblem(pattern);
  if (oversize !== undefined) return oversize;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `must be an RE2 pattern, without look-around and back-references: ${error.message}`;
  }
}

/** Size of patterns times characters of text that are matched for one output: 0.3 s in the worst case. */
const MATCH_COST_MAX = 10_000_000;

/** Whether a text is too long for these patterns together, or one of them is past its limits. */
export function isTooLongToMatch(patterns: readonly string[], text: string): boolean {
  if (patterns.some((pattern) => expressionProblem(pattern) !== undefined)) return true;
  return text.length * patterns.reduce((sum, pattern) => sum + expressionSize(pattern), 0) > MATCH_COST_MAX;
}

/** Whether the pattern is found anywhere in the text; one that may not be used is found nowhere. */
export function patternFinds(pattern: string, text: string): boolean {
  return compiled(pattern)?.test(text) ?? false;
}
