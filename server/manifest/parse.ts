// JSON and YAML text from anyone, parsed defensively into plain JSON values for the API; svcctl shares its limits of structure (structure.ts).
// Knows no kind: what a document means is for others to check. Source: DECISIONS section 2 "Bodies".
import { isUtf8 } from 'node:buffer';
import { ServiceError } from '@svc/shared/errors';
import { checkStructure } from './structure.ts';
import { parseYamlDocuments } from './yaml.ts';

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

/** One JSON value (RFC 8259). Of repeated keys the last one counts. Throws `invalid`. */
export function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('invalid', `The body is not valid JSON: ${withoutExcerpt((cause as SyntaxError).message)}`, { cause });
  }
  checkStructure(value);
  return value;
}

/** Text whose type the sender did not say: JSON when it parses as JSON, else YAML. Returns the documents it holds. */
export function parseUntyped(text: string): unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return parseYamlDocuments(text);
  }
  checkStructure(value);
  return [value];
}
