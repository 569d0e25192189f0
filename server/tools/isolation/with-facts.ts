// A failure together with the facts of where it happened, so that the trace has them.
import { CallError } from '../../engine/ports.ts';
import type { IsolationFacts } from './isolation.ts';

/** The same CallError with facts; any other error, or one with facts, is returned unchanged. */
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
