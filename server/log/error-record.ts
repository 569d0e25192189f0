// An error as the log shows it: what it is, where it came from, what caused it, and nothing that a library hung on it (requests, rows, addresses with passwords).

import { ServiceError } from '@svc/shared/errors';

export interface ErrorRecord {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: ErrorRecord;
  /** Codes and places: see `SHOWN_FIELDS`. */
  readonly [field: string]: unknown;
}

/** Own fields of errors that are shown: codes of ours, of Node and of PostgreSQL, and where a connection went. Rows and queries stay out. */
const SHOWN_FIELDS = ['code', 'errno', 'syscall', 'address', 'port', 'severity', 'schema', 'table', 'constraint', 'routine', 'statusCode'];
const CAUSES_MAX = 4;
const MESSAGE_MAX_CHARS = 2_000;
const STACK_MAX_CHARS = 8_000;
const FIELD_MAX_CHARS = 200;

const HIDDEN = '***';

/** User and password of an address, within a word. */
const OF_ADDRESS = /(:\/\/)[^/?#@]*(?::[^@]*)?@/g;
/** Credentials by the form they have in texts: of headers, of connection strings. */
const CREDENTIALS: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{4,}/gi, `$1 ${HIDDEN}`],
  [/\b(password|passwd|pwd|api[_-]?key|access[_-]?token|token|secret|sslkey)(["']?\s*[=:]\s*["']?)[^\s"'&,;]+/gi, `$1$2${HIDDEN}`],
];

/** Searches up to the last @ only: from any place before it the search finds an end, and takes linear time. */
function withoutUser(word: string): string {
  const end = word.lastIndexOf('@') + 1;
  return `${word.slice(0, end).replace(OF_ADDRESS, `$1${HIDDEN}@`)}${word.slice(end)}`;
}

/** Hides what looks like a credential. */
export function withoutCredentials(text: string): string {
  const plain = text.replace(/[^\s'"`]+/g, withoutUser);
  return CREDENTIALS.reduce((shown, [form, hidden]) => shown.replace(form, hidden), plain);
}

/** Total: anything that may be thrown has a record. */
export function errorRecord(thrown: unknown, depth = 0, inside?: 'foreseen'): ErrorRecord {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: shown(String(thrown), MESSAGE_MAX_CHARS) };
  const { cause } = thrown;
  const stack = isForeseen(thrown) || (inside === 'foreseen' && 'code' in thrown) ? undefined : thrown.stack;
  return {
    type: thrown.name === 'Error' ? thrown.constructor.name : thrown.name,
    message: shown(thrown.message, MESSAGE_MAX_CHARS),
    ...shownFields(thrown),
    ...(stack !== undefined && { stack: shown(stack, STACK_MAX_CHARS) }),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: errorRecord(cause, depth + 1, isForeseen(thrown) ? 'foreseen' : undefined) }),
    ...(thrown instanceof AggregateError && depth < CAUSES_MAX && { errors: messagesOf(thrown, depth + 1) }),
  };
}

/** A refusal or an outage has a sentence of its own; its place in the code, or that of the system error (one with a `code`) behind it, would only hide it. */
function isForeseen(error: Error): boolean {
  return error instanceof ServiceError && error.logLevel !== 'error';
}

function messagesOf({ errors }: AggregateError, depth: number): string[] {
  return errors.slice(0, CAUSES_MAX).map((error) => errorRecord(error, depth).message);
}

function shown(text: string, maxChars: number): string {
  // Cut after hiding: half a credential would not be recognised.
  return withoutCredentials(text).slice(0, maxChars);
}

function shownFields(error: object): Record<string, string | number> {
  const own = error as Readonly<Record<string, unknown>>;
  const fields = SHOWN_FIELDS.flatMap((field): [string, string | number][] => {
    const value = own[field];
    if (typeof value === 'number') return [[field, value]];
    return typeof value === 'string' ? [[field, shown(value, FIELD_MAX_CHARS)]] : [];
  });
  return Object.fromEntries(fields);
}
