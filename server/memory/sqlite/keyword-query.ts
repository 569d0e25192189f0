// Words of a search as queries of the full-text index. Pure.

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

export interface KeywordQuery {
  /** Entries that hold every word. */
  readonly all: string;
  /** Entries that hold at least one; undefined for a single word. */
  readonly any: string | undefined;
}

/** Undefined for a query without words. */
export function keywordQuery(text: string): KeywordQuery | undefined {
  const found = text.toLowerCase().match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
  const words = [...new Set(found)].map((word) => word.slice(0, WORD_MAX_CHARS));
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  const used = (telling.length > 0 ? telling : words).slice(0, WORDS_MAX);
  if (used.length === 0) return undefined;
  // Words are letters and digits alone, so nothing in them can end the quoted string.
  const terms = used.map((word) => (word.length < PREFIX_MIN_CHARS ? `"${word}"` : `"${word}"*`));
  return { all: terms.join(' AND '), any: terms.length > 1 ? terms.join(' OR ') : undefined };
}
