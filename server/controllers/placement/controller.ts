// Marks Tasks that no worker can run as unschedulable. Run by the leader. Reads by demand, never Tasks that a worker can run.
// Woken by the task queue and by Workers; what a worker claims it says itself.
import { TASK_QUEUE } from '../../engine/task-queue.ts';
import { offerOf, unmetDemand, WORKER_READY, type WorkerOffer } from '../../engine/definitions/placement.ts';
import { demandOf } from '../../store/demand.ts';
import { eachObject } from '../../store/each-object.ts';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Store, WorkRequirements } from '../../store/store.ts';
import type { Logger } from '../../log/log.ts';
import { createWakeUp } from '../../wake-up.ts';
import { createKindFollower } from '../runtime/kind-follower.ts';
import type { Loop } from '../runtime/loop.ts';
import { createOutageLog } from '../runtime/outage-log.ts';
import { listNotedDemands } from './noted-demands.ts';
import type { NoteContext } from './notes.ts';
import { beginSweep, endSweep, setReason, sweepOn, type Budget, type Sweep } from './sweep.ts';

export interface PlacementOptions extends NoteContext {
  readonly log: Logger;
  /** Time without any ready worker before Tasks are marked: long enough for workers to start. */
  readonly graceMs: number;
}

export interface Placement extends Loop {
  /** One pass; resolves with the moment of the next one when it is known. */
  runOnce(): Promise<number | undefined>;
}

/** Changes within this time of a wake-up are read together; most work is claimed by then. */
const DEBOUNCE_MS = 1_000;
const SAFETY_POLL_MS = 30_000;
const STORE_RETRY_MS = 1_000;
const STORE_RETRY_MAX_MS = 5_000;
/** Bounds of one pass: it continues with the rest a moment later. */
const LISTED_MAX = 10_000;
const TOUCHED_MAX = 500;

export function createPlacement(options: PlacementOptions): Placement {
  const { store, clock, log } = options;
  const pass = createPass(options);
  const outage = createOutageLog(log, 'the search for unschedulable tasks');
  let dueAt: number | undefined;
  let unsubscribe: (() => void) | undefined;

  const wakeUp = createWakeUp({
    clock,
    pollMs: SAFETY_POLL_MS,
    retryMs: STORE_RETRY_MS,
    retryMaxMs: STORE_RETRY_MAX_MS,
    onError(error) {
      // Another leader sweeps now; this one is about to stop.
      if (!(error instanceof LeaseLost)) outage.failed(error);
    },
    async tick() {
      if (dueAt !== undefined && clock.now() < dueAt) return dueAt;
      dueAt = undefined;
      const next = await pass();
      outage.worked();
      return next;
    },
  });
  const scheduleCheck = (): void => {
    if (dueAt !== undefined) return;
    dueAt = clock.now() + DEBOUNCE_MS;
    wakeUp.now();
  };
  const workers = createKindFollower({ store, clock, log, kind: 'Worker', onChange: scheduleCheck });
  return {
    start() {
      unsubscribe ??= store.onCommit(({ queues }) => queues.has(TASK_QUEUE) && scheduleCheck());
      workers.start();
      wakeUp.start();
    },
    async stop() {
      unsubscribe?.();
      await workers.stop();
      await wakeUp.stop();
    },
    runOnce: pass,
  };
}

/** A pass remembers what earlier ones did, so that nothing is read or written twice without need. */
function createPass({ graceMs, ...context }: PlacementOptions): () => Promise<number | undefined> {
  const { store, clock } = context;
  let sweeps: Map<string, Sweep> | undefined;
  let noneSince: number | undefined;

  return async () => {
    sweeps ??= new Map((await listNotedDemands(store)).map((demand) => [demandOf(demand), beginSweep(demand, true)]));
    const demands = await store.listDemands(TASK_QUEUE);
    await dropEmpty(context, sweeps, demands);
    if (demands.length === 0) return undefined;
    const ready = await readyWorkers(store);
    noneSince = ready.length > 0 ? undefined : (noneSince ?? clock.now());
    const graceEnd = (noneSince ?? -Infinity) + graceMs;
    if (clock.now() < graceEnd) return graceEnd;
    judgeAll(sweeps, demands, ready);
    return (await sweepAll(context, sweeps)) ? undefined : clock.now() + DEBOUNCE_MS;
  };
}

/** No Task waits with these demands. */
async function dropEmpty(context: NoteContext, sweeps: Map<string, Sweep>, demands: readonly WorkRequirements[]): Promise<void> {
  const waiting = new Set(demands.map(demandOf));
  for (const [key, sweep] of [...sweeps]) {
    if (waiting.has(key)) continue;
    await endSweep(context, sweep);
    sweeps.delete(key);
  }
}

async function readyWorkers(store: Store): Promise<WorkerOffer[]> {
  const ready: WorkerOffer[] = [];
  const fields = [{ path: 'status.phase', op: 'eq', value: WORKER_READY }] as const;
  for await (const worker of eachObject(store, { kind: 'Worker', fields })) ready.push(offerOf(worker));
  return ready;
}

function judgeAll(sweeps: Map<string, Sweep>, demands: readonly WorkRequirements[], ready: readonly WorkerOffer[]): void {
  for (const demand of demands) {
    const key = demandOf(demand);
    const reason = unmetDemand(demand, ready);
    const sweep = sweeps.get(key) ?? (reason === undefined ? undefined : beginSweep(demand, false));
    if (!sweep) continue;
    setReason(sweep, reason);
    sweeps.set(key, sweep);
  }
}

/** True when nothing is left for another pass. A demand that has had its turn goes to the end of the line, so that a long one starves no other. */
async function sweepAll(context: NoteContext, sweeps: Map<string, Sweep>): Promise<boolean> {
  const budget: Budget = { listed: LISTED_MAX, touched: TOUCHED_MAX };
  let complete = true;
  for (const [key, sweep] of [...sweeps]) {
    if (budget.listed <= 0 || budget.touched <= 0) return false;
    const ended = await sweepOn(context, sweep, budget);
    sweeps.delete(key);
    if (ended && sweep.reason === undefined) await endSweep(context, sweep);
    else sweeps.set(key, sweep);
    complete &&= ended;
  }
  return complete;
}
