// How calls that wait for a person change with what is recorded of them.
import { invariant } from '@svc/shared/errors';
import type { CallTag, EntryOf } from './entries.ts';
import type { CallState, RunState, TurnState } from './state.ts';

export interface CallPlace {
  readonly turn: TurnState;
  readonly call: CallState;
}

export function askPerson(state: RunState, { turn, call }: CallPlace, { at, data }: EntryOf<'approval.requested'>): void {
  call.phase = 'awaiting';
  call.asked += 1;
  turn.awaitingSince = Math.min(turn.awaitingSince ?? Infinity, Math.max(data.sent_at ?? at, turn.waitEndedAt, turn.startedAt));
  const { name, reason, input, sent_at: sentAt = at, expires_at: expiresAt } = data;
  state.approvals.set(name, { name, call: callTag(data), reason, input, sentAt, requestedAt: at, expiresAt, open: true });
}

/** `run_again` puts the call in flight under the same request id; every other decision is followed by an entry of its own. */
export function approveCall(state: RunState, { turn, call }: CallPlace, { at, data }: EntryOf<'approval.resolved'>): void {
  const approval = state.approvals.get(data.name);
  invariant(approval && call.phase === 'awaiting', `approval ${data.name} was not asked for`);
  approval.open = false;
  const again = data.decision === 'approved' && data.outcome === 'run_again';
  call.phase = again ? 'requested' : 'decided';
  call.verdict = data;
  if (again) call.sentAt = at;
  if (turn.step?.calls.some(({ phase }) => phase === 'awaiting')) return;
  turn.waitedMs += at - (turn.awaitingSince ?? at);
  turn.awaitingSince = undefined;
  turn.waitEndedAt = at;
}

/** What waited for them is over: the approvals of one turn, or all. */
export function dropApprovals(state: RunState, turnId?: string): void {
  for (const approval of state.approvals.values()) if (turnId === undefined || approval.call.turn_id === turnId) approval.open = false;
}

export function callTag(data: CallTag): CallTag {
  const { attempt, turn_id, agent, branch_id, step, agent_step, index, call_id, tool, request_id } = data;
  return { attempt, turn_id, agent, branch_id, step, agent_step, index, call_id, tool, request_id };
}
