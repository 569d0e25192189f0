// Breakpoints of a trial: a turn waits before its start or before its output is handed over, until a person continues it (docs/trials.md).
import { invariant } from '@svc/shared/errors';
import { dueIn, type Moment } from './decision.ts';
import type { DataOf, Entry, EntryOf, Failure } from './entries.ts';
import { userMessage } from './input.ts';
import { turnTag, type TurnScope } from './scope.ts';
import type { AttemptState, RunState, StopState, TurnState } from './state.ts';

/** A turn that waits at a breakpoint. */
export interface OpenStop {
  readonly turn: TurnState;
  readonly stop: StopState;
}

/** Decision of a person on a turn that waits. */
export interface ContinueRequest {
  readonly turnId: string;
  readonly by: string;
  readonly end?: string | undefined;
  readonly value?: string | undefined;
}

/** The entry of a turn that reaches a breakpoint; undefined where it has none, or has passed it. */
export function reachBreakpoint(scope: TurnScope, { place, value }: Pick<StopState, 'place' | 'value'>, moment: Moment): Entry | undefined {
  const { attempt, turn } = scope;
  const { trial } = attempt.snapshot.task;
  const isSet = trial?.breakpoints.some((point) => point.node === turn.agent.name && point.at === place) ?? false;
  if (!trial || !isSet || turn.stop?.place === place) return undefined;
  return { type: 'breakpoint.reached', at: moment.now, data: { ...turnTag(scope), place, value, expires_at: dueIn(moment, trial.waitMs) } };
}

/** The message that a turn is about to receive, as one text. */
export function inputOfTurn({ attempt, turn }: Pick<TurnScope, 'attempt' | 'turn'>): string {
  const { inbox, failedSources, agent } = turn;
  return userMessage({ agent, task: attempt.snapshot.task, inbox, failedSources, edited: turn.input });
}

export function expireBreakpoint(scope: TurnScope, { place }: StopState, at: number): Entry {
  return { type: 'breakpoint.resolved', at, data: { ...turnTag(scope), place, decision: 'expired' } };
}

/** The entry of a decision from outside; undefined when the turn does not wait. */
export function resolveBreakpoint(state: RunState, { turnId, by, end, value }: ContinueRequest, at: number): Entry | undefined {
  const { attempt } = state;
  const turn = attempt?.turns.get(turnId);
  if (!attempt || !turn?.stop?.open) return undefined;
  const { place } = turn.stop;
  const decision = end === undefined ? 'continued' : 'ended';
  const said = end === undefined ? value !== undefined && { value } : { reason: end };
  return { type: 'breakpoint.resolved', at, data: { ...turnTag({ attempt, turn }), place, decision, by, ...said } };
}

/** The oldest first. */
export function openStops({ attempt }: RunState): OpenStop[] {
  const found = [...(attempt?.turns.values() ?? [])].flatMap((turn) => (turn.stop?.open ? [{ turn, stop: turn.stop }] : []));
  return found.sort((a, b) => a.stop.since - b.stop.since);
}

// ---------------------------------------------------------------- state

export function stopTurn(turn: TurnState, { at, data }: EntryOf<'breakpoint.reached'>): void {
  turn.stop = { place: data.place, value: data.value, since: at, expiresAt: data.expires_at, open: true };
  if (turn.phase === 'active') turn.awaitingSince = at;
}

export function leaveBreakpoint(
  { state, attempt, turn }: { state: RunState; attempt: AttemptState; turn: TurnState },
  { at, data }: EntryOf<'breakpoint.resolved'>,
): void {
  const { stop } = turn;
  invariant(stop?.open, `turn ${turn.id} does not wait at a breakpoint`);
  turn.stop = { ...stop, open: false, value: data.value ?? stop.value };
  if (data.place === 'before' && data.value !== undefined) turn.input = data.value;
  if (turn.phase === 'active') {
    turn.waitedMs += at - stop.since;
    turn.waitEndedAt = at;
    turn.awaitingSince = undefined;
  }
  if (data.decision === 'ended') state.cancel = { by: data.by ?? '', reason: endText(data) };
  if (data.decision === 'expired')
    attempt.fatal = { agent: turn.agent.name, phase: 'Failed', failure: expired(stop, { attempt, turn }), retryTask: false };
}

function endText({ place, agent, by = '', reason = '' }: DataOf<'breakpoint.resolved'>): string {
  return `ended at the breakpoint ${place} ${agent}${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${reason}`}`;
}

function expired({ place }: StopState, { attempt, turn: { agent } }: Pick<TurnScope, 'attempt' | 'turn'>): Failure {
  const seconds = Math.round((attempt.snapshot.task.trial?.waitMs ?? 0) / 1000);
  const message = `nobody continued the run at the breakpoint ${place} ${agent.name} within ${seconds} s; run the trial again, with a longer spec.trial.wait if need be`;
  return { code: 'breakpoint_timeout', message, retryable: false };
}
