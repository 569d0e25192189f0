// Text of an entry or a document: its size, whether it is JSON, segments, scores.
import { MEMORY_DOCUMENT_MAX_BYTES, MEMORY_OVERLAP_CHARS, MEMORY_SEGMENT_CHARS } from '@svc/shared/memory-limits';
import { formatBytes } from '../../../ui/status/format.ts';
import { readExactJson } from '../../../ui/text/exact-json.ts';

/** Upper bound of the segments of a document. */
export const segmentsOf = ({ length }: string): number =>
  Math.max(1, Math.ceil((length - MEMORY_OVERLAP_CHARS) / (MEMORY_SEGMENT_CHARS - MEMORY_OVERLAP_CHARS)));

/** Beginning of the keys of a source's segments. */
export const segmentPrefix = (source: string): string => `${source}/chunk-`;

/** Text of a chosen file. Rejects with a sentence for the person. */
export async function readDocument(file: Blob): Promise<string> {
  if (file.size > MEMORY_DOCUMENT_MAX_BYTES)
    throw new Error(`The file has ${formatBytes(file.size)}; at most ${formatBytes(MEMORY_DOCUMENT_MAX_BYTES)} can be added at once.`);
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('The file is not text in UTF-8. Convert it to plain text first.');
  }
}

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export interface JsonValue {
  readonly value: unknown;
}

/** Objects and lists only: a number or a word is read more easily as text. Undefined for other text, and where a number would change. */
export function jsonOf(text: string): JsonValue | undefined {
  const value = /^\s*[{[]/.test(text) ? readExactJson(text) : undefined;
  return value === undefined ? undefined : { value };
}

const score = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export const scoreText = (value: number): string => score.format(value);
