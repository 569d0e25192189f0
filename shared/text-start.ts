// The beginning of a text, whole characters of it.

/** At most this many UTF-16 code units, without half a pair of surrogates at the end. */
export function textStart(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, '');
}
