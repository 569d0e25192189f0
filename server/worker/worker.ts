// A worker: claims Tasks up to its free slots, drives their runs, renews their leases, and gives them back when it stops.
// Woken by commits and by an exact timer; a slow poll is the safety net. It knows no rule of a run.
import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import type { DriveDeps } from '../engine/drive.ts';
import { claimRuns, type OpenContext } from '../engine/open-run.ts';
import type { ClaimQuery, CommitNotice, Store } from '../store/store.ts';
import type { Logger } from '../telemetry/log.ts';
import { createWakeUp } from '../wake-up.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createHoldings } from './holdings.ts';
import { bothObservers, createRunLog } from './run-log.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly drive: Omit<DriveDeps, 'store' | 'clock' | 'log'>;
  readonly id: string;
  /** Asked at each claim: both may change while the worker runs. */
  readonly capabilities: () => ClaimQuery['capabilities'];
  readonly maxConcurrentTasks: () => number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** How long tool calls in flight may take to end when the worker stops. Default 10 s. */
  readonly stopGraceMs?: number;
  /** How often to look for work that no wake-up told of. Default: 5 s, or a third of the lease. */
  readonly safetyPollMs?: number;
}

export interface Worker {
  start(): void;
  /** Claims nothing more, releases what it has at safe points. Idempotent; safe when never started. */
  stop(): Promise<void>;
  /** Claims once, up to the free slots; resolves when the claimed runs are under way with how many there are. */
  runOnce(): Promise<number>;
  /** Resolves when no run is under way. */
  drain(): Promise<void>;
  /** Looks for work soon: what it may claim has changed. Does nothing unless started. */
  wake(): void;
  /** Tasks this worker holds. */
  readonly held: () => number;
}

const STOP_GRACE_DEFAULT_MS = 10_000;
/** And at most a third of the lease, so that every lease of others that ends is known of before it does. */
const SAFETY_POLL_MAX_MS = 5_000;
/** Wait after a failed claim, doubling with each, and before a run that the store would not record is claimed again. */
const STORE_RETRY_MS = 1_000;
const STORE_RETRY_MAX_MS = 10_000;

export function createWorker(options: WorkerOptions): Worker {
  const { store, clock, log } = options;
  const stopping = new AbortController();
  // One listener per run; the default bound is meant to find leaks.
  setMaxListeners(0, stopping.signal);
  let stopBy = Infinity;
  const observer = bothObservers(createRunLog(log), options.drive.observer);
  const deps: DriveDeps = { ...options.drive, observer, store, clock, log };
  const { leaseMs, heartbeatMs: everyMs } = options;
  const context: OpenContext = {
    store,
    observer,
    decide: () => ({ now: clock.now(), random: deps.random, worker: options.id }),
    opensSecrets: () => options.capabilities().secrets,
  };
  const holdings = createHoldings({
    deps,
    context,
    stop: { stopping: stopping.signal, stopBy: () => stopBy },
    leaseMs,
    retryMs: STORE_RETRY_MS,
    onFree: () => wakeUp.now(),
  });
  const claimOnce = async (): Promise<number> => {
    const limit = options.maxConcurrentTasks() - holdings.count();
    if (limit <= 0 || stopping.signal.aborted) return 0;
    const opened = await claimRuns(context, { ...claimantOf(options), limit });
    for (const each of opened) if (each.kind !== 'settled') holdings.hold(each);
    return opened.length;
  };
  let away = false;
  const tick = async (): Promise<number | undefined> => {
    const free = options.maxConcurrentTasks() - holdings.count();
    const claimed = await claimOnce();
    if (away) log.info({ worker: options.id }, 'the worker claims again');
    away = false;
    if (holdings.count() >= options.maxConcurrentTasks()) return undefined;
    return claimed === free ? clock.now() : store.nextWorkAt(TASK_QUEUE, clock.now());
  };
  const wakeUp = createWakeUp({
    clock,
    tick,
    pollMs: options.safetyPollMs ?? Math.min(SAFETY_POLL_MAX_MS, leaseMs / 3),
    retryMs: STORE_RETRY_MS,
    retryMaxMs: STORE_RETRY_MAX_MS,
    onError(error) {
      // An outage is one line of the log, not one for each try.
      if (!away) log.warn({ err: error, worker: options.id }, 'the worker could not claim; it tries again');
      away = true;
    },
  });
  const heartbeat = createHeartbeat({ store, clock, log, leaseMs, everyMs, slots: holdings.slots });
  const onCommit = ({ queues, signalled }: CommitNotice): void => {
    for (const stream of signalled) holdings.slotOf(stream)?.signal();
    if (queues.has(TASK_QUEUE)) wakeUp.now();
  };
  let unsubscribe: (() => void) | undefined;
  const subscribe = () => (unsubscribe ??= store.onCommit(onCommit));

  return {
    start() {
      subscribe();
      heartbeat.start();
      wakeUp.start();
    },
    async stop() {
      stopBy = Math.min(stopBy, clock.now() + (options.stopGraceMs ?? STOP_GRACE_DEFAULT_MS));
      stopping.abort();
      await wakeUp.stop();
      await holdings.drain();
      await heartbeat.stop();
      unsubscribe?.();
    },
    runOnce() {
      subscribe();
      return claimOnce();
    },
    drain: holdings.drain,
    wake: wakeUp.now,
    held: holdings.count,
  };
}

function claimantOf({ id: owner, capabilities, leaseMs }: WorkerOptions) {
  return { owner, capabilities: capabilities(), leaseMs };
}
