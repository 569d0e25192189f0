// Keeps records within their size: texts past the limit are cut, and the record is marked.
import { RECORD_TEXT_MAX_BYTES } from '../core/limits.ts';

/** The text, or its first 64 KiB of UTF-8 without a broken character at the end. */
export function cutText(text: string): { readonly text: string; readonly truncated: boolean } {
  // A character has at least one byte: of a long text the rest is not encoded.
  const start = text.slice(0, RECORD_TEXT_MAX_BYTES);
  const isWhole = start.length === text.length;
  if (isWhole && (text.length * 3 <= RECORD_TEXT_MAX_BYTES || Buffer.byteLength(text) <= RECORD_TEXT_MAX_BYTES))
    return { text, truncated: false };
  const bytes = Buffer.from(start).subarray(0, RECORD_TEXT_MAX_BYTES);
  // As many as the rest of one character makes: a search for more of them takes longer by the square of their number.
  return { text: bytes.toString('utf8').replace(/\uFFFD{1,3}$/, ''), truncated: true };
}
