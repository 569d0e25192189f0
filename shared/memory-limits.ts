// Limits of Memory entries, and the rule of their keys. Pure.

export const MEMORY_KEY_MAX_BYTES = 512;
export const MEMORY_VALUE_MAX_BYTES = 256 * 1024;
export const MEMORY_INGEST_MAX_BYTES = 10 * 1024 * 1024;
/** Document that a person adds: one request, whose text may be longer as JSON. */
export const MEMORY_DOCUMENT_MAX_BYTES = 2 * 1024 * 1024;
/** Characters of a segment of a document, and those it shares with the one before, where nobody says otherwise. */
export const MEMORY_SEGMENT_CHARS = 1_000;
export const MEMORY_OVERLAP_CHARS = 200;
export const MEMORY_QUERY_MAX_CHARS = 8_192;
export const MEMORY_PAGE_DEFAULT = 100;
export const MEMORY_PAGE_MAX = 1_000;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Reason why a text cannot be a key, as a sentence that follows the name of its place; undefined when it can. */
export function memoryKeyProblem(key: string): string | undefined {
  if (key === '') return 'must not be empty';
  if (key.length > MEMORY_KEY_MAX_BYTES || bytesOf(key) > MEMORY_KEY_MAX_BYTES) return `must be at most ${MEMORY_KEY_MAX_BYTES} bytes`;
  if (!key.isWellFormed()) return 'must not hold an unpaired surrogate';
  if (key.includes('\0')) return 'must not hold the character U+0000';
  // A URL with such a segment, escaped or not, means the path above it.
  return key === '.' || key === '..' ? 'must not be "." or "..", which no address can hold' : undefined;
}

/** The same for a value. */
export function memoryValueProblem(value: string): string | undefined {
  if (value.length > MEMORY_VALUE_MAX_BYTES || bytesOf(value) > MEMORY_VALUE_MAX_BYTES)
    return `must be at most ${MEMORY_VALUE_MAX_BYTES} bytes; split it, or use memory.ingest`;
  return value.isWellFormed() ? undefined : 'must not hold an unpaired surrogate';
}

/** The same for a document that a person adds. */
export function memoryDocumentProblem(content: string): string | undefined {
  if (content.trim() === '') return 'must not be empty';
  if (content.length > MEMORY_DOCUMENT_MAX_BYTES || bytesOf(content) > MEMORY_DOCUMENT_MAX_BYTES)
    return 'must be at most 2 MiB; add it in parts, each a source of its own';
  return content.isWellFormed() ? undefined : 'must not hold an unpaired surrogate';
}

/** The same for the text of a search. */
export function memoryQueryProblem(query: string): string | undefined {
  if (query.trim() === '') return 'must not be blank';
  if (query.length > MEMORY_QUERY_MAX_CHARS) return `must be at most ${MEMORY_QUERY_MAX_CHARS} characters`;
  return query.isWellFormed() && !query.includes('\0') ? undefined : 'must not hold U+0000 or an unpaired surrogate';
}
