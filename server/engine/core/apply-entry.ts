// Folds one journal entry into the state of its run. Deterministic and synchronous: no clock, no I/O, no decisions — what to do next is decide's.
import { invariant } from '@svc/shared/errors';
import { approveCall, addPendingApproval, dropApprovals, endWait, modelError, modelOutput } from './approval-state.ts';
import { leaveBreakpoint, stopTurn } from './breakpoints.ts';
import { countPin } from './pins.ts';
import { receive } from './received.ts';
import { callKey, loseCalls, resend, sendCall } from './call-state.ts';
import type { DataOf, Entry, Failure, HandOver, StepTag, TurnTag } from './entries.ts';
import { graphPlan } from './graph-plan.ts';
import { isDeepBranch } from './ids.ts';
import { openingMessages } from './input.ts';
import { arriveAtJoin, applyToJoin, followTurn } from './join-state.ts';
import { readSnapshot } from './snapshot.ts';
import { restoreRun } from './restore.ts';
import type { AttemptState, CallState, FinalOutput, Message, RunState, TurnState } from './state.ts';
import { dropReviews, requestReview, resolveReview } from './review-state.ts';
import { pauseRun, resumeRun } from './pause-state.ts';
import { newTrack, nextTry, openTurn } from './turns.ts';

/** States that an entry has changed halfway: they stand for no journal. */
const broken = new WeakSet<RunState>();

/**
 * Folds an entry into `state`, in place: a copy for each step would cost the length of the run. Only the caller owns the state; a state whose
 * entries were not recorded is dropped and folded again. An entry that does not fit throws, and so does every later use of that state.
 */
export function applyEntry(state: RunState, entry: Entry): void {
  invariant(!broken.has(state), 'this state was changed halfway by an entry that does not fit; fold the journal afresh');
  try {
    applyToRun(state, entry);
  } catch (error) {
    broken.add(state);
    throw error;
  }
}

function applyToRun(state: RunState, entry: Entry): void {
  switch (entry.type) {
    case 'run.claimed':
      return loseCalls(state);
    case 'run.released':
      return;
    case 'run.started':
      return startAttempt(state, entry.data, entry.at);
    case 'run.restored':
      return restoreRun(state, entry);
    case 'run.retry_scheduled':
      return scheduleAttempt(state, entry.data);
    case 'run.completed':
      return end(state, { phase: 'Succeeded', at: entry.at, failure: undefined, output: entry.data.output });
    case 'run.failed':
      return end(state, { phase: entry.data.phase, at: entry.at, failure: failureOf(entry.data), output: entry.data.output });
    case 'cancel.requested':
      state.cancel = entry.data;
      return;
    case 'run.paused':
      return pauseRun(state, entry);
    case 'run.resumed':
      return resumeRun(state, entry);
    default:
      return applyToAttempt(state, entry);
  }
}

type AttemptEntry = Exclude<Entry, { type: `run.${string}` | 'cancel.requested' }>;

function applyToAttempt(state: RunState, entry: AttemptEntry): void {
  const attempt = state.attempt;
  invariant(attempt, `${entry.type} before run.started`);
  switch (entry.type) {
    case 'message.skipped':
    case 'join.waiting':
    case 'join.skipped':
    case 'join.failed':
    case 'join.released':
      return applyToJoin(attempt, entry);
    case 'agent.started':
      return startTurn(attempt, entry.data, entry.at);
    case 'agent.completed':
      return completeTurn(state, attempt, entry.data);
    case 'agent.failed':
      return failTurn(state, attempt, entry.data);
    case 'breakpoint.reached':
      return stopTurn(turnOf(attempt, entry.data), entry);
    case 'breakpoint.resolved':
      return leaveBreakpoint({ state, attempt, turn: turnOf(attempt, entry.data) }, entry);
    case 'turn.refused':
      turnOf(attempt, entry.data).failure = failureOf(entry.data);
      return;
    case 'review.requested':
      return requestReview(state, attempt, entry);
    case 'review.resolved':
      return resolveReview(state, attempt, entry);
    default:
      return applyToStep(state, attempt, entry);
  }
}

type StepEntry = Extract<AttemptEntry, { data: StepTag }>;

function applyToStep(state: RunState, attempt: AttemptState, entry: StepEntry): void {
  const turn = turnOf(attempt, entry.data);
  switch (entry.type) {
    case 'model.requested':
      attempt.steps = entry.data.step;
      turn.step = {
        step: entry.data.step,
        agentStep: entry.data.agent_step,
        requestId: entry.data.request_id,
        requestedAt: entry.at,
        lost: false,
        tokenLimit: entry.data.token_limit,
        overspent: undefined,
        phase: 'model_requested',
        content: '',
        finishReason: '',
        calls: [],
        open: 0,
      };
      turn.firstToolOutput = undefined;
      return;
    case 'model.completed':
      return answer(state, turn, entry.data);
    case 'model.failed':
      turn.failure = failureOf(entry.data);
      state.lastEvent = 'model_error';
      return;
    case 'tool.requested': {
      const call = callOf(turn, entry.data.index);
      if (call.sentAt === 0) state.toolCalls += 1;
      return sendCall(call, entry);
    }
    case 'call.resent':
      return resend(turn, entry);
    case 'approval.requested':
      return addPendingApproval(state, { turn, call: callOf(turn, entry.data.index) }, entry);
    case 'approval.resolved':
      return approveCall(state, { turn, call: callOf(turn, entry.data.index) }, entry);
    case 'tool.completed':
      endWait(state, { turn, call: callOf(turn, entry.data.index) }, entry.at);
      return completeCall(state, turn, entry.data);
    case 'tool.failed':
      endWait(state, { turn, call: callOf(turn, entry.data.index) }, entry.at);
      return failCall(state, turn, entry.data);
    case 'contract.nudged':
      turn.transcript.push({ role: 'user', content: entry.data.message });
      if (turn.step) turn.step.phase = 'calling';
      return;
    case 'contract.violated':
      turn.violationSeen = true;
      if (entry.data.mode === 'non_retryable_error')
        turn.failure = { code: 'contract_violation', message: entry.data.message, retryable: false };
      return;
    case 'contract.warned':
      turn.warned = true;
      return;
  }
}

function failureOf(data: Failure): Failure {
  const { code, message, retryable, reason, retry_after_ms } = data;
  return { code, message, retryable, ...(reason !== undefined && { reason }), ...(retry_after_ms !== undefined && { retry_after_ms }) };
}

function turnOf(attempt: AttemptState, tag: TurnTag): TurnState {
  const turn = attempt.turns.get(tag.turn_id);
  invariant(turn, `no open turn ${tag.turn_id}`);
  return turn;
}

function callOf(turn: TurnState, index: number): CallState {
  const call = turn.step?.calls[index];
  invariant(call, `no call ${index} in the step of turn ${turn.id}`);
  return call;
}

// ---------------------------------------------------------------- attempts

function startAttempt(state: RunState, data: DataOf<'run.started'>, at: number): void {
  const snapshot = readSnapshot(data.snapshot);
  const attempt: AttemptState = {
    number: data.attempt,
    snapshot,
    plan: graphPlan(snapshot),
    steps: 0,
    children: new Map(),
    roots: 0,
    turns: new Map(),
    joins: new Map(),
    messages: 0,
    final: undefined,
    furthest: undefined,
    fatal: undefined,
    review: newTrack(),
    round: 0,
  };
  state.status = 'running';
  state.attempt = attempt;
  state.attempts = data.attempt;
  state.startedAt ||= at;
  state.lastEvent = 'task_start';
  deliverAll(attempt, data.hand_overs, { from: '', turnId: '', content: '' });
  receive(attempt);
}

function scheduleAttempt(state: RunState, data: DataOf<'run.retry_scheduled'>): void {
  state.status = 'retrying';
  state.nextAttemptAt = data.next_attempt_at;
  state.lastFailure = failureOf(data);
  state.attempt = undefined;
  dropApprovals(state);
  dropReviews(state);
}

function end(state: RunState, result: NonNullable<RunState['end']>): void {
  state.status = 'finished';
  state.end = result;
  dropApprovals(state);
  dropReviews(state);
  state.lastFailure = result.failure;
}

/** Turn that hands over, and its output; all empty for the messages that start a run. */
interface MessageOrigin {
  readonly from: string;
  readonly turnId: string;
  readonly content: string;
}

function deliverAll(attempt: AttemptState, handOvers: readonly HandOver[], origin: MessageOrigin): void {
  for (const handOver of handOvers) deliver(attempt, handOver, origin);
  followTurn(
    attempt,
    origin.turnId,
    handOvers.map(({ message_id }) => message_id),
  );
}

/** Puts a message where it belongs: a turn of its own, or the join it feeds. */
function deliver(attempt: AttemptState, handOver: HandOver, origin: MessageOrigin): void {
  const message: Message = {
    id: handOver.message_id,
    from: origin.from,
    to: handOver.to_agent,
    branchId: handOver.branch_id,
    depth: handOver.depth,
    content: origin.content,
  };
  attempt.messages += 1;
  countBranch(attempt, handOver);
  if (message.from !== '' && attempt.plan.isJoin(message.to)) {
    const { branchId, depth } = message;
    const way = { node: message.to, turnId: origin.turnId };
    return arriveAtJoin(attempt, way, { source: message.from, branchId, depth, message, failure: undefined });
  }
  openTurn(attempt, {
    id: message.id,
    agent: message.to,
    branchId: message.branchId,
    depth: message.depth,
    inbox: [message],
    failedSources: [],
  });
}

function countBranch(attempt: AttemptState, { branch_id: branch, parent_branch_id: parent }: HandOver): void {
  if (parent === undefined) {
    attempt.roots = Math.max(attempt.roots, Number.parseInt(branch.slice(1), 10));
    return;
  }
  attempt.children.set(parent, (attempt.children.get(parent) ?? 0) + 1);
  if (isDeepBranch(branch)) (attempt.parents ??= new Map()).set(branch, parent);
}

// ---------------------------------------------------------------- turns

function startTurn(attempt: AttemptState, data: DataOf<'agent.started'>, at: number): void {
  const turn = turnOf(attempt, data);
  turn.phase = 'active';
  turn.messageAttempt = data.message_attempt;
  turn.startedAt = at;
  // A later try continues from the steps it kept.
  if (turn.step) return;
  turn.transcript = openingMessages({
    agent: turn.agent,
    task: attempt.snapshot.task,
    inbox: turn.inbox,
    failedSources: turn.failedSources,
    edited: turn.input,
  });
}

function completeTurn(state: RunState, attempt: AttemptState, data: DataOf<'agent.completed'>): void {
  const turn = turnOf(attempt, data);
  attempt.turns.delete(turn.id);
  countPin(attempt, data);
  turn.review.current = undefined;
  state.lastEvent = 'agent_end';
  deliverAll(attempt, data.hand_overs, { from: turn.agent.name, turnId: turn.id, content: data.output });
  const kept = attempt.snapshot.system.completionReview ? turn : undefined;
  const done = { agent: turn.agent.name, output: data.output, depth: turn.depth, branchId: turn.branchId, turn: kept };
  attempt.furthest = later(attempt.furthest, done);
  if (data.hand_overs.length === 0) attempt.final = later(attempt.final, done);
}

/** Deeper wins, then the later branch, then the later name: the choice does not depend on which of two parallel branches ended last. */
function later(known: FinalOutput | undefined, next: FinalOutput): FinalOutput {
  if (!known) return next;
  if (known.depth !== next.depth) return known.depth > next.depth ? known : next;
  if (known.branchId !== next.branchId) return known.branchId > next.branchId ? known : next;
  return known.agent > next.agent ? known : next;
}

function failTurn(state: RunState, attempt: AttemptState, data: DataOf<'agent.failed'>): void {
  const turn = turnOf(attempt, data);
  const failure = failureOf(data);
  state.lastEvent = 'agent_error';
  dropApprovals(state, turn.id);
  dropReviews(state, turn.id);
  const { disposition } = data;
  if (disposition.kind === 'retry') {
    Object.assign(turn, nextTry(turn));
    turn.phase = 'waiting';
    state.lastFailure = failure;
    turn.nextAttemptAt = disposition.next_attempt_at;
    return;
  }
  attempt.turns.delete(turn.id);
  if (disposition.kind === 'fatal')
    attempt.fatal = { agent: turn.agent.name, phase: disposition.phase, failure, retryTask: disposition.retry_task };
  if (disposition.kind === 'handed_over') {
    const content = `${failure.code}: ${failure.message}`;
    deliverAll(attempt, disposition.hand_overs, { from: turn.agent.name, turnId: turn.id, content });
  }
  if (disposition.kind === 'join') {
    for (const node of disposition.nodes) {
      const depth = turn.depth + 1;
      const way = { node, turnId: turn.id };
      arriveAtJoin(attempt, way, { source: turn.agent.name, branchId: turn.branchId, depth, message: undefined, failure });
    }
    followTurn(attempt, turn.id, []);
  }
}

// ---------------------------------------------------------------- steps

function answer(state: RunState, turn: TurnState, data: DataOf<'model.completed'>): void {
  const step = turn.step;
  invariant(step, `model.completed without a request in turn ${turn.id}`);
  spend(state, data.usage, data.cost_usd);
  state.lastEvent = 'model_output';
  // Each answer is held against the budget as it comes, whatever other branches have in flight.
  step.overspent = step.tokenLimit && state.tokensUsed > step.tokenLimit.tokens ? step.tokenLimit : undefined;
  step.content = data.content;
  step.finishReason = data.finish_reason;
  step.calls = data.tool_calls.map((request, index) => ({
    request,
    index,
    phase: 'new',
    input: undefined,
    proposed: undefined,
    requestId: '',
    sentAt: 0,
    lost: false,
    asked: 0,
    verdict: undefined,
    approved: undefined,
    result: undefined,
  }));
  step.open = step.calls.length;
  step.phase = step.calls.length > 0 ? 'calling' : 'answered';
  if (data.content !== '') turn.lastContent = data.content;
  if (data.content !== '' && step.calls.length === 0) turn.lastAnswer = data.content;
  turn.transcript.push({
    role: 'assistant',
    content: data.content,
    ...(step.calls.length > 0 && { toolCalls: data.tool_calls }),
    ...(data.provider_state && { providerState: data.provider_state }),
  });
}

/** Counts a model call, also one that a tool made. */
function spend(state: RunState, { inputTokens, outputTokens }: DataOf<'model.completed'>['usage'], costUsd: number | undefined): void {
  state.tokensUsed += inputTokens + outputTokens;
  state.outputTokens += outputTokens;
  state.costUsd += costUsd ?? 0;
  state.unpricedCalls += costUsd === undefined ? 1 : 0;
}

function completeCall(state: RunState, turn: TurnState, data: DataOf<'tool.completed'>): void {
  const call = callOf(turn, data.index);
  state.lastEvent = 'tool_call';
  if (data.usage) spend(state, data.usage, data.cost_usd);
  const { index, output } = data;
  const shownOutput = modelOutput(call, output);
  const called = data.source === 'tool' || data.source === 'person';
  if (called) for (const input of [call.input, call.proposed]) if (input) turn.succeededCalls.set(callKey(data.tool, input), shownOutput);
  turn.succeededTools.add(data.tool);
  if (data.labels) turn.labels = { ...turn.labels, ...data.labels };
  if (called && index < (turn.firstToolOutput?.index ?? Infinity)) turn.firstToolOutput = { index, output };
  settleCall(turn, call, { content: shownOutput, ok: true });
}

function failCall(state: RunState, turn: TurnState, data: DataOf<'tool.failed'>): void {
  const call = callOf(turn, data.index);
  state.lastEvent = 'tool_error';
  if (TERMINAL_TOOL_ERRORS.has(data.code)) turn.failure = failureOf(data);
  settleCall(turn, call, { content: modelError(call, data), ok: false });
}

/** Tool failures that end the turn instead of going back to the model. */
const TERMINAL_TOOL_ERRORS: ReadonlySet<string> = new Set(['permission_denied', 'policy_violation', 'approval_denied', 'approval_timeout']);

/** When the last call of a step has its result, all go to the transcript in the order of the calls. */
function settleCall(turn: TurnState, call: CallState, result: NonNullable<CallState['result']>): void {
  const step = turn.step;
  invariant(step && call.phase !== 'done', `call ${call.index} of turn ${turn.id} has a result already`);
  call.phase = 'done';
  call.result = result;
  step.open -= 1;
  if (step.open > 0) return;
  for (const { request, result: toolResult } of step.calls) {
    turn.transcript.push({
      role: 'tool',
      toolCallId: request.id,
      toolName: request.name,
      content: toolResult?.content ?? '',
      ...(toolResult?.ok === false && { isError: true }),
    });
  }
}
