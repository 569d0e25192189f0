// The input of a call as a person can check it: parsed, indented, and byte by byte. Pure.
import { isObject, type JsonObject } from '@svc/shared/json';

export type ReadInput =
  | { readonly kind: 'object'; readonly value: JsonObject }
  /** Valid JSON, but no possible input of a tool. */
  | { readonly kind: 'other'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly problem: string }
  | { readonly kind: 'empty' };

/** Longer texts are not parsed while somebody waits; they are shown raw and can be downloaded. */
const PARSED_MAX_CHARS = 4 * 1024 * 1024;

/** Far more than a server accepts: recursion over a JSON value stays far from the stack's limit. */
const DEPTH_MAX = 200;

/** Counts brackets: a text is checked before it is parsed. */
function isBottomless(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted && char === '\\') at += 1;
    else if (char === '"') quoted = !quoted;
    else if (!quoted && (char === '[' || char === '{')) depth += 1;
    else if (!quoted && (char === ']' || char === '}')) depth -= 1;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}

export function readInput(text: string): ReadInput {
  if (text === '') return { kind: 'empty' };
  if (text.length > PARSED_MAX_CHARS) return { kind: 'invalid', problem: 'The input is too large to show as JSON.' };
  if (isBottomless(text)) return { kind: 'invalid', problem: `It is nested deeper than ${DEPTH_MAX} levels.` };
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { kind: 'object', value: value as JsonObject } : { kind: 'other', value };
  } catch (error) {
    return { kind: 'invalid', problem: error instanceof Error ? error.message : 'The text is not JSON.' };
  }
}

export interface HexLine {
  /** Eight hex digits. */
  readonly offset: string;
  readonly hex: string;
  /** One character per byte; a dot replaces all but printable ASCII. */
  readonly ascii: string;
}

const PER_LINE = 16;

/** The UTF-8 of the text, 16 bytes a line, from `from` on. */
export function hexLines(bytes: Uint8Array, from: number, lines: number): HexLine[] {
  const result: HexLine[] = [];
  for (let at = from; at < bytes.length && result.length < lines; at += PER_LINE) {
    const row = [...bytes.subarray(at, at + PER_LINE)];
    result.push({
      offset: at.toString(16).padStart(8, '0'),
      hex: row.map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
      ascii: row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join(''),
    });
  }
  return result;
}

export const HEX_LINE_BYTES = PER_LINE;
