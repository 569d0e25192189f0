// Claim times of a worker: at once on a notice, at the moment an item or a lease is due, and at intervals in case a notice was lost.
import type { Clock } from '../clock.ts';
import { claimRuns, type OpenContext } from '../engine/shell/open-run.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import type { ClaimQuery, Store } from '../store/store.ts';
import type { Logger } from '../log/log.ts';
import { createWakeUp, type WakeUp } from '../wake-up.ts';
import type { Holdings } from './holdings.ts';

/** Longest interval between polls; a third of the lease where that is shorter, so that each expiring lease of others is read before it ends. */
const SAFETY_POLL_MAX_MS = 5_000;
/** Time to the next poll after one that found work. */
const BUSY_LOOK_MS = 100;
const SPACING_DOUBLINGS_MAX = 4;
/** Wait after a failed claim, doubling with each. */
const RETRY_MS = 1_000;
const RETRY_MAX_MS = 10_000;

/** Claiming worker and the work it may take. */
export interface Claimant {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly id: string;
  /** Asked at each claim: both may change while the worker runs. */
  readonly capabilities: () => ClaimQuery['capabilities'];
  readonly maxConcurrentTasks: () => number;
  readonly leaseMs: number;
  /** Interval of claims without a notice. Default: 5 s, or a third of the lease. */
  readonly safetyPollMs?: number;
  /** Least time between two polls, doubling up to 16 times while they find nothing: every commit wakes all workers of a store, and one is enough. Default 0. */
  readonly claimSpacingMs?: number;
}

export interface ClaimLoop extends WakeUp {
  /** Claims once, up to the free slots. */
  readonly claimOnce: () => Promise<number>;
  /** A slot is free: polls again if more items may be ready than were claimed. */
  readonly freed: () => void;
  /** Slots become free with the commit that is being made: the claim that fills them may share it. */
  readonly freeing: () => void;
  /** Tasks claimed so far. */
  readonly claimed: () => number;
}

export interface ClaimLoopOptions {
  readonly worker: Claimant;
  readonly context: OpenContext;
  readonly holdings: Holdings;
  /** Renews the leases of what is held. Never rejects. */
  readonly renew: () => Promise<unknown>;
  /** Aborted when nothing more is to be claimed. */
  readonly stopping: AbortSignal;
}

export function createClaimLoop({ worker, context, holdings, renew, stopping }: ClaimLoopOptions): ClaimLoop {
  const { store, clock, log, id, leaseMs } = worker;
  // Nothing is claimed beside a run on its last chance: what dies with it would come into doubt as well.
  const free = () => (holdings.alone() ? 0 : worker.maxConcurrentTasks() - holdings.running());
  let away = false;
  let emptyLooks = 0;
  let total = 0;
  /** Items may have been left in the queue for lack of a free slot. */
  let leftSome = false;
  const claimOnce = async (): Promise<number> => {
    await holdings.forgiveLost();
    const limit = free();
    leftSome = limit <= 0;
    if (limit <= 0 || stopping.aborted) return 0;
    // After a sleep of the machine this worker's own leases have expired by the clock: a claim would take its own runs over and repeat their calls.
    if (holdings.leasedUntil() <= clock.now()) await renew();
    const capabilities = { ...worker.capabilities(), alone: !holdings.inDoubt() };
    const query = { owner: id, capabilities, leaseMs, limit, leasedUntil: holdings.leasedUntil };
    const claimed = await holdings.claim(() => claimRuns(context, query));
    leftSome = claimed === limit;
    total += claimed;
    emptyLooks = claimed > 0 ? 0 : emptyLooks + 1;
    return claimed;
  };
  const tick = async (): Promise<number | undefined> => {
    const limit = free();
    leftSome = limit <= 0;
    if (leftSome) {
      await holdings.forgiveLost();
      return undefined;
    }
    // Taken before the claim: work that becomes due between the two polls must not be skipped.
    const lookedAt = clock.now();
    const claimed = await claimOnce();
    if (away) log.info({ worker: id }, 'the worker claims again');
    away = false;
    if (free() <= 0) return undefined;
    if (claimed === limit) return clock.now();
    // Where some work was, more is likely, and what is due is requested once it dries up.
    return claimed > 0 ? lookedAt + BUSY_LOOK_MS : store.nextWorkAt(TASK_QUEUE, lookedAt);
  };
  const wakeUp = createWakeUp({
    clock,
    tick,
    spacingMs: () => (worker.claimSpacingMs ?? 0) * 2 ** Math.min(emptyLooks, SPACING_DOUBLINGS_MAX),
    pollMs: worker.safetyPollMs ?? Math.min(SAFETY_POLL_MAX_MS, leaseMs / 3),
    retryMs: RETRY_MS,
    retryMaxMs: RETRY_MAX_MS,
    onError(error) {
      // An outage is one line of the log, not one for each try.
      if (!away) log.warn({ err: error, worker: id }, 'the worker could not claim; it tries again');
      away = true;
    },
  });
  const freed = () => {
    if (leftSome) wakeUp.now();
  };
  let scheduled: NodeJS.Immediate | undefined;
  const freeing = () => {
    // Ends of the same turn of the event loop are followed by one claim.
    scheduled ??= setImmediate(() => {
      scheduled = undefined;
      freed();
    });
  };
  return { ...wakeUp, claimOnce, freed, freeing, claimed: () => total };
}
