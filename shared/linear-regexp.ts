// Regular expressions that others wrote, JavaScript's syntax included, matched in linear time: no pattern can hold the process up.
import { RE2JS } from 're2js';

export interface LinearRegExp {
  /** Whether any part of the text matches. */
  test(text: string): boolean;
  /** The pattern; different patterns give different texts. */
  toString(): string;
}

/** Compiles a pattern as JSON Schemas hold it. Throws on look-around and back-references, which have no linear match, and on patterns that are none. */
export function linearRegExp(pattern: string): LinearRegExp {
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => compiled.matcher(text).find(), toString: () => `/${pattern}/` };
}
