// Errors of the client package as CallErrors. Decided by types and codes, never by message text.
import type { SdkError, SdkHttpError, ProtocolError } from '@modelcontextprotocol/client';
import { statusVerdict } from '../../egress/http-status.ts';
import { CallError } from '../../engine/ports.ts';
import { lost } from './stdio-transport.ts';

/** JSON-RPC codes after which the same call fails again. */
const PERMANENT: ReadonlySet<number> = new Set([-32600, -32601, -32602]);

/** Classes of the package, which is loaded when the first connection is made. */
export interface ErrorClasses {
  readonly SdkError: typeof SdkError;
  readonly SdkHttpError: typeof SdkHttpError;
  readonly ProtocolError: typeof ProtocolError;
}

/** `what` names the other side. */
export function toCallError(error: unknown, what: string, classes: ErrorClasses): CallError {
  const known = findCallError(error);
  if (known) return known;
  if (error instanceof classes.SdkHttpError) return httpError(error, what);
  if (error instanceof classes.SdkError) return sdkError(error, what);
  if (error instanceof classes.ProtocolError) {
    return new CallError('execution_failed', `${what} answered with error ${error.code}: ${error.message}`, {
      retryable: !PERMANENT.has(error.code),
      reason: error.code === -32602 ? 'invalid_params' : `rpc_${error.code}`,
      cause: error,
    });
  }
  return malformed(`${what} sent an answer that does not follow the protocol`, error);
}

function sdkError(error: SdkError, what: string): CallError {
  switch (String(error.code)) {
    case 'REQUEST_TIMEOUT':
      return new CallError('timeout', `${what} did not answer in time`, { retryable: true, reason: 'timeout', cause: error });
    case 'CONNECTION_CLOSED':
    case 'NOT_CONNECTED':
    case 'SEND_FAILED':
      return lost(`${what} closed the connection before it answered`);
    case 'UNSUPPORTED_RESULT_TYPE':
    case 'INPUT_REQUIRED_ROUNDS_EXCEEDED':
      return new CallError('execution_failed', `${what} requested input from a person or a model, which this service does not provide`, {
        retryable: false,
        reason: 'input_required',
        cause: error,
      });
    case 'ERA_NEGOTIATION_FAILED':
      return new CallError('execution_failed', `${what} speaks no protocol revision that this service or spec.protocol_version permits`, {
        retryable: false,
        reason: 'protocol_version',
        cause: error,
      });
    default:
      return malformed(`${what} sent an answer that does not follow the protocol (${String(error.code)})`, error);
  }
}

function httpError(error: SdkHttpError, what: string): CallError {
  const { code, retryable } = statusVerdict(error.status);
  // The body may quote the credentials.
  return new CallError(code, `${what} answered HTTP ${error.status}`, { retryable, reason: `http_${error.status}`, cause: error });
}

function findCallError(error: unknown): CallError | undefined {
  if (error instanceof CallError) return error;
  return error instanceof Error && error.cause !== undefined ? findCallError(error.cause) : undefined;
}

function malformed(message: string, cause: unknown): CallError {
  return new CallError('malformed_response', message, { retryable: false, reason: 'protocol', cause });
}
