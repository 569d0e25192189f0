// Patterns that users write: RE2 syntax, which always matches in linear time.
import { RE2JS } from 're2js';

/** Longest pattern, in characters. Source: DECISIONS section 3 "Edges". */
export const PATTERN_MAX_CHARS = 512;

/** Why `pattern` is refused, or undefined when it may be used. Look-around and back-references are not RE2. */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'must not be blank';
  if (pattern.length > PATTERN_MAX_CHARS) return `must be at most ${PATTERN_MAX_CHARS} characters, not ${pattern.length}`;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `must be an RE2 pattern (no look-around, no back-references): ${error instanceof Error ? error.message : 'it does not compile'}`;
  }
}
