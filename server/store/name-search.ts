// Rules of the search by name, for both engines: bounds of ranges, and the definition of a word start. Pure.
import type { NameQuery } from './store.ts';

/** Objects of a kind, newest first, whose names are searched. */
export const NEWEST_NAMES = 1_000;

/** Greater than every name with the prefix before it, in bytewise order (names are ASCII). */
const AFTER_ALL = '\u{10ffff}';
/** Below every character of a name. */
const AFTER_ITSELF = '\u{1}';

/** The names looked for, folded to lower case when they may be in any namespace: from the first bound, before the second. */
export function nameRange({ match, text, namespace }: NameQuery): [string, string] {
  const from = namespace === undefined ? text.toLowerCase() : text;
  return [from, `${from}${match === 'exact' ? AFTER_ITSELF : AFTER_ALL}`];
}

/** Pattern that a matching folded name contains: the engine folds a name to lower case, for `word` also its separators to `-`, with one before it. */
export function foldedText({ match, text }: NameQuery): string {
  const lower = text.toLowerCase();
  return match === 'word' ? `-${lower.replaceAll(/[._]/g, '-')}` : lower;
}

export function looksInside({ match }: NameQuery): boolean {
  return match === 'word' || match === 'part';
}
