// How calls that wait for a person change with what is recorded of them.
import { invariant } from '@svc/shared/errors';
import { ANSWERED } from '@svc/shared/kinds/tool-approval/outcomes';
import type { CallTag, EntryOf, Failure } from './entries.ts';
import type { CallState, RunState, TurnState } from './state.ts';

export interface CallPlace {
  readonly turn: TurnState;
  readonly call: CallState;
}

export function addPendingApproval(state: RunState, { turn, call }: CallPlace, { at, data }: EntryOf<'approval.requested'>): void {
  call.phase = 'awaiting';
  call.asked += 1;
  if (call.verdict?.edited_input) call.proposed ??= call.input;
  call.input = data.input;
  call.requestId = data.request_id;
  turn.awaitingSince = Math.min(turn.awaitingSince ?? Infinity, Math.max(data.sent_at ?? at, turn.waitEndedAt, turn.startedAt));
  const { name, reason, input, sent_at: sentAt = at, expires_at: expiresAt, asked_by: askedBy = [] } = data;
  state.approvals.set(name, { name, call: callTag(data), reason, input, sentAt, requestedAt: at, expiresAt, askedBy, open: true });
}

/** Consequences of the decision are recorded behind it. */
export function approveCall(state: RunState, { turn, call }: CallPlace, { at, data }: EntryOf<'approval.resolved'>): void {
  const approval = state.approvals.get(data.name);
  invariant(approval && call.phase === 'awaiting', `approval ${data.name} was not requested`);
  approval.open = false;
  call.phase = 'decided';
  call.verdict = data;
  goOn(turn, at);
}

/** The call was answered while it waited for a person's report, which is no longer needed. */
export function endWait(state: RunState, { turn, call }: CallPlace, at: number): void {
  if (call.phase !== 'awaiting') return;
  for (const approval of state.approvals.values()) if (approval.call.request_id === call.requestId) approval.open = false;
  call.phase = 'requested';
  goOn(turn, at);
}

/** The clock of the agent runs again once no approval of its calls is pending. */
function goOn(turn: TurnState, at: number): void {
  if (turn.step?.calls.some(({ phase }) => phase === 'awaiting')) return;
  turn.waitedMs += at - (turn.awaitingSince ?? at);
  turn.awaitingSince = undefined;
  turn.waitEndedAt = at;
}

/** Closes the approvals of one turn, or all: the work that waited for them is over. */
export function dropApprovals(state: RunState, turnId?: string): void {
  for (const approval of state.approvals.values()) if (turnId === undefined || approval.call.turn_id === turnId) approval.open = false;
}

export function callTag(data: CallTag): CallTag {
  const { attempt, turn_id, agent, branch_id, step, agent_step, index, call_id, tool, request_id } = data;
  return { attempt, turn_id, agent, branch_id, step, agent_step, index, call_id, tool, request_id };
}

const EDITED = 'A reviewer changed the input of this call before it ran.';

const IN_ITS_PLACE = 'This call was not made. A reviewer answered in its place:';

/** Output of a successful call as the model receives it. A changed input is shown, so that the model continues from the call that ran. */
export function modelOutput({ proposed, input, verdict }: CallState, output: string): string {
  if (verdict?.outcome === ANSWERED) return `${IN_ITS_PLACE}\n\n${output}`;
  return proposed ? `${EDITED} The input that ran: ${JSON.stringify(input)}\n\n${output}` : output;
}

export function modelError({ proposed, input }: CallState, { code, message, retryable }: Failure): string {
  const edit = proposed && { note: EDITED, input_that_ran: input };
  return JSON.stringify({ error: { code, message, retryable }, ...edit });
}
