// Durable timers: takes the due items of a queue and handles each exactly once, in any number of processes side by side.
import { backoffMs, type BackoffRule } from '@svc/shared/backoff';
import { isUnavailable } from '@svc/shared/errors';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.ts';
import { entriesMax } from '../../entries-max.ts';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Claim, Store, StoreTransaction, WorkItem } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';
import type { Logger } from '../../log/log.ts';
import { createWakeUp } from '../../wake-up.ts';
import type { Loop } from './loop.ts';
import { createOutageLog } from './outage-log.ts';

/** Nothing: the item is finished. Otherwise it is due again at this moment (ms). */
type ItemOutcome = undefined | { readonly againAt: number };

/** One of the two ways to handle an item. */
export interface ItemHandling {
  /**
   * Runs in the transaction that also finishes the item: what it writes through `tx` happens exactly once, or not at all.
   * It awaits nothing but `tx` and may be run again after a lost race. A throw gives the item back to be tried later.
   */
  readonly handle?: ((tx: StoreTransaction, item: WorkItem, now: number) => Promise<ItemOutcome>) | undefined;
  /**
   * Works beside the store, such as by a request, under the item's claim; its result then runs in that transaction.
   * Its time is bounded well below the lease, and it runs again when the transaction is not committed.
   */
  readonly prepare?: ((key: string) => Promise<(tx: StoreTransaction, now: number) => Promise<ItemOutcome>>) | undefined;
}

export interface QueueConsumerOptions extends ItemHandling {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly queue: string;
  readonly owner: string;
  readonly leaseMs: number;
  /** Items handled at once. */
  readonly concurrency: number;
  /** Interval at which to poll for items without a wake-up. Default 10 s. */
  readonly safetyPollMs?: number;
}

export interface QueueConsumer extends Loop {
  /** Takes what is due, up to the concurrency, and resolves with how many once they are handled. */
  runOnce(): Promise<number>;
  /** Resolves when no item is being handled. */
  drain(): Promise<void>;
}

const SAFETY_POLL_DEFAULT_MS = 10_000;
/** Wait after a poll that the store did not answer. */
const STORE_RETRY_MS = 1_000;
const STORE_RETRY_MAX_MS = 5_000;
const BACKOFF: BackoffRule = { backoffMs: 1_000, maxBackoffMs: 300_000, jitter: 'equal' };
/** Failing items whose tries are remembered; past this the longest remembered one is forgotten. */
const REMEMBERED_MAX = 10_000;
/** Timers demand nothing of who handles them. */
const CAPABILITIES = { gpu: false, supportedModels: [], secrets: true };

export function createQueueConsumer(options: QueueConsumerOptions): QueueConsumer {
  const { store, clock, log, queue, owner, leaseMs } = options;
  const inHand = new Set<Promise<void>>();
  const failures = new LRUCache<string, number>(entriesMax(REMEMBERED_MAX));
  const outage = createOutageLog(log, 'taking due items', { queue });
  let stopping = false;
  /** The last poll got as many as it requested. */
  let moreLikely = false;
  let unsubscribe: (() => void) | undefined;

  const take = async (now: number): Promise<Promise<void>[]> => {
    const limit = options.concurrency - inHand.size;
    if (limit <= 0 || stopping) return [];
    const query = { queue, owner, now, leaseMs, limit, capabilities: CAPABILITIES };
    const claims = await transactAgain(store, (tx) => tx.claimWork(query));
    moreLikely = claims.length === limit;
    return claims.map((claim) => {
      const handled = handleItem(options, failures, claim).finally(() => {
        inHand.delete(handled);
        if (moreLikely) wakeUp.now();
      });
      inHand.add(handled);
      return handled;
    });
  };
  const wakeUp = createWakeUp({
    clock,
    pollMs: options.safetyPollMs ?? SAFETY_POLL_DEFAULT_MS,
    retryMs: STORE_RETRY_MS,
    retryMaxMs: STORE_RETRY_MAX_MS,
    onError: outage.failed,
    async tick() {
      // One moment for both: an item that comes due between them must not be skipped.
      const now = clock.now();
      void (await take(now));
      outage.worked();
      if (inHand.size >= options.concurrency) return undefined;
      return moreLikely ? now : store.nextWorkAt(queue, now);
    },
  });
  const drain = async (): Promise<void> => {
    while (inHand.size > 0) await Promise.all(inHand);
  };
  return {
    start() {
      unsubscribe ??= store.onCommit(({ queues }) => queues.has(queue) && wakeUp.now());
      wakeUp.start();
    },
    async stop() {
      stopping = true;
      await wakeUp.stop();
      await drain();
      unsubscribe?.();
    },
    async runOnce() {
      const taken = await take(clock.now());
      await Promise.all(taken);
      return taken.length;
    },
    drain,
  };
}

/** Never rejects. */
async function handleItem(options: QueueConsumerOptions, failures: LRUCache<string, number>, claim: Claim): Promise<void> {
  const { store, clock, log, queue } = options;
  try {
    const conclude = await options.prepare?.(claim.key);
    await transactAgain(store, async (tx) => {
      await tx.assertClaim(claim);
      const item = await tx.getWorkItem(queue, claim.key);
      const outcome = item && (await (conclude?.(tx, clock.now()) ?? options.handle?.(tx, item, clock.now())));
      if (!outcome) return tx.finishWork(claim);
      return tx.releaseWork(claim, { notBefore: outcome.againAt, rank: outcome.againAt });
    });
    failures.delete(claim.key);
  } catch (error) {
    if (error instanceof LeaseLost) return log.info({ queue, key: claim.key }, 'the lease of an item ran out before it was handled');
    const tries = (failures.get(claim.key) ?? 0) + 1;
    failures.set(claim.key, tries);
    const notBefore = clock.now() + backoffMs(BACKOFF, { failures: tries, random: options.random() });
    const level = isUnavailable(error) ? 'warn' : 'error';
    log[level]({ err: error, queue, key: claim.key, tries, again: new Date(notBefore).toISOString() }, 'an item could not be handled');
    await giveBack(options, claim, notBefore);
  }
}

/** When the store does not accept its return, the item comes back by itself at the end of its lease. */
async function giveBack({ store, log, queue }: QueueConsumerOptions, claim: Claim, notBefore: number): Promise<void> {
  try {
    await transactAgain(store, (tx) => tx.releaseWork(claim, { notBefore }));
  } catch (error) {
    if (!(error instanceof LeaseLost)) log.warn({ err: error, queue, key: claim.key }, 'an item could not be released');
  }
}
