// Regular expressions of route conditions: RE2 syntax, linear time, so that no pattern can stall a worker.
import { RE2JS } from 're2js';

const compiled = new Map<string, RE2JS | undefined>();
const COMPILED_MAX = 500;

/** Whether the pattern is found anywhere in the text; a pattern that does not compile matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  if (!compiled.has(pattern)) {
    if (compiled.size >= COMPILED_MAX) compiled.clear();
    compiled.set(pattern, compile(pattern));
  }
  return compiled.get(pattern)?.matcher(text).find() ?? false;
}

function compile(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return undefined;
  }
}
