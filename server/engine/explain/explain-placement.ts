// Why no worker takes a Task, or what is the matter with the one that has it. Pure over the Worker objects.
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { SUSPEND_REASON } from '@svc/shared/resource';
import { textStart } from '@svc/shared/text-start';
import { isMet } from '../../store/demand.ts';
import type { StoredObject, WorkItem } from '../../store/store.ts';
import { elapsed, type Reason } from './reason.ts';
import { describeDemand, offerOf, unmetDemand, WORKER_READY } from '../definitions/placement.ts';

/** The Worker objects, and the items before the Task in the queue. */
export interface Fleet {
  readonly now: number;
  /** Their numbers of Tasks are as of their last heartbeats. */
  readonly workers: readonly StoredObject[];
  /** Tasks that workers hold now. */
  readonly held: number;
  /** Ready Tasks of the same needs that come first; at most `aheadMax` are counted. */
  readonly ahead: number;
  readonly aheadMax: number;
}

/** Workers that a reason names. */
const SHOWN_MAX = 3;
const REASON_SHOWN_CHARS = 200;

const workerStatus = (worker: StoredObject) => statusOf('Worker', worker);
const objectOf = ({ kind, namespace, name }: StoredObject) => ({ kind, namespace, name });
/** Alive, and claims nothing until it is resumed. */
const isSuspended = (worker: StoredObject) => workerStatus(worker).phase === 'Draining' && specOf('Worker', worker).suspend === true;
const isReady = (worker: StoredObject) => workerStatus(worker).phase === WORKER_READY;

/** At least one. */
export function placementReasons(fleet: Fleet, item: WorkItem): Reason[] {
  const reasons = queueing(fleet, item);
  return reasons[0]?.code === 'worker_free' ? reasons : [...reasons, ...suspendedReasons(fleet, item)];
}

/** Workers that could take it once they are resumed. */
function suspendedReasons({ workers }: Fleet, { requirements }: WorkItem): Reason[] {
  const able = workers.filter((worker) => isSuspended(worker) && isMet(requirements, offerOf(worker)));
  return able.slice(0, SHOWN_MAX).map((worker) => {
    const reason = worker.annotations[SUSPEND_REASON];
    const why = reason === undefined ? '' : `: ${textStart(reason, REASON_SHOWN_CHARS)}`;
    return { code: 'worker_suspended', message: `worker ${worker.name} is suspended and claims no Tasks${why}`, object: objectOf(worker) };
  });
}

function queueing({ workers, held, ahead, aheadMax, now }: Fleet, { requirements }: WorkItem): Reason[] {
  if (workers.length === 0) return [{ code: 'no_worker', message: 'no worker is registered: start one with "svcd worker"' }];
  const ready = workers.filter(isReady);
  if (ready.length === 0) return [{ code: 'no_worker_ready', message: noneReady(workers, now) }];
  const unmet = unmetDemand(requirements, ready.map(offerOf));
  if (unmet !== undefined) return [unmetReason(ready, requirements, unmet)];
  const matching = ready.filter((worker) => isMet(requirements, offerOf(worker)));
  // Without other workers, the matching ones hold all of them; a worker that is gone holds none for long.
  const isElsewhere = (worker: StoredObject) => !matching.includes(worker) && workerStatus(worker).phase !== 'NotReady';
  const heldHere = workers.some(isElsewhere) ? 0 : held;
  return [busyReason(matching, describeDemand(requirements), heldHere), ...queueReasons(ahead, aheadMax)];
}

function queueReasons(ahead: number, aheadMax: number): Reason[] {
  if (ahead === 0) return [];
  const tasks = ahead === 1 ? '1 Task is' : `${ahead >= aheadMax ? 'at least ' : ''}${ahead} Tasks are`;
  return [{ code: 'queue', message: `${tasks} ahead of it` }];
}

/** A missing encryption key has a code of its own: it is a setting of a worker, unlike missing hardware. */
function unmetReason(ready: readonly StoredObject[], requirements: WorkItem['requirements'], message: string): Reason {
  const { secrets, ...rest } = requirements;
  const keyOnly = secrets === true && ready.some((worker) => isMet(rest, offerOf(worker)));
  if (!keyOnly) return { code: 'no_matching_worker', message };
  const why = ready.map(workerStatus).find(({ lastError }) => lastError !== undefined)?.lastError;
  return { code: 'no_worker_with_key', message: `the Task needs Secrets, and ${message}${why === undefined ? '' : `: ${why}`}` };
}

function noneReady(workers: readonly StoredObject[], now: number): string {
  const shown = workers.slice(0, SHOWN_MAX).map((worker) => {
    const { phase, lastHeartbeat } = workerStatus(worker);
    const heartbeat = lastHeartbeat === undefined ? '' : `, last heartbeat ${elapsed(Date.parse(lastHeartbeat), now)} ago`;
    return `${worker.name} is ${phase}${heartbeat}`;
  });
  const more = workers.length > shown.length ? `, and ${workers.length - shown.length} more` : '';
  return `no worker is ready: ${shown.join('; ')}${more}`;
}

function busyReason(matching: readonly StoredObject[], needs: string, held: number): Reason {
  const slots = matching.map((worker) => specOf('Worker', worker).max_concurrent_tasks);
  const reported = matching.map((worker, index) => Math.min(slots[index] ?? 1, workerStatus(worker).currentTasks ?? 0));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const total = sum(slots);
  const taken = Math.min(total, Math.max(held, sum(reported)));
  const what = `${matching.length} ${matching.length === 1 ? 'worker' : 'workers'}${needs === '' ? '' : ` with ${needs}`}`;
  if (taken >= total) return { code: 'workers_busy', message: `all matching workers are busy: ${what}, ${taken} of ${total} slots taken` };
  return { code: 'worker_free', message: `it will be claimed soon: ${what} can run it, ${taken} of ${total} slots taken` };
}

/** Reasons about the worker that holds the Task, beyond the fact that it holds it. */
export function holderReasons({ workers, now }: Fleet, { owner }: WorkItem): Reason[] {
  const worker = workers.find(({ name }) => name === owner);
  if (!worker) return [];
  const { phase, lastHeartbeat } = workerStatus(worker);
  const object = objectOf(worker);
  if (isSuspended(worker)) return [];
  if (phase === 'Draining')
    return [
      {
        code: 'worker_draining',
        message: `worker ${worker.name} is stopping; it releases the Task so that another worker continues`,
        object,
      },
    ];
  if (phase === WORKER_READY || phase === undefined || phase === 'Pending') return [];
  const heartbeat = lastHeartbeat === undefined ? '' : ` (last heartbeat ${elapsed(Date.parse(lastHeartbeat), now)} ago)`;
  return [
    {
      code: 'worker_not_ready',
      message: `worker ${worker.name} is ${phase}${heartbeat}; another worker takes over when the lease ends`,
      object,
    },
  ];
}
