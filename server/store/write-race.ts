// Retries after conflicting writes of two transactions: one of them is run again.
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { ServiceError } from '@svc/shared/errors';
import { outsideFirst } from './outside-first.ts';
import type { Store, StoreTransaction, TransactionOptions } from './store.ts';

/** Rounds of reading and writing again after a lost race, before the caller gets an error: about 2 s of trying against a run that writes without a break. */
const RACE_ROUNDS_MAX = 30;
/** A race is over in the time of one commit. The pause is random, so that two transactions that met once do not meet again. */
const PAUSE: BackoffRule = { backoffMs: 4, maxBackoffMs: 160, jitter: 'full' };
/** Time limit of the rounds: a race may be lost slowly, by waiting for a lock in vain. */
const RACE_TIME_MAX_MS = 10_000;
const HELD = 'other writes hold the same object; try again';

/** Another transaction wrote first (or waits for this one): nothing of this one was kept, and it may be run again from its start. */
export class WriteRace extends ServiceError {
  override readonly name = 'WriteRace';

  constructor(cause: unknown) {
    super('conflict', cause instanceof ServiceError ? cause.message : 'another write of the same object came first; try again', { cause });
  }
}

/** Marks a write whose `conflict` or `not_found` means a race: the whole transaction is then run again, with new checks of its preconditions. */
export async function racing<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    const lost = error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found');
    throw lost && !(error instanceof WriteRace) ? new WriteRace(error) : error;
  }
}

/**
 * Runs `work` in one transaction, and again after each lost race and after work that has to be done outside first. `work` may run several times,
 * so it changes nothing but through `tx`. After the last round it rejects with the refusal behind the race, or with `unavailable` where
 * there is none: the caller may send the same write again, which `conflict` would tell it not to do.
 */
export async function transactAgain<T>(
  store: Pick<Store, 'transaction'>,
  work: (tx: StoreTransaction) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> {
  const began = performance.now();
  for (let round = 1; ; round += 1) {
    try {
      return await outsideFirst(() => store.transaction(work, options));
    } catch (error) {
      if (!(error instanceof WriteRace)) throw error;
      if (round >= RACE_ROUNDS_MAX || performance.now() - began > RACE_TIME_MAX_MS)
        throw error.cause instanceof ServiceError ? error.cause : new ServiceError('unavailable', HELD, { cause: error });
      await sleep(backoffMs(PAUSE, { failures: round, random: Math.random() }));
    }
  }
}
