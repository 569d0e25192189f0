// A worker: claims Tasks up to its free slots, drives their runs, renews their leases, and gives them back when it stops.
// Woken by commits and by an exact timer; a slow poll is the safety net. It knows no rule of a run.
import { setMaxListeners } from 'node:events';
import { ServiceError } from '@svc/shared/errors';
import type { Clock } from '../clock.ts';
import { TASK_QUEUE } from '../engine/commit.ts';
import { driveRun, type DriveDeps } from '../engine/drive.ts';
import { claimRuns, failBroken, resumeRun, type OpenContext, type Opened, type OpenRun } from '../engine/open-run.ts';
import { LeaseLost } from '../store/lease-lost.ts';
import type { Claim, ClaimQuery, CommitNotice, Store } from '../store/store.ts';
import type { Logger } from '../telemetry/log.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createSlot, type Slot } from './slot.ts';
import { createWakeUp } from './wake-up.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
  readonly drive: Omit<DriveDeps, 'store' | 'clock' | 'log'>;
  readonly id: string;
  readonly capabilities: ClaimQuery['capabilities'];
  readonly maxConcurrentTasks: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** How long tool calls in flight may take to end when the worker stops. Default 10 s. */
  readonly stopGraceMs?: number;
  /** How often to look for work that no wake-up told of. Default 5 s. */
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
  /** Tasks this worker holds. */
  readonly held: () => number;
}

const STOP_GRACE_DEFAULT_MS = 10_000;
const SAFETY_POLL_DEFAULT_MS = 5_000;
/** Wait after a failed claim or a run that the store would not record. */
const STORE_RETRY_MS = 1_000;

interface Held {
  readonly slot: Slot;
  readonly done: Promise<void>;
}

export function createWorker(options: WorkerOptions): Worker {
  const { store, clock, log } = options;
  const held = new Map<string, Held>();
  const stopping = new AbortController();
  // One listener per run; the default bound is meant to find leaks.
  setMaxListeners(0, stopping.signal);
  let stopBy = Infinity;
  const deps: DriveDeps = { ...options.drive, store, clock, log };
  const context: OpenContext = { store, decide: () => ({ now: clock.now(), random: deps.random, worker: options.id }) };

  const run = async (opened: Opened, slot: Slot): Promise<void> => {
    const ready = opened.kind === 'resume' ? await resumeRun(context, opened.claim) : opened;
    if (ready.kind === 'open') await driveOrFail({ deps, context, log }, ready.run, slot);
  };
  const hold = (opened: Opened): void => {
    const claim = opened.kind === 'open' ? opened.run.claim : opened.claim;
    const slot = createSlot(claim, { stopping: stopping.signal, stopBy: () => stopBy });
    const done = run(opened, slot)
      .catch((error: unknown) => settleError({ store, clock, log }, claim, error))
      .finally(() => {
        held.delete(claim.key);
        wakeUp.now();
      });
    held.set(claim.key, { slot, done });
  };
  const claimOnce = async (): Promise<number> => {
    const limit = options.maxConcurrentTasks - held.size;
    if (limit <= 0 || stopping.signal.aborted) return 0;
    const { id: owner, capabilities, leaseMs } = options;
    const opened = await claimRuns(context, { owner, capabilities, leaseMs, limit });
    for (const each of opened) if (each.kind !== 'settled') hold(each);
    return opened.length;
  };
  const tick = async (): Promise<number | undefined> => {
    const free = options.maxConcurrentTasks - held.size;
    const claimed = await claimOnce();
    if (held.size >= options.maxConcurrentTasks) return undefined;
    return claimed === free ? clock.now() : store.nextWorkAt(TASK_QUEUE, clock.now());
  };
  const wakeUp = createWakeUp({
    clock,
    tick,
    pollMs: options.safetyPollMs ?? SAFETY_POLL_DEFAULT_MS,
    retryMs: STORE_RETRY_MS,
    onError: (error) => log.warn({ err: error }, 'the worker could not claim'),
  });
  const heartbeat = createHeartbeat({ store, clock, log, leaseMs: options.leaseMs, everyMs: options.heartbeatMs, slots: () => [...held.values()].map(({ slot }) => slot) });
  const onCommit = ({ queues, signalled }: CommitNotice): void => {
    for (const stream of signalled) held.get(stream)?.slot.signal();
    if (queues.has(TASK_QUEUE)) wakeUp.now();
  };
  let unsubscribe: (() => void) | undefined;
  const subscribe = () => (unsubscribe ??= store.onCommit(onCommit));
  const drain = async () => {
    while (held.size > 0) await Promise.all([...held.values()].map(({ done }) => done));
  };

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
      await drain();
      await heartbeat.stop();
      unsubscribe?.();
    },
    async runOnce() {
      subscribe();
      return claimOnce();
    },
    drain,
    held: () => held.size,
  };
}

interface Driving {
  readonly deps: DriveDeps;
  readonly context: OpenContext;
  readonly log: Logger;
}

/** A run whose rules throw is ended as Failed: left alone it would be claimed and thrown again for ever. */
async function driveOrFail({ deps, context, log }: Driving, run: OpenRun, slot: Slot): Promise<void> {
  try {
    await driveRun(deps, run, slot.control);
  } catch (error) {
    if (error instanceof ServiceError || slot.control.lost.aborted) throw error;
    log.error({ err: error, task: `${run.claim.namespace}/${run.claim.name}` }, 'a run failed in an unforeseen way');
    const { claim, lastSeq } = run;
    await deps.store.transaction((tx) => failBroken(tx, { claim, lastSeq, decide: context.decide() }, error));
  }
}

/** A lost claim needs nothing more. When the store would not take a result, the claim is given back so that another try need not wait for the lease. */
async function settleError({ store, clock, log }: Pick<WorkerOptions, 'store' | 'clock' | 'log'>, claim: Claim, error: unknown): Promise<void> {
  const task = `${claim.namespace}/${claim.name}`;
  if (error instanceof LeaseLost) return log.warn({ task, fence: claim.fence }, 'the claim was lost; its results are dropped');
  log.error({ err: error, task }, 'a run was interrupted');
  const notBefore = clock.now() + STORE_RETRY_MS;
  await store.transaction((tx) => tx.releaseWork(claim, { notBefore })).catch(() => undefined);
}
