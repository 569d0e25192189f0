// One leader among any number of processes: the holder of a lease on a work item. It is independent of a leader's work.
// Correctness rests on the fence: a leader's writes assert its claim in their own transaction. Giving up early only saves it useless work.
import type { Clock } from '../../clock.ts';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Claim, Store, WorkItem } from '../../store/store.ts';
import { racing, transactAgain } from '../../store/write-race.ts';
import type { Logger } from '../../log/log.ts';
import { createWakeUp } from '../../wake-up.ts';
import type { Loop } from './loop.ts';
import { createOutageLog, type OutageLog } from './outage-log.ts';

/** Leases of leaders; an item's key is the leader's name. */
export const LEADER_QUEUE = 'leader';

export interface LeaderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly name: string;
  /** Names this process; different in each. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Default a third of the lease. */
  readonly renewMs?: number;
  /**
   * Called for each term. Returns soon after `signal` aborts, which it does when the lease is lost, can no longer be trusted, or the process stops.
   * What it writes goes through `tx.assertClaim(claim)`. Returning or throwing before that gives the lease back.
   */
  readonly lead: (claim: Claim, signal: AbortSignal) => Promise<void>;
}

export interface Leader extends Loop {
  readonly leading: () => boolean;
}

/** Without a renewal for this part of the lease a leader stops: well before any other clock, skewed by up to the rest, sees the lease end. */
const TRUSTED_PART = 2 / 3;
const RENEW_PART = 1 / 3;
const RETRY_PART = 1 / 20;
/** Interval at which a waiting process checks the lease without a notice. */
const SAFETY_POLL_MS = 30_000;

export function createLeader(options: LeaderOptions): Leader {
  const { store, clock, log, name } = options;
  const stopped = new AbortController();
  const retryMs = options.leaseMs * RETRY_PART;
  const outage = createOutageLog(log, 'electing a leader', { leader: name });
  const observe = createLeaseObserver(options);
  let term: AbortController | undefined;
  let unsubscribe: (() => void) | undefined;

  const serve = async (claim: Claim): Promise<void> => {
    const about = { leader: name, owner: claim.owner, fence: claim.fence };
    const over = (term = new AbortController());
    if (stopped.signal.aborted) over.abort();
    log.info({ ...about, takeover: claim.takeover }, 'elected leader');
    const kept = keepLease(options, claim, over);
    try {
      await options.lead(claim, over.signal);
    } catch (error) {
      log.error({ ...about, err: error }, 'the leader failed');
    }
    const pauseMs = over.signal.aborted ? 0 : options.leaseMs * RENEW_PART;
    over.abort();
    term = undefined;
    await kept;
    // No moment where there is no pause: this clock may be ahead of the others.
    await resign(options, claim, pauseMs === 0 ? 0 : clock.now() + pauseMs);
    log.info(about, 'no longer leader');
  };
  const wakeUp = createWakeUp({
    clock,
    pollMs: SAFETY_POLL_MS,
    retryMs,
    onError: outage.failed,
    async tick() {
      if (stopped.signal.aborted) return undefined;
      const item = await store.getWorkItem(LEADER_QUEUE, name);
      const freeAt = observe(item);
      const isFree = freeAt <= clock.now();
      const claim = isFree ? await elect(options, item) : undefined;
      // A full disk still serves the read above.
      outage.worked();
      if (!isFree) return freeAt;
      if (claim) await serve(claim);
      return clock.now() + (claim ? 0 : retryMs);
    },
  });
  return {
    start() {
      unsubscribe ??= store.onCommit(({ queues }) => queues.has(LEADER_QUEUE) && wakeUp.now());
      wakeUp.start();
    },
    async stop() {
      stopped.abort();
      term?.abort();
      await wakeUp.stop();
      unsubscribe?.();
    },
    leading: () => term !== undefined && !term.signal.aborted,
  };
}

/** Time from which the lease may be taken, by the clock that wrote it. */
const freeFrom = (item: WorkItem | undefined): number => (item?.owner === undefined ? item?.notBefore : item.leaseUntil) ?? 0;

/**
 * Time from which the lease may be taken, by this clock. One that lies further ahead than a lease lasts was written by a clock that was wrong
 * or with a longer lease, or this clock was set back: it is over once nobody has changed it for the time of a lease.
 */
function createLeaseObserver({ clock, log, name, leaseMs }: LeaderOptions): (item: WorkItem | undefined) => number {
  let seen: { readonly lease: string; readonly at: number } | undefined;
  return (item) => {
    const now = clock.now();
    const freeAt = freeFrom(item);
    if (freeAt <= now + leaseMs) {
      seen = undefined;
      return freeAt;
    }
    if (!seen)
      log.warn(
        { leader: name, until: new Date(freeAt).toISOString() },
        'the lease of the leader ends later than a lease of this server: a clock is or was wrong, or --task-lease-duration differs',
      );
    const lease = `${item?.fence} ${freeAt}`;
    if (seen?.lease !== lease || seen.at > now) seen = { lease, at: now };
    return seen.at + leaseMs;
  };
}

/** Takes the lease as it was seen, or returns undefined when another process took it first. */
function elect({ store, clock, name, owner, leaseMs }: LeaderOptions, seen: WorkItem | undefined): Promise<Claim | undefined> {
  // A claim takes any item of the queue whose demand it meets; demanding the leader's own name leaves only one.
  const item = { queue: LEADER_QUEUE, key: name, namespace: '', name, rank: 0, notBefore: 0, requirements: { model: name } };
  const capabilities = { gpu: false, supportedModels: [name], secrets: false };
  const now = clock.now();
  const ahead = freeFrom(seen) > now;
  return transactAgain(store, async (tx) => {
    const stored = await tx.getWorkItem(LEADER_QUEUE, name);
    if (!stored) await racing(tx.enqueueWork(item));
    if (ahead && (stored?.fence !== seen?.fence || freeFrom(stored) !== freeFrom(seen))) return undefined;
    const query = { queue: LEADER_QUEUE, owner, leaseMs, limit: 1, capabilities };
    const [claim] = await tx.claimWork({ ...query, now: ahead ? freeFrom(seen) : now });
    if (!claim || !ahead) return claim;
    await tx.renewWork([claim], now + leaseMs);
    return { ...claim, leaseUntil: now + leaseMs };
  });
}

/** Renews until the term is over, and ends it once the lease is lost or has gone too long without a renewal. Resolves when both have stopped. */
async function keepLease(options: LeaderOptions, claim: Claim, over: AbortController): Promise<void> {
  const { clock, log, leaseMs, name } = options;
  // Counted from before the request: the store may have taken it at any moment before its answer.
  let trustedUntil = claim.leaseUntil - leaseMs * (1 - TRUSTED_PART);
  const giveUp = (message: string): void => {
    if (over.signal.aborted) return;
    log.warn({ leader: name, owner: claim.owner, fence: claim.fence }, message);
    over.abort(new LeaseLost(claim.key, claim.fence));
  };
  const watch = async (): Promise<void> => {
    while (!over.signal.aborted) {
      if (clock.now() >= trustedUntil) return giveUp('the leader could not renew its lease in time and stops');
      await clock.sleep(trustedUntil - clock.now(), over.signal).catch(() => undefined);
    }
  };
  const outage = createOutageLog(log, 'renewing the lease of the leader', { leader: name });
  const renew = async (): Promise<void> => {
    let waitMs = options.renewMs ?? leaseMs * RENEW_PART;
    for (;;) {
      await clock.sleep(waitMs, over.signal).catch(() => undefined);
      const askedAt = clock.now();
      // Past the trusted time too: where the clock was set ahead, the lease may still be this leader's.
      if (over.signal.aborted) return;
      const outcome = await renewOnce(options, claim, { now: askedAt, outage });
      if (outcome === 'lost') return giveUp('the lease of the leader was taken over');
      if (outcome === 'kept') trustedUntil = askedAt + leaseMs * TRUSTED_PART;
      waitMs = outcome === 'kept' ? (options.renewMs ?? leaseMs * RENEW_PART) : leaseMs * RETRY_PART;
    }
  };
  await Promise.all([watch(), renew()]);
}

interface Renewal {
  readonly now: number;
  readonly outage: OutageLog;
}

async function renewOnce({ store, leaseMs }: LeaderOptions, claim: Claim, { now, outage }: Renewal): Promise<'kept' | 'lost' | 'unknown'> {
  try {
    const kept = await transactAgain(store, (tx) => tx.renewWork([claim], now + leaseMs));
    outage.worked();
    return kept.includes(claim.key) ? 'kept' : 'lost';
  } catch (error) {
    outage.failed(error);
    return 'unknown';
  }
}

/** Gives the lease back, so that another process need not wait for its end. */
async function resign({ store, log, name }: LeaderOptions, claim: Claim, notBefore: number): Promise<void> {
  try {
    await transactAgain(store, (tx) => tx.releaseWork(claim, { notBefore }));
  } catch (error) {
    if (!(error instanceof LeaseLost)) log.warn({ err: error, leader: name }, 'the lease of the leader could not be released');
  }
}
