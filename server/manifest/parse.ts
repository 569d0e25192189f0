// JSON and YAML text from anyone, parsed defensively into plain JSON values for the API; svcctl shares its limits of structure (structure.ts).
// Independent of any kind; callers check the meaning of a document.
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@svc/shared/errors';
import { JSON_VALUES_MAX, passedLimit } from '@svc/shared/json-text';
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

/** Throws for JSON text that would take long to parse and to check: `invalid` for its depth, `too_large` for its number of values. */
export function refuseOversize(text: string): void {
  const limit = passedLimit(text, { values: JSON_VALUES_MAX, depth: DEPTH_MAX });
  if (limit === 'depth') throw structureError('', depthProblem(DEPTH_MAX + 1) ?? '');
  if (limit === 'values') throw new ServiceError('too_large', `The body holds more than ${JSON_VALUES_MAX} values; send it in parts`);
}

/** One JSON value (RFC 8259). Of repeated keys the last one counts. Throws `invalid` and `too_large`. */
export function parseJson(text: string): unknown {
  refuseOversize(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('invalid', `The body is not valid JSON: ${withoutExcerpt((cause as SyntaxError).message)}`, { cause });
  }
  checkStructure(value);
  return value;
}

/** The value of a text whose type the sender did not say, where it is JSON; undefined where it is not. Throws like parseJson. */
export function parseIfJson(text: string): { readonly value: unknown } | undefined {
  const isLarge = passedLimit(text, { values: JSON_VALUES_MAX, depth: DEPTH_MAX }) !== undefined;
  // A large text that begins otherwise is neither object nor list, so YAML decides.
  if (isLarge && !/^\s*[[{]/.test(text)) return undefined;
  if (isLarge) refuseOversize(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  checkStructure(value);
  return { value };
}
