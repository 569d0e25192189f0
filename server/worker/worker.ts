// A worker: claims Tasks up to its free slots, drives their runs, renews their leases, and gives them back when it stops.
// Woken by commits and by an exact timer; a slow poll is the safety net. It is independent of any rule of a run.
import { setMaxListeners } from 'node:events';
import { TAKEOVERS_MAX } from '../engine/core/takeovers.ts';
import { noRunContexts, type RunContexts } from '../engine/definitions/run-context.ts';
import { TASK_QUEUE } from '../engine/task-queue.ts';
import type { DriveDeps } from '../engine/shell/drive.ts';
import { createTextPublisher } from '../engine/live/publish-text.ts';
import { createEndWriter } from '../engine/shell/grouped-ends.ts';
import type { OpenContext } from '../engine/shell/open-run.ts';
import type { CommitNotice } from '../store/store.ts';
import { createClaimLoop, type Claimant } from './claim-loop.ts';
import { createHeartbeat } from './heartbeat.ts';
import { createHoldings } from './holdings.ts';
import { bothObservers, createRunLog } from './run-log.ts';

export interface WorkerOptions extends Claimant {
  readonly drive: Omit<DriveDeps, 'store' | 'clock' | 'log' | 'texts' | 'contexts' | 'writeEnd'>;
  readonly heartbeatMs: number;
  /** Default: no Task continues anything. */
  readonly contexts?: RunContexts;
  /** Takeovers without progress after which a run is dead-lettered; 0: never. Default 3. */
  readonly takeoversMax?: number;
  /** Tasks that are claimed before they are opened, at the start. Default 0. */
  readonly waryTasks?: number;
  /** CPU time of this process, in milliseconds. */
  readonly cpuMs?: () => number;
  /** How long tool calls in flight may take to end when the worker stops. Default 10 s. */
  readonly stopGraceMs?: number;
}

export interface Worker {
  start(): void;
  /** Claims nothing more, releases what it has at safe points. Idempotent; safe when never started. */
  stop(): Promise<void>;
  /** Claims once, up to the free slots; resolves when the claimed runs are in flight with how many there are. */
  runOnce(): Promise<number>;
  /** Resolves when no run is in flight. */
  drain(): Promise<void>;
  /** Looks for work soon: what it may claim has changed. Does nothing unless started. */
  wake(): void;
  /** Renews the leases of all held Tasks now, as after a sleep of the machine. Never rejects. */
  renew(): Promise<boolean>;
  /** Tasks this worker holds. */
  readonly held: () => number;
}

const STOP_GRACE_DEFAULT_MS = 10_000;
/** Wait before a run that the store would not record is claimed again. */
const STORE_RETRY_MS = 1_000;

/** Age of a reading that is taken again: the system call costs as much as a write, and leases last for seconds. */
const CPU_READING_MS = 100;

/** CPU time of all threads. */
function createCpuMeter(): () => number {
  let readAt = -Infinity;
  let usedMs = 0;
  return () => {
    const now = performance.now();
    if (now - readAt < CPU_READING_MS) return usedMs;
    const { user, system } = process.cpuUsage();
    readAt = now;
    return (usedMs = (user + system) / 1_000);
  };
}

export function createWorker(options: WorkerOptions): Worker {
  const { store, clock, log } = options;
  const stopping = new AbortController();
  // One listener per run; the default bound is meant to find leaks.
  setMaxListeners(0, stopping.signal);
  let stopBy = Infinity;
  const observer = bothObservers(createRunLog(log), options.drive.observer);
  const texts = createTextPublisher({ store, clock });
  const { contexts = noRunContexts } = options;
  const writeEnd = createEndWriter(store, options.drive.runListeners);
  const deps: DriveDeps = { ...options.drive, observer, store, clock, log, texts, contexts, writeEnd };
  const { leaseMs, heartbeatMs: everyMs } = options;
  const context: OpenContext = {
    store,
    observer,
    runListeners: deps.runListeners,
    contexts,
    judge: deps,
    decide: () => ({ now: clock.now(), random: deps.random, worker: options.id }),
    capabilities: options.capabilities,
    takeoversMax: options.takeoversMax ?? TAKEOVERS_MAX,
    wary: () => claims.claimed() < (options.waryTasks ?? 0),
  };
  const cpuMs = options.cpuMs ?? createCpuMeter();
  const holdings = createHoldings({
    deps,
    context,
    stop: { stopping: stopping.signal, stopBy: () => stopBy },
    leaseMs,
    renew: () => heartbeat.runOnce(),
    retryMs: STORE_RETRY_MS,
    onFree: () => claims.freed(),
    onLeaving: () => claims.freeing(),
    onProven: () => claims.now(),
    cpuMs,
  });
  const claims = createClaimLoop({ worker: options, context, holdings, renew: () => heartbeat.runOnce(), stopping: stopping.signal });
  const heartbeat = createHeartbeat({ store, clock, log, leaseMs, everyMs, slots: holdings.slots, cpuMs });
  const onCommit = ({ queues, signalled }: CommitNotice): void => {
    for (const stream of signalled) holdings.signal(stream);
    if (queues.has(TASK_QUEUE)) claims.now();
  };
  let unsubscribe: (() => void) | undefined;
  const subscribe = () => (unsubscribe ??= store.onCommit(onCommit));

  return {
    start() {
      subscribe();
      heartbeat.start();
      claims.start();
    },
    async stop() {
      stopBy = Math.min(stopBy, clock.now() + (options.stopGraceMs ?? STOP_GRACE_DEFAULT_MS));
      stopping.abort();
      await claims.stop();
      await holdings.drain();
      await heartbeat.stop();
      texts.stop();
      unsubscribe?.();
    },
    runOnce() {
      subscribe();
      return claims.claimOnce();
    },
    drain: holdings.drain,
    wake: claims.now,
    renew: heartbeat.runOnce,
    held: holdings.count,
  };
}
