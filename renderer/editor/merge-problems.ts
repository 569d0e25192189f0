// Problems of a text from several checks as one list. Pure.
import type { TextProblem } from '../yaml/check-text.ts';

/** In the order of the text; what was already found is not repeated: a refused save reports the problems that the rules found too. */
export function mergeProblems(found: readonly TextProblem[], given: readonly TextProblem[]): TextProblem[] {
  const keyOf = ({ path, message, severity }: TextProblem) => `${severity} ${path} ${message}`;
  const known = new Set(found.map(keyOf));
  return [...found, ...given.filter((problem) => !known.has(keyOf(problem)))].sort((a, b) => a.from - b.from);
}
