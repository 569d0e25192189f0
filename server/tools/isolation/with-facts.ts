// A failure together with the facts of where it happened, so that the trace has them.
import { CallError } from '../../engine/ports.ts';
import type { IsolationFacts } from './isolation.ts';

/** The same CallError with facts; what is no CallError, or has facts, passes. */
export function withFacts(error: unknown, facts: IsolationFacts): unknown {
  if (!(error instanceof CallError) || error.isolation !== undefined) return error;
  const { code, message, retryable, attempts, retryAfterMs, reason, cause } = error;
  return new CallError(code, message, {
    retryable,
    attempts,
    cause,
    isolation: facts,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(reason !== undefined && { reason }),
  });
}
