// JSON and YAML text from anyone, parsed defensively into plain JSON values for the API; svcctl shares its limits of structure (structure.ts).
// Independent of any kind; callers check the meaning of a document.
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@svc/shared/errors';
import { JSON_VALUES_MAX, measure, repeatedKeys, type JsonMeasure } from '@svc/shared/json-text';
import { checkStructure, DEPTH_MAX, depthProblem, structureError } from './structure.ts';

const BYTE_ORDER_MARK = 0xfeff;

/** Bytes to text. Anything but UTF-8 is `invalid`; a byte order mark is dropped. */
export function decodeUtf8(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new ServiceError('invalid', 'The body is not valid UTF-8 text');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** V8's message without the piece of the text it quotes, which may hold a secret. */
function withoutExcerpt(message: string): string {
  return message.replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '').replace(/ is not valid JSON$/s, '');
}

export interface ParsedJson {
  /** Holds the last value of a repeated key. */
  readonly value: unknown;
  /** Paths of the first repeated keys. */
  readonly repeated: readonly string[];
}

const LIMITS = { values: JSON_VALUES_MAX, depth: DEPTH_MAX };
const REPEATED_SHOWN_MAX = 20;

/** Throws for JSON text that would take long to parse and to check: `invalid` for its depth, `too_large` for its number of values. */
export function refuseOversize(text: string, { passed }: JsonMeasure = measure(text, LIMITS)): void {
  if (passed === 'depth') throw structureError('', depthProblem(DEPTH_MAX + 1) ?? '');
  if (passed === 'values') throw new ServiceError('too_large', `The body holds more than ${JSON_VALUES_MAX} values; send it in parts`);
}

/** The text is searched for repeated keys only where it has more keys than its value. */
function checked(value: unknown, text: string, { keys }: JsonMeasure): ParsedJson {
  return { value, repeated: checkStructure(value) < keys ? repeatedKeys(text, REPEATED_SHOWN_MAX) : [] };
}

/** One JSON value (RFC 8259). Of repeated keys the last one counts. Throws `invalid` and `too_large`. */
export const parseJson = (text: string): unknown => parseJsonKeys(text).value;

/** As `parseJson`, with its repeated keys. */
export function parseJsonKeys(text: string): ParsedJson {
  const measured = measure(text, LIMITS);
  refuseOversize(text, measured);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('invalid', `The body is not valid JSON: ${withoutExcerpt((cause as SyntaxError).message)}`, { cause });
  }
  return checked(value, text, measured);
}

/** The value of a text whose type the sender did not say, where it is JSON; undefined where it is not. Throws like parseJson. */
export function parseIfJson(text: string): ParsedJson | undefined {
  const measured = measure(text, LIMITS);
  const isLarge = measured.passed !== undefined;
  // A large text that begins otherwise is neither object nor list, so YAML decides.
  if (isLarge && !/^\s*[[{]/.test(text)) return undefined;
  if (isLarge) refuseOversize(text, measured);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return checked(value, text, measured);
}
