// Call errors by gRPC status code (grpc.io "Status Codes"); the message is never read.
import { CallError, type CallErrorCode } from '../../engine/ports.ts';

type Verdict = readonly [name: string, code: CallErrorCode, retryable: boolean];

const VERDICTS: Readonly<Record<number, Verdict>> = {
  1: ['cancelled', 'execution_failed', true],
  2: ['unknown', 'execution_failed', false],
  3: ['invalid_argument', 'invalid_input', false],
  4: ['deadline_exceeded', 'timeout', true],
  5: ['not_found', 'execution_failed', false],
  6: ['already_exists', 'execution_failed', false],
  7: ['permission_denied', 'auth_forbidden', false],
  8: ['resource_exhausted', 'rate_limited', true],
  9: ['failed_precondition', 'execution_failed', false],
  10: ['aborted', 'execution_failed', true],
  11: ['out_of_range', 'invalid_input', false],
  12: ['unimplemented', 'unsupported_tool', false],
  13: ['internal', 'execution_failed', false],
  14: ['unavailable', 'execution_failed', true],
  15: ['data_loss', 'execution_failed', false],
  16: ['unauthenticated', 'auth_invalid', false],
};
/** Codes whose messages are not quoted: a server that refuses credentials often repeats them. */
const UNQUOTED: ReadonlySet<CallErrorCode> = new Set(['auth_invalid', 'auth_forbidden']);

export const UNIMPLEMENTED = 12;
export const RESOURCE_EXHAUSTED = 8;

export interface GrpcStatus {
  readonly code: number;
  /** Absent: the client could not read the answer. */
  readonly details?: string;
}

export function statusError({ code: status, details = '' }: GrpcStatus, title: string): CallError {
  const [name, code, retryable] = VERDICTS[status] ?? ['unknown', 'execution_failed', false];
  const said = UNQUOTED.has(code) ? '' : details.trim();
  return new CallError(code, `${title} answered ${name.toUpperCase()}${said === '' ? '' : `: ${said}`}`, {
    retryable,
    reason: `grpc_${name}`,
  });
}
