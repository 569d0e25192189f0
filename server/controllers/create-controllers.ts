// The background work of a server: what one process of all does (under a lease) and what any of them does (timers).
import type { Clock } from '../clock.ts';
import type { ExpireApproval } from '../engine/approvals/expiry.ts';
import { APPROVAL_EXPIRY_QUEUE } from '../engine/approvals/timers.ts';
import type { Registry } from '../registry/registry.ts';
import type { Claim, Store } from '../store/store.ts';
import type { Logger } from '../log/log.ts';
import { createPlacement } from './placement/controller.ts';
import { createLeader } from './runtime/leader.ts';
import type { Loop } from './runtime/loop.ts';
import { createQueueConsumer, type ItemHandling } from './runtime/queue-consumer.ts';
import { createWorkerHealth } from './worker-health/controller.ts';

export interface ControllersOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  /** Names this process; different in each. */
  readonly owner: string;
  /** Lease of leadership and of claimed timers without a renewal. */
  readonly leaseMs: number;
  /** A Worker without a heartbeat for this long is NotReady. */
  readonly workerTimeoutMs: number;
  readonly random: () => number;
  readonly registry: Pick<Registry, 'within'>;
  readonly expireApproval: ExpireApproval;
  /** Further timers that any server handles. */
  readonly timers?: readonly ({ readonly queue: string; readonly concurrency?: number } & ItemHandling)[];
  /** Further loops that only the leader runs; each is created for every term. */
  readonly leaderLoops?: readonly ((claim: Claim) => Loop)[];
  /** Loops under leases of their own, by the name of the lease: for work that not every server can do. */
  readonly leasedLoops?: Readonly<Record<string, (claim: Claim) => Loop>>;
}

export interface Controllers extends Loop {
  /** Whether this process is the leader now. */
  readonly leading: () => boolean;
}

const LEADER = 'controllers';
/** Each is one short transaction; others say how many there may be. */
const TIMERS_AT_ONCE = 8;
/** Workers report about three times within their timeout; two missed reports of all of them are not caused by a start. */
const PLACEMENT_GRACE_PART = 2 / 3;

export function createControllers(options: ControllersOptions): Controllers {
  const leader = createLeader({ ...options, name: LEADER, lead: (claim, signal) => runWhile(signal, leaderLoops(options, claim)) });
  const timers = (options.timers ?? []).map((timer) => createQueueConsumer({ ...options, concurrency: TIMERS_AT_ONCE, ...timer }));
  const leased = Object.entries(options.leasedLoops ?? {}).map(([name, make]) =>
    createLeader({ ...options, name, lead: (claim, signal) => runWhile(signal, [make(claim)]) }),
  );
  const loops: readonly Loop[] = [leader, ...leased, approvalExpiry(options), ...timers];
  return {
    start: () => loops.forEach((loop) => loop.start()),
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
    leading: leader.leading,
  };
}

/** Ends approvals that nobody decided in time. */
function approvalExpiry(options: ControllersOptions): Loop {
  return createQueueConsumer({
    ...options,
    queue: APPROVAL_EXPIRY_QUEUE,
    concurrency: TIMERS_AT_ONCE,
    async handle(tx, item, now) {
      await options.expireApproval(tx, item, now);
      return undefined;
    },
  });
}

function leaderLoops(options: ControllersOptions, claim: Claim): Loop[] {
  return [
    createWorkerHealth({ ...options, claim }),
    createPlacement({ ...options, claim, graceMs: options.workerTimeoutMs * PLACEMENT_GRACE_PART }),
    ...(options.leaderLoops ?? []).map((make) => make(claim)),
  ];
}

/** Resolves when all loops have ended, after `signal` has aborted. */
async function runWhile(signal: AbortSignal, loops: readonly Loop[]): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const loop of loops) loop.start();
  await aborted;
  await Promise.all(loops.map((loop) => loop.stop()));
}
