// Failure entry of a call. Adapters reject with CallError; any other error is a defect of theirs, recorded without its text, which may hold anything.
import type { Logger } from '../../log/log.ts';
import type { Failure } from '../core/entries.ts';
import { CallError } from '../ports.ts';

export function failureOfCall(log: Logger, error: unknown): Failure {
  if (!(error instanceof CallError)) {
    log.error({ err: error }, 'a call failed in an unforeseen way');
    return {
      code: 'execution_failed',
      reason: 'unforeseen',
      message: 'the call failed in an unforeseen way; the server log says more',
      retryable: true,
    };
  }
  const { code, message, retryable, reason, retryAfterMs } = error;
  return {
    code,
    message,
    retryable,
    ...(reason !== undefined && { reason }),
    ...(retryAfterMs !== undefined && { retry_after_ms: retryAfterMs }),
  };
}
