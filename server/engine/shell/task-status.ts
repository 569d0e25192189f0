// Status of the Task object for its run: written only when the phase changes, in the transaction of the entries that changed it.
import { roundUsd } from '@svc/shared/money';
import type { Claim, Fact } from '../../store/store.ts';
import type { BlockedOn } from '../definitions/load-definitions.ts';
import type { PauseState, RunState } from '../core/state.ts';
import type { OpenStop } from '../core/breakpoints.ts';
import { pauseText } from '../core/pause-state.ts';
import type { OpenWait } from '../core/waits.ts';
import type { RunChange, RunEnded, RunSuspended } from '../run-listeners.ts';
import { TASK_QUEUE } from '../task-queue.ts';

export type Status = Readonly<Record<string, unknown>>;

export type StatusChange =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'finished'; readonly claim: Claim }
  | { readonly kind: 'waiting'; readonly claim: Claim; readonly until: number; readonly blockedOn?: BlockedOn }
  /** Parked until a person decides, or until a moment that another branch waits for. The oldest question comes first. */
  | {
      readonly kind: 'waiting_approval';
      readonly claim: Claim;
      readonly waits: readonly [OpenWait, ...OpenWait[]];
      readonly until?: number;
    }
  | { readonly kind: 'released'; readonly claim: Claim }
  /** Parked at a breakpoint until a person continues it or its deadline passes. */
  | { readonly kind: 'breakpoint'; readonly claim: Claim; readonly stop: OpenStop; readonly until?: number }
  /** Parked until it is resumed. */
  | { readonly kind: 'paused'; readonly claim: Claim; readonly paused: PauseState };

export interface StatusInput {
  readonly previous: Status;
  readonly state: RunState;
  readonly change: StatusChange;
  readonly now: number;
  readonly generation: number;
}

const time = (ms: number) => new Date(ms).toISOString();

/** Fields that hold only while a worker has the Task, or until the next phase. */
const PASSING = ['claimedBy', 'leaseUntil', 'lastHeartbeat', 'nextAttemptAt', 'waitingSince', 'blockedOn', 'lastError', 'reason'] as const;

export function taskStatus({ previous, state, change, now, generation }: StatusInput): Status {
  const kept: Record<string, unknown> = { ...previous };
  for (const field of PASSING) delete kept[field];
  const base = {
    ...kept,
    attempts: state.attempts,
    // A spec that was edited while the run was in flight is not what it ran.
    observedGeneration: state.attempt?.snapshot.task.generation ?? generation,
    // A request that cancels an unclaimed Task has no worker.
    ...(change.claim.queue === TASK_QUEUE && { assignedWorker: change.claim.owner }),
    ...waited(previous, now),
    ...(state.startedAt > 0 && { startedAt: time(state.startedAt) }),
    ...(state.lastFailure && { lastError: state.lastFailure.message }),
  };
  switch (change.kind) {
    case 'claimed':
      return {
        ...base,
        phase: 'Running',
        claimedBy: change.claim.owner,
        leaseUntil: time(change.claim.leaseUntil),
        lastHeartbeat: time(change.claim.claimedAt),
      };
    case 'released':
      return { ...base, phase: unheldPhase(state) };
    case 'paused':
      return { ...base, phase: unheldPhase(state), blockedOn: { kind: 'Task', name: change.claim.name, reason: pauseText(change.paused) } };
    case 'waiting':
      return { ...base, phase: 'Pending', nextAttemptAt: time(change.until), ...(change.blockedOn && { blockedOn: change.blockedOn }) };
    case 'breakpoint': {
      const blockedOn = { kind: 'Breakpoint', name: change.stop.turn.agent.name, reason: breakpointText(change.stop) };
      return { ...base, phase: unheldPhase(state), waitingSince: time(now), blockedOn };
    }
    case 'waiting_approval': {
      const next = change.until !== undefined && { nextAttemptAt: time(change.until) };
      return { ...base, phase: 'WaitingApproval', waitingSince: time(now), blockedOn: waitOf(change.waits[0]), ...next };
    }
    case 'finished':
      return { ...base, ...finishedFields(state) };
  }
}

/** Adds the wait that this change ends. */
function waited({ waitingSince, waitedMs }: Status, now: number): Status {
  if (typeof waitingSince !== 'string') return {};
  return { waitedMs: Number(waitedMs ?? 0) + Math.max(0, now - Date.parse(waitingSince)) };
}

/** The place of a breakpoint and its deadline, for people. */
function breakpointText({ turn, stop }: OpenStop): string {
  return `waits at the breakpoint ${stop.place} ${turn.agent.name} until ${time(stop.expiresAt)}; continue or end it`;
}

const unheldPhase = ({ status }: RunState) => (status === 'running' ? 'Running' : 'Pending');

function waitOf({ kind, name, about, expiresAt }: OpenWait): BlockedOn {
  return { kind, name, reason: `${about} until ${time(expiresAt)}` };
}

function finishedFields({ end, cancel, costUsd, unpricedCalls }: RunState): Status {
  if (!end) return {};
  const failure = end.failure && { reason: end.failure.code, lastError: end.failure.message };
  const canceller = end.failure?.code === 'cancelled' && cancel && cancel.by !== '' && { cancelledBy: cancel.by };
  const isCostKnown = costUsd > 0 || unpricedCalls === 0;
  const cost = { ...(isCostKnown && { costUsd: roundUsd(costUsd) }), ...(unpricedCalls > 0 && { unpricedCalls }) };
  return { phase: end.phase, completedAt: time(end.at), output: end.output, ...cost, ...failure, ...canceller };
}

/** The fact in the event log that belongs to the status change. */
export function taskFact(state: RunState, change: StatusChange): Fact {
  const data = { worker: change.claim.owner, attempt: state.attempts };
  const fact = (type: string, message: string, extra: Status = {}): Fact => ({
    type: `task.${type}`,
    source: 'engine',
    action: type,
    message,
    data: { ...data, ...extra },
  });
  switch (change.kind) {
    case 'claimed':
      return fact('claimed', `claimed by worker ${change.claim.owner}`, { takeover: change.claim.takeover });
    case 'paused':
      return fact('paused', pauseText(change.paused), { by: change.paused.by });
    case 'breakpoint':
      return fact('breakpoint', breakpointText(change.stop), { agent: change.stop.turn.agent.name, place: change.stop.stop.place });
    case 'released':
      return fact('released', `released by worker ${change.claim.owner} at a safe point`);
    case 'waiting':
      return change.blockedOn
        ? fact('blocked', change.blockedOn.reason, { blockedOn: change.blockedOn })
        : fact('retry_scheduled', `next attempt at ${time(change.until)}`, { nextAttemptAt: time(change.until) });
    case 'waiting_approval': {
      const blockedOn = waitOf(change.waits[0]);
      return fact('waiting_approval', `waits for ${blockedOn.kind} ${blockedOn.name}`, { blockedOn });
    }
    case 'finished':
      return finishedFact(state, fact);
  }
}

/** The same change as run listeners see it; undefined while a worker holds the run. */
export function runChangeOf({ end, tokensUsed, outputTokens }: RunState, change: StatusChange): RunChange | undefined {
  const suspended = (why: RunSuspended['why'], until?: number, waits: readonly OpenWait[] = []): RunChange => ({
    kind: 'suspended',
    why,
    until,
    waits,
  });
  switch (change.kind) {
    case 'claimed':
      return undefined;
    case 'released':
    case 'paused':
      return suspended(change.kind);
    case 'breakpoint':
      return suspended('paused', change.until);
    case 'waiting':
      return suspended(change.blockedOn ? 'blocked' : 'retry', change.until);
    case 'waiting_approval':
      return suspended('approval', change.until, change.waits);
    case 'finished':
      return (
        end && {
          kind: 'ended',
          how: howEnded(end),
          failure: end.failure,
          output: end.output,
          usage: { inputTokens: tokensUsed - outputTokens, outputTokens },
        }
      );
  }
}

function howEnded({ phase, failure }: NonNullable<RunState['end']>): RunEnded['how'] {
  if (!failure) return 'succeeded';
  if (failure.code === 'cancelled') return 'cancelled';
  return phase === 'DeadLetter' ? 'dead_lettered' : 'failed';
}

/** Says what the run cost as well, which no other record of the log does. */
function finishedFact({ end, ...spent }: RunState, fact: (type: string, message: string, extra?: Status) => Fact): Fact {
  const failure = end?.failure;
  const cost = { cost_usd: roundUsd(spent.costUsd), unpriced_calls: spent.unpricedCalls };
  if (!failure) return fact('succeeded', 'the run succeeded', cost);
  const how = howEnded(end);
  return fact(how === 'dead_lettered' ? 'deadletter' : how, failure.message, { reason: failure.code, ...cost });
}
