// Texts of an array as PostgreSQL reads them (manual, section 8.15.6). The driver escapes with a search that keeps the event loop for seconds on a text of
// millions of quotes or backslashes, such as the JSON of a hostile answer.
import type { SqlValue } from './session.ts';

const CONTROL = /\p{Cc}/u;

/** The value to bind: an array of texts as one literal, any other value as it is. The texts are well-formed. */
export function boundValue(value: SqlValue): unknown {
  const items: unknown = value;
  return Array.isArray(items) && items.every(isElement) ? `{${items.map(elementOf).join(',')}}` : value;
}

/** Columns of some rows have no value. */
const isElement = (item: unknown): item is string | null => typeof item === 'string' || item === null;

/** JSON escapes quotes and backslashes alike, much faster, and of a well-formed text nothing else but control characters. */
function elementOf(text: string | null): string {
  if (text === null) return 'NULL';
  return CONTROL.test(text) ? `"${text.replace(/["\\]/g, '\\$&')}"` : JSON.stringify(text);
}
