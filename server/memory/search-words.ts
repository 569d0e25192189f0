// Words of a search by keywords, the same for every provider that searches by words. Pure.

/** Longer queries match on their first words. */
const WORDS_MAX = 32;
const WORD_MAX_CHARS = 64;
/** Shorter words match whole: their prefixes would match most entries. */
const PREFIX_MIN_CHARS = 3;

/** Words that most English texts hold; they count only where a query has no others. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about an and are as at be been but by can did do does for from had has have how i if in into is it its me my not of on or our ' +
    'she so that the their them then there they this to was we were what when where which who why will with would you your'
  ).split(' '),
);

export interface SearchWord {
  /** Letters and digits alone, in lower case: nothing in it can end a quoted string of a query language. */
  readonly text: string;
  /** Whether it also matches as the beginning of a word. */
  readonly begins: boolean;
}

/** Empty for a query without words. */
export function searchWords(query: string): SearchWord[] {
  const found = query.toLowerCase().match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
  const words = [...new Set(found)].map((word) => word.slice(0, WORD_MAX_CHARS));
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : words).slice(0, WORDS_MAX).map((text) => ({ text, begins: text.length >= PREFIX_MIN_CHARS }));
}
