// Whether a call may go out: it is judged at the moment it would be sent, and what the judge says becomes the entry that follows.
import type { JsonObject } from '@svc/shared/json';
import type { ApprovalRule, CallVerdict, RuleRef } from '../ports.ts';
import { termOf, type DecideContext } from './decision.ts';
import type { CallTag, Entry, Failure } from './entries.ts';
import { approvalName, requestId } from './ids.ts';
import { stepTag, type TurnScope } from './scope.ts';
import type { CallState, StepState } from './state.ts';
import { callSubject, toolOf, type CallRuling, type PendingCall } from './verdicts.ts';

/** Undefined while a call is in flight, waits for a person, or an equal call of the same step does. */
export type CallDecision =
  { readonly kind: 'record'; readonly entry: Entry } | { readonly kind: 'judge'; readonly pendingCalls: readonly [PendingCall] };

export interface CallScope {
  readonly step: StepState;
  readonly call: CallState;
  readonly context: DecideContext;
}

export function callTagOf(scope: TurnScope, { step, call }: Pick<CallScope, 'step' | 'call'>): CallTag {
  const { index, request } = call;
  const tag = { index, call_id: request.id, tool: request.name, request_id: callId(scope, { step, call }) };
  return { ...stepTag(scope, step), ...tag };
}

/** Once a call was sent or has an approval, it keeps its id in every attempt. */
function callId({ attempt, turn }: TurnScope, { step, call }: Pick<CallScope, 'step' | 'call'>): string {
  if (call.requestId !== '') return call.requestId;
  const { messageAttempt } = turn;
  const place = { taskUid: attempt.snapshot.task.uid, attempt: attempt.number, turnId: turn.id, messageAttempt };
  return requestId({ ...place, agentStep: step.agentStep, index: call.index });
}

/** Input to send, and the entry to record when governance allows it. */
export interface Sending {
  readonly input: JsonObject;
  /** True where a person has approved this very call: a rule that requires approval is satisfied, one that denies is not. */
  readonly approved: boolean;
  /** Name of that approval. A rule with require_other that did not cause this approval requires a second one. */
  readonly approval?: string | undefined;
  readonly send: (rule: RuleRef | undefined) => Entry;
}

export function clear(scope: TurnScope, place: CallScope, { input, approved: given, approval, send }: Sending): CallDecision {
  const { call, context } = place;
  const tag = callTagOf(scope, place);
  const tool = toolOf(scope.attempt.snapshot, call.request.name);
  // Nothing that governance could judge: the call fails by itself.
  if (!tool) return { kind: 'record', entry: send(undefined) };
  const ruling = context.verdicts.calls.get(tag.request_id);
  if (!ruling) {
    const subject = callSubject(scope, call.request.name, tool);
    return { kind: 'judge', pendingCalls: [{ kind: 'call', key: tag.request_id, subject, tool, input }] };
  }
  const approved = given && (approval === undefined || covers(scope, approval, ruling));
  const refused = refusal(ruling, approved);
  if (refused) {
    const failed = { ...tag, ...refused, latency_ms: 0, ...(call.sentAt > 0 ? { input } : { arguments: call.request.arguments }) };
    return { kind: 'record', entry: { type: 'tool.failed', at: context.now, data: failed } };
  }
  if (ruling.verdict === 'approval_required' && !approved)
    return { kind: 'record', entry: approvalRequest(tag, { ruling, input, scope, place }) };
  return { kind: 'record', entry: send(ruling.verdict === 'misfit' ? undefined : ruling.rule) };
}

/** True if every rule that requires another person is among those that requested the approval. */
function covers({ state }: TurnScope, approval: string, ruling: CallRuling): boolean {
  if (ruling.verdict !== 'approval_required') return true;
  const asked = state.approvals.get(approval)?.askedBy ?? [];
  const isKnown = (rule: ApprovalRule) => asked.some(({ namespace, name }) => namespace === rule.namespace && name === rule.name);
  return ruling.askedBy.every((rule) => rule.require_other !== true || isKnown(rule));
}

function refusal(ruling: CallRuling, approved: boolean): (Failure & { readonly rule?: RuleRef }) | undefined {
  if (ruling.verdict === 'misfit') return ruling.failure;
  // An approved call is sent, with the retries of its tool.
  if (ruling.verdict === 'approval_required') return approved ? undefined : ruling.unrunnable;
  if (ruling.verdict !== 'deny') return undefined;
  const { code, reason, message, rule } = ruling;
  return { code, reason, message, retryable: false, rule };
}

interface RequiredApproval {
  readonly ruling: Extract<CallVerdict, { verdict: 'approval_required' }>;
  readonly input: JsonObject;
  readonly scope: TurnScope;
  readonly place: CallScope;
}

function approvalRequest(tag: CallTag, { ruling, input, scope: { attempt }, place: { call, context } }: RequiredApproval): Entry {
  const { rule, operation, reason: why, ttlMs, askedBy: asked_by } = ruling;
  const name = approvalName({ taskUid: attempt.snapshot.task.uid, requestId: tag.request_id, round: call.asked + 1 });
  const data = { ...tag, name, reason: 'policy' as const, input, ...termOf(context, ttlMs), rule, operation, why, asked_by };
  return { type: 'approval.requested', at: context.now, data };
}

/** Denials, of a rule or of a person, come before everything else of a step: what is denied ends it, and then nothing more should go out. */
export function isDenied(scope: TurnScope, place: CallScope): boolean {
  const { call, context } = place;
  if (call.phase === 'decided' && call.verdict?.decision !== 'approved') return true;
  const open = call.phase === 'new' || call.phase === 'decided' || call.lost;
  return open && context.verdicts.calls.get(callId(scope, place))?.verdict === 'deny';
}
