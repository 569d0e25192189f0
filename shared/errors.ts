// The closed set of error codes every surface speaks, with one table that says what each means where.
// Adapters wrap foreign errors into ServiceError at their edge; nothing branches on message text.

/** How a caller may treat an error: `never` retry, retry `later` (the state may change), or `backoff` and retry. */
export type RetryClass = 'never' | 'later' | 'backoff';

interface ErrorTraits {
  readonly httpStatus: number;
  /** tRPC's name for it on the console's surface. */
  readonly trpcCode: string;
  /** JSON-RPC 2.0 code used on the A2A surface. */
  readonly jsonRpcCode: number;
  readonly retry: RetryClass;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/** HTTP status, tRPC code, JSON-RPC code, retry class and log level of each code. */
export const ERROR_TABLE = {
  invalid: { httpStatus: 400, trpcCode: 'BAD_REQUEST', jsonRpcCode: -32602, retry: 'never', logLevel: 'debug' },
  unauthorized: { httpStatus: 401, trpcCode: 'UNAUTHORIZED', jsonRpcCode: -32600, retry: 'never', logLevel: 'info' },
  forbidden: { httpStatus: 403, trpcCode: 'FORBIDDEN', jsonRpcCode: -32600, retry: 'never', logLevel: 'info' },
  not_found: { httpStatus: 404, trpcCode: 'NOT_FOUND', jsonRpcCode: -32001, retry: 'never', logLevel: 'debug' },
  method_not_allowed: { httpStatus: 405, trpcCode: 'METHOD_NOT_SUPPORTED', jsonRpcCode: -32601, retry: 'never', logLevel: 'debug' },
  timeout: { httpStatus: 408, trpcCode: 'TIMEOUT', jsonRpcCode: -32603, retry: 'backoff', logLevel: 'info' },
  conflict: { httpStatus: 409, trpcCode: 'CONFLICT', jsonRpcCode: -32600, retry: 'later', logLevel: 'debug' },
  gone: { httpStatus: 410, trpcCode: 'NOT_FOUND', jsonRpcCode: -32600, retry: 'never', logLevel: 'debug' },
  too_large: { httpStatus: 413, trpcCode: 'PAYLOAD_TOO_LARGE', jsonRpcCode: -32600, retry: 'never', logLevel: 'info' },
  unsupported_media_type: { httpStatus: 415, trpcCode: 'UNSUPPORTED_MEDIA_TYPE', jsonRpcCode: -32600, retry: 'never', logLevel: 'debug' },
  rate_limited: { httpStatus: 429, trpcCode: 'TOO_MANY_REQUESTS', jsonRpcCode: -32603, retry: 'backoff', logLevel: 'info' },
  internal: { httpStatus: 500, trpcCode: 'INTERNAL_SERVER_ERROR', jsonRpcCode: -32603, retry: 'backoff', logLevel: 'error' },
  unavailable: { httpStatus: 503, trpcCode: 'SERVICE_UNAVAILABLE', jsonRpcCode: -32603, retry: 'backoff', logLevel: 'warn' },
} as const satisfies Record<string, ErrorTraits>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** One offending field. `path` is dotted with indexes, `spec.edges[0].to`; the empty string is the whole object. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** The JSON body of every REST error. */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: readonly FieldError[];
  };
}

export interface ServiceErrorOptions {
  readonly details?: readonly FieldError[];
  readonly cause?: unknown;
  /** Seconds after which a retry may succeed; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** Extra response headers, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error with a code from the closed set. Its message is one sentence that says what, which object, and what to do; it never holds secrets or prompts. */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: readonly FieldError[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.headers = options.headers;
  }

  get httpStatus(): number {
    return ERROR_TABLE[this.code].httpStatus;
  }

  get logLevel(): ErrorTraits['logLevel'] {
    return ERROR_TABLE[this.code].logLevel;
  }

  toBody(): ErrorBody {
    return { error: { code: this.code, message: this.message, ...(this.details && { details: this.details }) } };
  }
}

/** Whether what failed may succeed later as it is: the database or a backend is away. */
export function isUnavailable(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'unavailable';
}

const SHOWN_FIELDS_MAX = 3;
/** Past this an answer would be larger than the body it is about; the message still counts all. */
const DETAILS_MAX = 1000;

/** A validation failure: names the first few fields in the message and up to 1000 of them in `details`. */
export function invalidFields(what: string, details: readonly FieldError[]): ServiceError {
  const shown = details.slice(0, SHOWN_FIELDS_MAX).map((d) => (d.path ? `${d.path} ${d.message}` : d.message));
  const more = details.length > SHOWN_FIELDS_MAX ? ` (and ${details.length - SHOWN_FIELDS_MAX} more)` : '';
  return new ServiceError('invalid', `${what} is invalid: ${shown.join('; ')}${more}`, { details: details.slice(0, DETAILS_MAX) });
}

/** Marks a programmer's error, never a user's. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant violated: ${message}`);
}
