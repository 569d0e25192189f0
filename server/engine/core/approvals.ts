// Calls that need a decision: those of unknown outcome among the sent ones, and the effect of the decision.
import { ANSWERED } from '@svc/shared/kinds/tool-approval/outcomes';
import { callTag } from './approval-state.ts';
import { callTagOf, clear, type CallDecision, type CallScope } from './clearance.ts';
import { termOf, type Moment } from './decision.ts';
import type { ApprovalVerdict, CallApproval, CallTag, Entry, Failure } from './entries.ts';
import { approvalName } from './ids.ts';
import { UNKNOWN_OUTCOME_TTL_MS } from './limits.ts';
import { stepTag, type TurnScope } from './scope.ts';
import { toolOf } from './verdicts.ts';
import type { ApprovalState, AttemptState, CallState, RunState, StepState, TurnState } from './state.ts';

/** Requests the outcomes of calls after a takeover: calls that were sent, have no result and need a report by a person. */
export function unknownOutcomes(state: RunState, moment: Moment): Entry[] {
  const attempt = state.attempt;
  if (state.status !== 'running' || !attempt) return [];
  return [...attempt.turns.values()].flatMap((turn) => unknownOutcomesOf({ attempt, turn }, moment));
}

/** Requests the outcomes of calls that the timeout of their turn cuts off. */
export function unknownOutcomesOf({ attempt, turn }: Omit<TurnScope, 'state'>, moment: Moment): Entry[] {
  const { step } = turn;
  const sent = step?.calls.filter((call) => call.phase === 'requested' && needsOutcomeReport(attempt, call)) ?? [];
  return step ? sent.map((call) => ask({ attempt, turn, step, call }, moment)) : [];
}

/** Requests the outcome of a call that the timeout of an earlier try cut off; undefined without such a call. */
export function cutOffCall({ attempt, turn }: TurnScope, step: StepState, moment: Moment): Entry | undefined {
  const sent = step.calls.find((call) => call.phase === 'requested' && call.lost && needsOutcomeReport(attempt, call));
  return sent && ask({ attempt, turn, step, call: sent }, moment);
}

/** Whether only a person may have the call sent again while its outcome is not known. */
export function needsOutcomeReport({ snapshot }: AttemptState, { request }: CallState): boolean {
  return toolOf(snapshot, request.name)?.spec.runtime.on_unknown_outcome === 'ask';
}

interface RequestedCall {
  readonly attempt: AttemptState;
  readonly turn: TurnState;
  readonly step: StepState;
  readonly call: CallState;
}

function ask({ attempt, turn, step, call }: RequestedCall, moment: Moment): Entry {
  const { index, request, requestId: request_id, sentAt: sent_at, input = {} } = call;
  const tag = { ...stepTag({ attempt, turn }, step), index, call_id: request.id, tool: request.name, request_id };
  const name = approvalName({ taskUid: attempt.snapshot.task.uid, requestId: request_id, round: call.asked + 1 });
  const data = { ...tag, name, reason: 'unknown_outcome' as const, input, sent_at, ...termOf(moment, UNKNOWN_OUTCOME_TTL_MS) };
  return { type: 'approval.requested', at: moment.now, data };
}

/** The entry of a decision that came from outside; undefined when nothing waits for it. */
export function resolveApproval(state: RunState, { name, ...verdict }: ApprovalVerdict, at: number): Entry | undefined {
  const approval = state.approvals.get(name);
  if (!approval?.open) return undefined;
  return { type: 'approval.resolved', at, data: { ...callTag(approval.call), name, reason: approval.reason, ...verdict } };
}

/** Approvals that the run waits for now, the oldest first. */
export function openApprovals({ approvals }: RunState): ApprovalState[] {
  return [...approvals.values()].filter(({ open }) => open);
}

/** Applies a decision to its call. A call to be sent is judged first: a permission that was revoked after the question stops it. */
export function decidedCall(scope: TurnScope, place: CallScope): CallDecision {
  const { call, context } = place;
  const verdict = call.verdict;
  const tag = { ...callTagOf(scope, place), input: call.input ?? {}, latency_ms: 0 };
  const at = context.now;
  if (verdict?.decision === 'approved') {
    const { outcome, reason, output = DONE } = verdict;
    if (outcome === 'done' || outcome === ANSWERED)
      return recorded({ type: 'tool.completed', at, data: { ...tag, source: 'person', output } });
    if (reason === 'policy') return sendApproved(scope, place, verdict);
    if (outcome === 'run_again') return sendAgain(scope, place);
  }
  return recorded({ type: 'tool.failed', at, data: { ...tag, ...failureOf(tag, verdict) } });
}

const recorded = (entry: Entry): CallDecision => ({ kind: 'record', entry });

/** A call that was sent is sent again unchanged, with its own request id. */
export function sendAgain(scope: TurnScope, place: CallScope): CallDecision {
  const { step, call, context } = place;
  const { index, requestId: request_id, input = {}, request } = call;
  const data = { ...stepTag(scope, step), request_id, index, tool: request.name };
  return clear(scope, place, {
    input,
    approved: call.approved !== undefined,
    approval: call.approved?.name,
    send: (rule) => ({ type: 'call.resent', at: context.now, data: { ...data, ...(rule && { rule }) } }),
  });
}

/** With exactly the input that was approved. A decision of which there is no record lets nothing run. */
function sendApproved(scope: TurnScope, place: CallScope, verdict: ApprovalVerdict): CallDecision {
  const { call, context } = place;
  const input = verdict.edited_input ?? call.input ?? {};
  const tag = callTagOf(scope, place);
  const at = context.now;
  const approved = approvalOf(verdict);
  if (!approved) return recorded({ type: 'tool.failed', at, data: { ...tag, input, latency_ms: 0, ...unrecorded(tag, verdict) } });
  return clear(scope, place, {
    input,
    approved: true,
    approval: verdict.name,
    send: (rule) => ({ type: 'tool.requested', at, data: { ...tag, input, approved, ...(rule && { rule }) } }),
  });
}

function approvalOf({ name, decision_record, call_hash, edited_input }: ApprovalVerdict): CallApproval | undefined {
  if (decision_record === undefined || call_hash === undefined) return undefined;
  return { name, decision_record, call_hash, edited: edited_input !== undefined };
}

function unrecorded({ tool }: CallTag, { name }: ApprovalVerdict): Failure {
  const message = `ToolApproval ${name} for the call of ${tool} was approved past the approve endpoint, so no record says for which input`;
  return { code: 'permission_denied', reason: 'decision_missing', message, retryable: false };
}

const DONE = 'The call was carried out. What it answered is not known.';

function failureOf({ tool }: CallTag, verdict: ApprovalVerdict | undefined): Failure {
  if (verdict?.decision === 'approved') {
    const message = `the call of ${tool} was interrupted and was not carried out${said(verdict)}`;
    return { code: 'execution_failed', reason: 'not_done', message, retryable: true };
  }
  if (verdict?.decision === 'denied') {
    const by = verdict.decided_by === undefined ? '' : ` by ${verdict.decided_by}`;
    const message = `ToolApproval ${verdict.name} for the call of ${tool} was denied${by}${said(verdict)}`;
    return { code: 'approval_denied', message, retryable: false };
  }
  const message = `nobody decided ToolApproval ${verdict?.name ?? ''} for the call of ${tool} in time`;
  return { code: 'approval_timeout', message, retryable: false };
}

function said({ comment }: ApprovalVerdict): string {
  return comment === undefined || comment === '' ? '' : `: ${comment}`;
}
