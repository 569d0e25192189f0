// Errors of JSON-RPC and of A2A: their codes, and their data in each dialect (A2A 1.0 sections 5.4 and 9.5).
import { ERROR_TABLE, type ServiceError } from '@svc/shared/errors';
import type { Dialect } from '../model.ts';

/** Codes by the reason that A2A 1.0 gives them. */
const CODES = {
  PARSE_ERROR: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL_ERROR: -32603,
  TASK_NOT_FOUND: -32001,
  TASK_NOT_CANCELABLE: -32002,
  AGENT_NOT_FOUND: -32003,
  PUSH_NOTIFICATION_NOT_SUPPORTED: -32003,
  UNSUPPORTED_OPERATION: -32004,
  CONTENT_TYPE_NOT_SUPPORTED: -32005,
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: -32007,
  VERSION_NOT_SUPPORTED: -32009,
} as const;

export type ErrorReason = keyof typeof CODES;

/** An answer with an error, over HTTP 200. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly reason: ErrorReason;
  /** Names only, no values of the request. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(reason: ErrorReason, message: string, fields: Readonly<Record<string, string>> = {}) {
    super(message);
    this.reason = reason;
    this.fields = fields;
  }

  get code(): number {
    return CODES[this.reason];
  }
}

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const A2A_CODE_MIN = -32099;
const A2A_CODE_MAX = -32001;
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';

/** The error as the dialect writes it. A2A 1.0 has an ErrorInfo in a list, the older ones a plain object with the task's id. */
export function errorObject(error: RpcError, dialect: Dialect): ErrorObject {
  const { code, message, reason, fields } = error;
  const isOwn = code >= A2A_CODE_MIN && code <= A2A_CODE_MAX;
  if (dialect === 'v1' && isOwn) {
    const metadata = Object.fromEntries(Object.entries(fields).map(([key, value]) => [camelCase(key), value]));
    const info = { '@type': ERROR_INFO, reason, domain: 'a2a-protocol.org', ...(Object.keys(metadata).length > 0 && { metadata }) };
    return { code, message, data: [info] };
  }
  return { code, message, ...(Object.keys(fields).length > 0 && { data: fields }) };
}

const camelCase = (key: string): string => key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Errors of the services behind the protocol. */
export function fromService(error: ServiceError): RpcError {
  if (error.code === 'invalid' || error.code === 'too_large') return new RpcError('INVALID_PARAMS', error.message);
  if (error.code === 'conflict') return new RpcError('UNSUPPORTED_OPERATION', error.message);
  if (error.code === 'not_found') return new RpcError('TASK_NOT_FOUND', error.message);
  return new RpcError('INTERNAL_ERROR', error.message);
}

/** Body of an answer that HTTP refuses; its id is null where no request was read. */
export function refusalBody(error: ServiceError, id: string | number | null): unknown {
  const { message, details } = error;
  return { jsonrpc: '2.0', id, error: { code: refusalCode(error), message, ...(details && { data: details }) } };
}

function refusalCode({ code }: ServiceError): number {
  if (code === 'forbidden') return CODES.AGENT_NOT_FOUND;
  if (code === 'unsupported_media_type') return CODES.CONTENT_TYPE_NOT_SUPPORTED;
  return ERROR_TABLE[code].jsonRpcCode;
}
