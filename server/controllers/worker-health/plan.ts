// Plan for a silent Worker. Pure.
import { statusOf } from '@svc/shared/kinds/read';
import type { StoredObject } from '../../store/store.ts';

/** Time of a Worker's last heartbeat: at first its own report, later when this process saw a new one. */
export interface LastHeartbeat {
  /** `status.lastHeartbeat`, as it was then. */
  readonly heartbeat: string;
  /** Milliseconds of this process's clock, so that the clocks of workers decide nothing while they report. */
  readonly at: number;
}

export type WorkerPlan =
  | { readonly do: 'nothing' }
  /** Look again at this moment, unless a heartbeat comes first. */
  | { readonly do: 'wait'; readonly until: number }
  | { readonly do: 'markNotReady' }
  | { readonly do: 'delete' };

export interface WorkerLimits {
  readonly now: number;
  readonly workerTimeoutMs: number;
}

/** Set by processes that made their Worker object themselves. */
const REGISTERED_BY = 'svc.dev/registered-by';
const REGISTERED_BY_WORKER = 'worker';
/** How long the object of a worker that registered itself outlives the worker. */
export const FORGET_AFTER_MS = 86_400_000;

const REPORTING: ReadonlySet<string> = new Set(['Ready', 'Draining']);

export function lastHeartbeatOf(
  worker: Pick<StoredObject, 'status'>,
  known: LastHeartbeat | undefined,
  now: number,
): LastHeartbeat | undefined {
  const { lastHeartbeat: heartbeat } = statusOf('Worker', worker);
  if (heartbeat === undefined) return undefined;
  if (known?.heartbeat === heartbeat) return known;
  const said = Date.parse(heartbeat);
  return { heartbeat, at: known || Number.isNaN(said) ? now : Math.min(said, now) };
}

/** A Worker that never reported is left alone: an administrator declared it beforehand. */
export function planWorkerHealth(
  worker: StoredObject,
  last: LastHeartbeat | undefined,
  { now, workerTimeoutMs }: WorkerLimits,
): WorkerPlan {
  if (!last) return { do: 'nothing' };
  const { phase } = statusOf('Worker', worker);
  if (REPORTING.has(phase)) return dueAt(last.at + workerTimeoutMs, now, { do: 'markNotReady' });
  if (phase !== 'NotReady' || worker.annotations[REGISTERED_BY] !== REGISTERED_BY_WORKER) return { do: 'nothing' };
  return dueAt(last.at + FORGET_AFTER_MS, now, { do: 'delete' });
}

function dueAt(moment: number, now: number, plan: WorkerPlan): WorkerPlan {
  return now < moment ? { do: 'wait', until: moment } : plan;
}
