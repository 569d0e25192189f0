// Types of the texts that a request carries outside its body: what each may hold, and its schema. Pure.
// Paths, queries, headers and the console's inputs declare their texts by these types; one check at the edge applies them.
import { MEMORY_KEY_MAX_BYTES, MEMORY_QUERY_MAX_CHARS, memoryKeyProblem, memoryQueryProblem } from '@svc/shared/memory-limits';
import { objectRef } from '@svc/shared/kinds/field-rules';
import { parseRfc3339 } from '@svc/shared/rfc3339';
import { NAME_PATTERN, nameProblem, NAMESPACE_PATTERN, namespaceProblem } from '@svc/shared/resource';
import { USER_NAME_PATTERN, userNameProblem } from '@svc/shared/user-name';
import type { JsonSchema } from './route.ts';

export interface TextType {
  readonly schema: JsonSchema;
  /** Reason why the text does not have this type, as a sentence that follows the name of its place; undefined when it has. */
  readonly problem: (text: string) => string | undefined;
}

const CONTROL = /[\p{Cc}\p{Surrogate}]/u;

/** Any text of a bounded length without control characters. */
export function plainText(maxLength: number): TextType {
  return {
    schema: { type: 'string', maxLength },
    problem(text) {
      if (text.length > maxLength) return `must be at most ${maxLength} characters`;
      return CONTROL.test(text) ? 'must not hold control characters' : undefined;
    },
  };
}

function pattern(expression: RegExp, message: string): TextType {
  return {
    schema: { type: 'string', pattern: expression.source },
    problem: (text) => (expression.test(text) ? undefined : message),
  };
}

/** The name of an object, a token or a worker. */
export const objectName: TextType = { schema: { type: 'string', pattern: NAME_PATTERN.source }, problem: nameProblem };
export const namespaceName: TextType = {
  schema: { type: 'string', pattern: NAMESPACE_PATTERN.source },
  problem: (text) => (text === '*' ? 'may be "*" only on lists and watches' : namespaceProblem(text)),
};

/** A namespace, or `*` for all of them. */
export const namespaceChoice: TextType = {
  schema: { type: 'string' },
  problem: (text) => (text === '*' ? undefined : namespaceProblem(text)),
};

/** `name` or `namespace/name`. */
export const objectReference: TextType = {
  schema: { type: 'string' },
  problem: (text) => (text === '' ? 'must not be blank' : objectRef('', text)[0]?.message),
};

/** A kind, an event type, the uid of an object, the id of a call. */
export const identifier = pattern(
  /^[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?$/,
  'must be 1 to 253 letters, digits, ".", "_", ":" or "-", beginning and ending with a letter or digit',
);

/** Types of events. */
export const eventTypes = pattern(
  /^[A-Za-z0-9][A-Za-z0-9._,-]{0,999}$/,
  'must be types of events with "," between them, at most 1000 characters',
);

/** RFC 3339. */
export const instant: TextType = {
  schema: { type: 'string', format: 'date-time' },
  problem: (text) => (parseRfc3339(text) === undefined ? 'must be an RFC 3339 time such as 2026-11-24T08:30:00Z' : undefined),
};

/** The number of a record. */
export const recordNumber = pattern(/^\d{1,16}$/, 'must be a whole number');

/** The name of a user. */
export const userName: TextType = { schema: { type: 'string', pattern: USER_NAME_PATTERN.source }, problem: userNameProblem };

/** The id of a sign-in. */
export const signInIdentifier = pattern(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits');

/** The version of an object. */
export const versionNumber = pattern(/^\d{1,32}$/, 'must be a decimal number');

/** The id of a public key. */
export const keyId = pattern(/^sha256:[0-9a-f]{16}$/, 'must be "sha256:" and 16 hexadecimal digits');

/** The name of a review. */
export const reviewName = pattern(/^sha256:[0-9a-f]{64}$/, 'must be "sha256:" and 64 hexadecimal digits');

/** Names of Secrets for others, `theirs=ours,…`. */
export const secretNames: TextType = {
  schema: { type: 'string', maxLength: 4096 },
  problem(text) {
    const isPair = (pair: string[]) => pair.length === 2 && pair.every((name) => nameProblem(name) === undefined);
    const fits = text.length <= 4096 && text.split(',').every((pair) => isPair(pair.split('=')));
    return fits ? undefined : 'must be pairs such as openai=team-openai, separated by commas';
  },
};

/** The `continue` of a page, or the id of a streamed entry. */
export const pageCursor = plainText(1200);

/** The key of an entry of a Memory. */
export const memoryKey: TextType = { schema: { type: 'string', minLength: 1, maxLength: MEMORY_KEY_MAX_BYTES }, problem: memoryKeyProblem };

/** The beginning of such keys, or the place in a list of them; it may be empty. */
export const memoryKeyPart: TextType = {
  schema: { type: 'string', maxLength: MEMORY_KEY_MAX_BYTES },
  problem: (text) => (text === '' || text === '.' || text === '..' ? undefined : memoryKeyProblem(text)),
};

/** Words to search for. */
export const memoryQuery: TextType = {
  schema: { type: 'string', maxLength: MEMORY_QUERY_MAX_CHARS },
  problem: (text) => (text === '' ? undefined : memoryQueryProblem(text)),
};

/** A label selector or a field selector. */
export const selector = plainText(4096);

/** The parameters of paths, by name: a route with another name is refused when the table of routes is built. */
export const PATH_TYPES: Readonly<Record<string, TextType>> = {
  name: objectName,
  model: plainText(512),
  request_id: identifier,
  endpoint_id: identifier,
  delivery_id: identifier,
  checkpoint_id: identifier,
  seq: recordNumber,
  generation: recordNumber,
  run: recordNumber,
  username: userName,
  id: identifier,
  key: memoryKey,
};
