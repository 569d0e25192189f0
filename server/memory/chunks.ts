// Segments of a document, each overlapping the one before it, and their keys. Pure.

/** Beginning of the keys of a source's segments; four or more digits follow. */
export const segmentPrefix = (source: string): string => `${source}/chunk-`;

/** Segments among known keys with this prefix that are not put again. */
export function replacedSegments(
  known: readonly string[],
  { prefix, puts }: { readonly prefix: string; readonly puts: readonly { readonly key: string }[] },
): string[] {
  const kept = new Set(puts.map(({ key }) => key));
  return known.filter((key) => /^\d{4,}$/.test(key.slice(prefix.length)) && !kept.has(key));
}

export interface ChunkRule {
  /** Characters of a segment. */
  readonly size: number;
  /** Characters that it shares with the one before; less than `size`. */
  readonly overlap: number;
}

/** Upper bound of the segments of a text. */
export const chunkCount = (length: number, { size, overlap }: ChunkRule): number =>
  length === 0 ? 0 : Math.max(1, Math.ceil((length - overlap) / (size - overlap)));

/** No segment begins or ends within a surrogate pair. */
export function chunksOf(text: string, { size, overlap }: ChunkRule): string[] {
  const chunks: string[] = [];
  for (let start = 0; start < text.length;) {
    const end = Math.min(text.length, start + size);
    const stop = whole(text, end);
    const chunk = text.slice(start, stop > start ? stop : end + 1);
    chunks.push(chunk);
    if (end >= text.length) break;
    start = Math.max(start + 1, whole(text, start + size - overlap));
    if (isLowSurrogate(text, start)) start += 1;
  }
  return chunks;
}

/** The offset, or the one before it when it would split a surrogate pair. */
const whole = (text: string, place: number): number => (isLowSurrogate(text, place) ? place - 1 : place);

function isLowSurrogate(text: string, place: number): boolean {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code <= 0xdfff && place > 0;
}
