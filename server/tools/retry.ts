// Attempts of one tool call: which failures are retried and how long to wait. All attempts carry the same request id.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import type { Clock } from '../clock.ts';
import { canceled } from '../egress/deadline.ts';
import { CallError } from '../engine/ports.ts';
import { changedCallError } from './call-error.ts';

export interface RetryRule extends BackoffRule {
  readonly maxAttempts: number;
}

export interface Retrying {
  readonly rule: RetryRule;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Names the call in errors. */
  readonly what: string;
}

/** Runs `attempt` until it succeeds, fails for good, or the attempts are used up. The error that comes out says how many were made. */
export async function withRetries<T>({ rule, clock, random, signal, what }: Retrying, attempt: (n: number) => Promise<T>): Promise<T> {
  for (let n = 1; ; n += 1) {
    const result = await settle(attempt, n);
    if (result.ok) return result.value;
    const { error } = result;
    if (!error.retryable || n >= rule.maxAttempts) throw withAttempts(error, n);
    const wait = backoffMs(rule, { failures: n, random: random(), retryAfterMs: error.retryAfterMs });
    await clock.sleep(wait, signal).catch(() => {
      throw withAttempts(canceled(what, signal), n);
    });
  }
}

type SettledAttempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: CallError };

async function settle<T>(attempt: (n: number) => Promise<T>, n: number): Promise<SettledAttempt<T>> {
  try {
    return { ok: true, value: await attempt(n) };
  } catch (error) {
    if (error instanceof CallError) return { ok: false, error };
    throw error;
  }
}

function withAttempts(error: CallError, attempts: number): CallError {
  if (error.attempts === attempts) return error;
  return changedCallError(error, { attempts });
}
