// Copies a CallError with some fields replaced. Pure.
import { CallError, type CallErrorCode, type CallErrorOptions } from '../engine/ports.ts';

export interface CallErrorChange extends Partial<CallErrorOptions> {
  readonly code?: CallErrorCode;
  readonly message?: string;
}

/** `cause: undefined` leaves the cause out. */
export function changedCallError(error: CallError, change: CallErrorChange): CallError {
  const { code, message, ...options } = { ...factsOf(error), cause: error.cause, ...change };
  return new CallError(code ?? error.code, message ?? error.message, options);
}

function factsOf({ retryable, attempts, retryAfterMs, reason, isolation, problems }: CallError): CallErrorOptions {
  return {
    retryable,
    attempts,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(reason !== undefined && { reason }),
    ...(isolation && { isolation }),
    problems,
  };
}
