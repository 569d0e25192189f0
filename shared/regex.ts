// Patterns that users put into specs: RE2 syntax, which matches in linear time. Source: DECISIONS section 3 "Edges".
import { RE2JS, RE2JSException } from 're2js';

export const PATTERN_MAX_CHARS = 512;

/** Why `pattern` is refused, or undefined when it compiles. The message is a predicate: `must be …`. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'must not be an empty regular expression';
  if (pattern.length > PATTERN_MAX_CHARS)
    return `must be a regular expression of at most ${PATTERN_MAX_CHARS} characters, not ${pattern.length}`;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `must be a regular expression in RE2 syntax, without look-around and back-references: ${error.message}`;
  }
}
