// Current activity of a run: approvals first, then every turn, then every join. Pure.
import { openApprovals } from '../core/approvals.ts';
import { judgeJoin, livePlaces } from '../core/joins.ts';
import { reviewedOutput } from '../core/review-messages.ts';
import { mayRequestChanges, openReviews } from '../core/reviews.ts';
import type {
  ApprovalState,
  AttemptState,
  CallState,
  JoinState,
  ReviewState,
  RunState,
  StepState,
  StopState,
  TurnState,
} from '../core/state.ts';
import { elapsed, momentOf, remaining, type Reason } from './reason.ts';

export function activity(state: RunState, now: number): Reason[] {
  const { attempt } = state;
  const namespace = attempt?.snapshot.task.namespace;
  const calls = openApprovals(state).map((approval) => callWait(approval, namespace));
  const outputs = openReviews(state).map((review) => reviewWait(review, namespace));
  const approvals = [...calls, ...outputs];
  if (!attempt) return approvals;
  const turns = [...attempt.turns.values()].flatMap((turn) => turnReasons({ attempt, turn, now }));
  const joins = [...attempt.joins.values()].filter(({ arrivals }) => arrivals.size > 0).map((join) => joinReason(attempt, join));
  return [...approvals, ...turns, ...joins];
}

function callWait(approval: ApprovalState, namespace: Namespace): Reason {
  const { name, call, reason, sentAt, expiresAt, input } = approval;
  const until = momentOf(expiresAt);
  const lost =
    `a person must report the outcome of the call of ${call.tool} by agent ${call.agent}, sent at ${momentOf(sentAt)}: ` +
    `decide ToolApproval ${name} until ${until}; approve with outcome done, not_done or run_again, or deny`;
  const held =
    `a person must allow the call of ${call.tool} by agent ${call.agent} with input ${shortened(JSON.stringify(input))}: ` +
    `decide ToolApproval ${name} until ${until}; approve (with edited input if need be) or deny`;
  return waitReason('ToolApproval', { name, until, namespace, message: reason === 'unknown_outcome' ? lost : held });
}

function reviewWait(review: ReviewState, namespace: Namespace): Reason {
  const { name, tag, expiresAt, maxReviewCycles } = review;
  const until = momentOf(expiresAt);
  const choices = mayRequestChanges(review) ? 'approve, deny or request changes' : 'approve or deny';
  const message =
    `a person must review ${reviewedOutput(review)} (${tag.checkpoint_id}, cycle ${tag.review_cycle} of at most ${maxReviewCycles}): ` +
    `decide TaskApproval ${name} until ${until}; ${choices}`;
  return waitReason('TaskApproval', { name, until, namespace, message });
}

type Namespace = string | undefined;

interface OpenApproval {
  readonly name: string;
  readonly until: string;
  readonly namespace: Namespace;
  readonly message: string;
}

function waitReason(kind: string, { name, until, namespace, message }: OpenApproval): Reason {
  return { code: 'waiting_approval', message, until, object: { kind, ...(namespace !== undefined && { namespace }), name } };
}

const INPUT_SHOWN_CHARS = 200;

function shortened(text: string): string {
  return text.length > INPUT_SHOWN_CHARS ? `${text.slice(0, INPUT_SHOWN_CHARS)}…` : text;
}

function stopReason({ place, since, expiresAt }: StopState, who: string): Reason {
  const until = momentOf(expiresAt);
  const [where, text] = place === 'before' ? ['before its turn', 'input'] : ['before its output is routed', 'output'];
  const message = `${who} waits at a breakpoint ${where}: continue it, with another ${text} if need be, or end it, until ${until}; after that the run ends as breakpoint_timeout`;
  return { code: 'breakpoint', message, since: momentOf(since), until };
}

interface Place {
  readonly attempt: AttemptState;
  readonly turn: TurnState;
  readonly now: number;
}

function turnReasons(place: Place): Reason[] {
  const { turn, attempt, now } = place;
  const who = `agent ${turn.agent.name} (branch ${turn.branchId})`;
  const object = { kind: 'Agent', namespace: attempt.snapshot.system.namespace, name: turn.agent.name };
  if (turn.stop?.open) return [{ ...stopReason(turn.stop, who), object }];
  if (turn.phase === 'queued') return [{ code: 'agent_queued', message: `${who} is about to start`, object }];
  if (turn.phase === 'waiting') {
    const message = `${who} is retried ${remaining(turn.nextAttemptAt, now)}, try ${turn.messageAttempt + 1}`;
    return [{ code: 'retry_wait', message, until: momentOf(turn.nextAttemptAt), object }];
  }
  const step = turn.step;
  if (step?.phase === 'model_requested') return [modelReason(place, step, who)];
  return (step?.calls ?? []).filter(({ phase }) => phase === 'requested').map((call) => toolReason(place, call, who));
}

function modelReason({ attempt, turn, now }: Place, { agentStep, requestedAt }: StepState, who: string): Reason {
  const model = attempt.snapshot.models[turn.agent.model];
  const endpoint = model ? `${model.namespace}/${model.name}` : turn.agent.model;
  const message = `${who} has waited ${elapsed(requestedAt, now)} for ModelEndpoint ${endpoint}, step ${agentStep}`;
  const object = model && { kind: 'ModelEndpoint', namespace: model.namespace, name: model.name };
  return { code: 'model_call', message, since: momentOf(requestedAt), ...(object && { object }) };
}

function toolReason({ attempt, now }: Place, { request, sentAt }: CallState, who: string): Reason {
  const tool = attempt.snapshot.tools[request.name];
  const message = `${who} has waited ${elapsed(sentAt, now)} for Tool ${request.name}`;
  const object = tool && { kind: 'Tool', namespace: tool.namespace, name: tool.name };
  return { code: 'tool_call', message, since: momentOf(sentAt), ...(object && { object }) };
}

function joinReason(attempt: AttemptState, join: JoinState): Reason {
  const { sources, required } = judgeJoin(attempt, join, livePlaces(attempt)).count;
  const named = (state: string) => sources.filter((source) => source.state === state).map(({ agent }) => agent);
  const failed = named('failed');
  const parts = [
    `agent ${join.node} waits for ${named('pending').join(', ') || 'nobody'}`,
    `it has input from ${named('arrived').join(', ') || 'nobody'} and needs ${required}`,
    ...(failed.length > 0 ? [`${failed.join(', ')} failed`] : []),
  ];
  const object = { kind: 'Agent', namespace: attempt.snapshot.system.namespace, name: join.node };
  return { code: 'join_wait', message: parts.join('; '), object };
}
