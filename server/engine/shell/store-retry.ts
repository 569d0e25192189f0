// Store retries of a worker that holds a claim: while the store is unavailable it waits and tries again, as long as the claim may be its own.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { isUnavailable } from '@svc/shared/errors';
import type { Clock } from '../../clock.ts';
import { WriteRace } from '../../store/write-race.ts';

const WAIT: BackoffRule = { backoffMs: 250, maxBackoffMs: 5_000, jitter: 'equal' };
/** Lost races in a row before the caller receives the error. */
const RACES_MAX = 8;

export interface StoreRetry {
  readonly clock: Clock;
  /** In [0, 1); spreads the tries of many runs. */
  readonly random: () => number;
  /** Aborted once the claim is lost: there is nothing left to wait for. */
  readonly lost: AbortSignal;
  /** Aborted when the worker stops; it then waits until `stopBy` at most. */
  readonly stopping: AbortSignal;
  readonly stopBy: () => number;
}

/**
 * Runs `attempt` until it succeeds. After a lost race it runs again at once, after `unavailable` when a while has passed: 250 ms doubling
 * to 5 s, spread. Throws everything else, the reason of `lost`, and the last error once the worker has no more time.
 */
export async function retryUnavailableStore<T>(storeRetry: StoreRetry, attempt: () => Promise<T>): Promise<T> {
  let races = 0;
  for (let failures = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      storeRetry.lost.throwIfAborted();
      if (error instanceof WriteRace && races < RACES_MAX) races += 1;
      else if (isUnavailable(error) && hasTime(storeRetry)) await pause(storeRetry, (failures += 1));
      else throw error;
    }
  }
}

function hasTime({ clock, stopping, stopBy }: StoreRetry): boolean {
  return !stopping.aborted || clock.now() < stopBy();
}

async function pause({ clock, random, lost, stopping, stopBy }: StoreRetry, failures: number): Promise<void> {
  const spread = backoffMs(WAIT, { failures, random: random() });
  const wait = stopping.aborted ? Math.min(spread, Math.max(0, stopBy() - clock.now())) : spread;
  const ended = AbortSignal.any(stopping.aborted ? [lost] : [lost, stopping]);
  await clock.sleep(wait, ended).catch(() => undefined);
  lost.throwIfAborted();
}
