// Regular expressions that others wrote: matched in linear time, and bounded in size before they are compiled, because time is size times text.
import { RE2JS } from 're2js';

export interface LinearRegExp {
  /** Whether any part of the text matches. */
  test(text: string): boolean;
  /** The pattern; different patterns give different texts. */
  toString(): string;
}

export const EXPRESSION_MAX_CHARS = 512;
/** Instructions of the compiled program, roughly. */
const EXPRESSION_SIZE_MAX = 2_000;

/** Compiles a pattern as JSON Schemas hold it, JavaScript's syntax included. Throws on look-around and back-references, which have no linear match, and on invalid patterns. */
export function linearRegExp(pattern: string): LinearRegExp {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.test(text), toString: () => `/${pattern}/` };
}

/** Why a pattern is too large to be matched, or undefined. Compiles nothing that is. */
export function expressionProblem(pattern: string): string | undefined {
  if (pattern.length > EXPRESSION_MAX_CHARS) return `must be at most ${EXPRESSION_MAX_CHARS} characters, not ${pattern.length}`;
  if (expressionSize(pattern) > EXPRESSION_SIZE_MAX)
    return `repeats too much: written out, its counted repetitions are longer than ${EXPRESSION_SIZE_MAX} characters`;
  return undefined;
}

const REPETITION = /\{(\d{1,6})(?:,(\d{0,6}))?\}/y;

/** Length of the pattern with its counted repetitions written out. An upper bound of the program, up to a small factor; reads text that is not a pattern as well. */
export function expressionSize(pattern: string): number {
  const open: number[] = [];
  let total = 0;
  let last = 0;
  for (let at = 0; at < pattern.length;) {
    const character = pattern[at];
    REPETITION.lastIndex = at;
    const counted = character === '{' ? REPETITION.exec(pattern) : null;
    if (counted) {
      const times = Math.max(Number(counted[1]), Number(counted[2] ?? 0), 1);
      total += last * (times - 1);
      last *= times;
      at += counted[0].length;
    } else if (character === '(') {
      open.push(total);
      at += 1;
    } else if (character === ')') {
      last = total - (open.pop() ?? 0) + 1;
      total += 1;
      at += 1;
    } else {
      const next = character === '\\' ? at + 2 : character === '[' ? classEnd(pattern, at) : at + 1;
      // A mark such as `*` applies to the preceding item.
      if (character !== '*' && character !== '+' && character !== '?') last = 1;
      else last += 1;
      total += 1;
      at = next;
    }
  }
  return total;
}

/** Behind a character class, or the end of the text. */
function classEnd(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at += 1;
  if (pattern[at] === ']') at += 1;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at + 1;
}
