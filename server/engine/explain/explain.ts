// Why a Task is not moving, as a chain of reasons, outermost first. Pure over what was read. Codes are stable; docs/engine.md lists them.
import type { JsonObject } from '@svc/shared/json';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import type { Resource } from '@svc/shared/resource';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import type { Signal, StoredObject, WorkItem } from '../../store/store.ts';
import type { PauseState, RunState } from '../core/state.ts';
import { openStops } from '../core/breakpoints.ts';
import { pauseText } from '../core/pause-state.ts';
import { openWaits } from '../core/waits.ts';
import { activity } from './explain-activity.ts';
import { isolationReasons } from './explain-isolation.ts';
import { holderReasons, placementReasons, type Fleet } from './explain-placement.ts';
import { momentOf, remaining, type Reason } from './reason.ts';
import { blockedOnOf, type BlockedOn } from '../definitions/load-definitions.ts';
import { WORKER_READY } from '../definitions/placement.ts';

export interface ExplainInput {
  readonly task: Resource;
  readonly item: WorkItem | undefined;
  readonly state: RunState;
  readonly now: number;
  readonly fleet: Fleet;
  /** Object that `status.blockedOn` names, when it exists. */
  readonly dependency: StoredObject | undefined;
  /** Cancel that the owner of the run has not carried out yet. */
  readonly cancel: Signal | undefined;
}

const TERMINAL: ReadonlySet<string> = new Set(TASK_TERMINAL_PHASES);

/** Never empty. */
export function explainTask(input: ExplainInput): JsonObject[] {
  const { task, item, state, now } = input;
  const phase = statusOf('Task', task).phase;
  // A run in flight keeps what it began with.
  if (!item && specOf('Task', task).mode === 'template')
    return [{ code: 'template', message: 'a template is never run; schedules and webhooks make runs from it' }];
  if (state.end || TERMINAL.has(phase)) return [ended(task, phase)];
  if (!item) return [{ code: 'not_queued', message: 'the Task is not in the queue; it was made before this server ran it' }];
  if (item.owner === undefined) return state.paused ? [pausedReason(state.paused)] : waiting(input, item);
  if (item.leaseUntil > now) {
    const holder = input.fleet.workers.filter(({ name }) => name === item.owner);
    return [
      held(item, now),
      ...cancelReasons(input),
      ...(state.paused ? [pausedReason(state.paused)] : []),
      ...doubtReasons(item),
      ...holderReasons(input.fleet, item),
      ...isolationReasons(state, holder),
      ...activity(state, now),
    ];
  }
  // A lease of 0 was ended because the process of its owner is gone.
  const lost =
    item.leaseUntil === 0
      ? `the process of worker ${item.owner} has ended`
      : `the lease of worker ${item.owner} ran out at ${momentOf(item.leaseUntil)}`;
  const message = `${lost}; the next free worker takes over`;
  return [
    { code: 'lease_expired', message, object: workerObject(item.owner) },
    ...cancelReasons(input),
    ...doubtReasons(item),
    ...placementReasons(withoutTheSilent(input.fleet, item), item),
  ];
}

function cancelReasons({ cancel }: ExplainInput): Reason[] {
  if (!cancel) return [];
  const message = `a cancel was requested at ${cancel.timestamp}; the worker with the run carries it out, and after its lease the next worker or another cancel`;
  return [{ code: 'cancel_requested', message, since: cancel.timestamp }];
}

/** A worker that died counts as Ready until it is found to be NotReady; a worker without a heartbeat since it lost this lease does not count as free. */
function withoutTheSilent(fleet: Fleet, { owner, leaseUntil }: WorkItem): Fleet {
  const heartbeatAt = (worker: Fleet['workers'][number]) => Date.parse(statusOf('Worker', worker).lastHeartbeat ?? '');
  const workers = fleet.workers.map((worker) =>
    worker.name === owner && heartbeatAt(worker) < leaseUntil ? { ...worker, status: { ...worker.status, phase: 'silent' } } : worker,
  );
  return { ...fleet, workers };
}

/** Workers keep losing it, and it may be the reason. */
function doubtReasons({ takeovers, requirements: { alone } }: WorkItem): Reason[] {
  if (takeovers === 0) return [];
  const times = takeovers === 1 ? 'once' : `${takeovers} times`;
  const next = alone
    ? 'a worker without another suspect run claims it; if that worker dies too, the run is dead-lettered as poisoned'
    : 'a run that makes no progress over several takeovers is dead-lettered as poisoned';
  return [{ code: 'in_doubt', message: `the run was taken over ${times} without progress; ${next}` }];
}

function ended(task: Resource, phase: string): Reason {
  const { reason, lastError } = statusOf('Task', task);
  const why = lastError === undefined ? '' : `: ${lastError}`;
  return { code: reason ?? phase.toLowerCase(), message: `the run ended as ${phase}${why}` };
}

const workerObject = (name: string) => ({ kind: 'Worker', namespace: 'default', name });

function held({ owner = '', leaseUntil }: WorkItem, now: number): Reason {
  const message = `worker ${owner} runs it and holds the lease until ${momentOf(leaseUntil)} (${remaining(leaseUntil, now)}, renewed while it runs)`;
  return { code: 'running', message, until: momentOf(leaseUntil), object: workerObject(owner) };
}

function pausedReason(paused: PauseState): Reason {
  const since = momentOf(paused.at);
  return { code: 'paused', message: `the run is ${pauseText(paused)} since ${since}; it continues when it is resumed`, since };
}

/** Nobody has it: for word from outside, for a moment, or for a worker. */
function waiting(input: ExplainInput, item: WorkItem): Reason[] {
  const { state, now } = input;
  if (item.parked || (item.notBefore > now && openWaits(state).length + openStops(state).length > 0)) return activity(state, now);
  if (item.notBefore > now) return later(input, item.notBefore);
  const message = 'the Task is in the queue and waits for a worker';
  const ready = input.fleet.workers.filter((worker) => statusOf('Worker', worker).phase === WORKER_READY);
  return [
    { code: 'waiting_for_worker', message },
    ...doubtReasons(item),
    ...placementReasons(input.fleet, item),
    ...isolationReasons(state, ready),
  ];
}

function later({ task, state, now, dependency }: ExplainInput, until: number): Reason[] {
  const blockedOn = blockedOnOf(task);
  if (blockedOn) return blocked(blockedOn, { task, dependency, until });
  const { lastFailure } = state;
  if (state.status === 'running')
    return [
      ...activity(state, now),
      ...(lastFailure ? [{ code: lastFailure.code, message: `the try before failed: ${lastFailure.message}` }] : []),
    ];
  const next = `attempt ${state.attempts + 1} begins ${remaining(until, now)}`;
  const cause = state.lastFailure && {
    code: state.lastFailure.code,
    message: `attempt ${state.attempts} failed: ${state.lastFailure.message}`,
  };
  return [{ code: 'retry_wait', message: next, until: momentOf(until) }, ...(cause ? [cause] : [])];
}

interface BlockedTask {
  readonly task: Resource;
  readonly dependency: StoredObject | undefined;
  readonly until: number;
}

/** Reasons of a blocked Task: the dependency, its state, and the time of the next check. */
function blocked({ kind, name, reason }: BlockedOn, { task, dependency, until }: BlockedTask): Reason[] {
  const object = { kind, namespace: task.metadata.namespace, name };
  const again = { code: 'waiting_until', message: `examined again at ${momentOf(until)}`, until: momentOf(until) };
  const chain: Reason[] = [{ code: 'blocked', message: reason, object }];
  if (!dependency) return [...chain, { code: 'dependency', message: `${kind} ${name} no longer exists`, object }, again];
  const { phase, lastError } = statusOf('McpServer', dependency);
  const doing = phase === 'Pending' || phase === 'Connecting' ? 'is still connecting' : `is ${phase}`;
  const why = lastError === undefined ? '' : `: ${lastError}`;
  return [...chain, { code: 'dependency', message: `${kind} ${name} ${doing}${why}`, object }, again];
}
