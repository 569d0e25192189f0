// Retries of failed messages and attempts, and the end phases of failures.
import { backoffMs } from '@svc/shared/backoff';
import type { Disposition, EndPhase, Failure } from './entries.ts';
import type { MessageRetryPolicy, TaskSnapshot } from './snapshot.ts';

/** Failures that end the whole Task as Failed, whatever joins or routes follow the agent. */
const ENDS_TASK: ReadonlySet<string> = new Set([
  'permission_denied',
  'policy_violation',
  'token_budget_exceeded',
  'approval_denied',
  'approval_timeout',
]);

export function endsTask(failure: Failure): boolean {
  return ENDS_TASK.has(failure.code);
}

export function isRetryable(failure: Failure, policy: MessageRetryPolicy): boolean {
  return failure.retryable && !policy.nonRetryable.some((word) => isNamedBy(failure, word));
}

/** A word names a failure by its code, its reason, or a part of its message. An empty one names none. */
function isNamedBy({ code, reason, message }: Failure, word: string): boolean {
  return word !== '' && (word === code || word === reason || message.includes(word));
}

/**
 * Tries of one message within an attempt of the Task. From a budget of the Task, further tries are further attempts; a failure that does not
 * end the attempt is followed by none, so what is left of the budget is spent within this one.
 */
export function messageTries({ inherited, maxAttempts }: MessageRetryPolicy, attempt: number, endsAttempt: boolean): number {
  if (!inherited) return maxAttempts;
  return endsAttempt ? 1 : maxAttempts - attempt + 1;
}

/** The wait before the next attempt of the Task: as for a message, without spread. */
export function taskBackoffMs(task: Pick<TaskSnapshot, 'retry' | 'messageRetry'>, attempt: number, failure: Failure): number {
  const rule = { backoffMs: task.retry.backoffMs, maxBackoffMs: task.messageRetry.maxBackoffMs, jitter: 'none' } as const;
  return backoffMs(rule, { failures: attempt, random: 0, retryAfterMs: failure.retry_after_ms });
}

/** End of an attempt on an unhandled failure. */
export function fatalDisposition(failure: Failure, retryable: boolean): Extract<Disposition, { kind: 'fatal' }> {
  const phase: EndPhase = retryable || failure.code === 'contract_violation' ? 'DeadLetter' : 'Failed';
  return { kind: 'fatal', phase, retry_task: retryable };
}
