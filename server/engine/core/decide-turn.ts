// The step loop of one turn: call the model, run the tools it requests, repeat until it answers or a rule ends it.
import { backoffMs } from '@svc/shared/backoff';
import { expireBreakpoint, inputOfTurn, reachBreakpoint } from './breakpoints.ts';
import { pinnedOutput } from './pins.ts';
import { cutOffCall, unknownOutcomesOf } from './approvals.ts';
import { isDenied } from './clearance.ts';
import { byRunClock, dueIn, type DecideContext, type Decision, type Effect } from './decision.ts';
import { contractGap, describeGap, contractReminder } from './contract.ts';
import type { Disposition, Entry, EntryOf, Failure } from './entries.ts';
import { requestId } from './ids.ts';
import { wouldFailJoin } from './joins.ts';
import { TRANSCRIPT_MAX_CHARS } from './limits.ts';
import { endsTask, fatalDisposition, isRetryable, messageTries } from './retry.ts';
import { requestOutputReview } from './reviews.ts';
import { reviewFailure } from './review-messages.ts';
import { handOvers, hasIgnoredRoute, isCutShort, isTooLongToRoute, outputLabels, turnsExhausted } from './routing.ts';
import { stepTag, turnTag, type TurnScope } from './scope.ts';
import type { AttemptState, ReviewState, StepState, StopState, TurnState } from './state.ts';
import { clearModel, overspent } from './model-clearance.ts';
import { callsInFlight } from './pause-state.ts';
import { abortedCall } from './sent-calls.ts';
import { decideCall } from './tool-calls.ts';
import type { PendingCall } from './verdicts.ts';

export type TurnDecision = Extract<Decision, { kind: 'record' | 'perform' | 'judge' }>;

export function decideTurn(scope: TurnScope, context: DecideContext): TurnDecision {
  const { turn, attempt } = scope;
  const { stop } = turn;
  if (stop?.open) return awaitPerson(scope, context, stop);
  if (turn.phase === 'queued') return beginTurn(scope, context);
  if (turn.phase === 'waiting') return awaitRetry(scope, context);
  if (turn.review.current) return reviewed(scope, context, turn.review.current);
  if (stop?.place === 'after') return complete(scope, context, stop.value);
  const pinned = pinnedOutput(attempt, turn);
  if (pinned) return complete(scope, context, pinned.output);
  const deadline = deadlineOf(turn);
  if (deadline !== undefined && context.now >= deadline) return fail(scope, context, timedOut(turn));
  const next = decideStep(scope, context);
  return next.kind === 'perform' && deadline !== undefined ? perform(next.effects, deadline) : next;
}

/** Deadline of this try, without the time spent waiting for approvals. */
function deadlineOf({ agent, startedAt, waitedMs, awaitingSince }: TurnState): number | undefined {
  return agent.timeoutMs > 0 && awaitingSince === undefined ? startedAt + agent.timeoutMs + waitedMs : undefined;
}

function perform(effects: readonly Effect[], wakeAt?: number): TurnDecision {
  return { kind: 'perform', effects, wakeAt };
}

function record(entry: Entry): TurnDecision {
  return { kind: 'record', entry };
}

function awaitPerson(scope: TurnScope, context: DecideContext, stop: StopState): TurnDecision {
  const at = byRunClock(context, stop.expiresAt);
  return at <= context.now ? record(expireBreakpoint(scope, stop, context.now)) : perform([], at);
}

function awaitRetry(scope: TurnScope, context: DecideContext): TurnDecision {
  const at = byRunClock(context, scope.turn.nextAttemptAt);
  return at <= context.now ? startTurn(scope, context) : perform([], at);
}

function beginTurn(scope: TurnScope, context: DecideContext): TurnDecision {
  const reached = reachBreakpoint(scope, { place: 'before', value: inputOfTurn(scope) }, context);
  return reached ? record(reached) : startTurn(scope, context);
}

function startTurn(scope: TurnScope, context: DecideContext): TurnDecision {
  const { turn } = scope;
  const data = {
    ...turnTag(scope),
    depth: turn.depth,
    message_ids: turn.inbox.map(({ id }) => id),
    message_attempt: turn.messageAttempt + 1,
    worker: context.worker,
  };
  return record({ type: 'agent.started', at: context.now, data });
}

function decideStep(scope: TurnScope, context: DecideContext): TurnDecision {
  const { turn } = scope;
  const step = turn.step;
  const inFlight = callsInFlight(turn);
  if (turn.failure) return inFlight.length > 0 ? perform(inFlight) : fail(scope, context, turn.failure);
  if (!step) return requestModel(scope, context);
  if (step.overspent) return record(overspent(scope, step.overspent, context.now));
  if (step.phase === 'model_requested')
    return step.lost ? resendModel(scope, step, context) : perform([{ kind: 'model', key: step.requestId, turn }]);
  if (step.phase === 'answered') return finishAnswer(scope, step, context);
  const cutOff = cutOffCall(scope, step, context);
  if (cutOff) return record(cutOff);
  const call = decideCalls(scope, step, context);
  if (call) return call;
  if (step.open > 0) return perform(inFlight);
  return relayOutput(scope, context) ?? requestModel(scope, context);
}

/** `stop_on_first_tool`: a tool's output is the answer once the contract's tools are done; missing markers are then only a warning. */
function relayOutput(scope: TurnScope, context: DecideContext): TurnDecision | undefined {
  const { turn } = scope;
  const output = turn.agent.toolUse === 'stop_on_first_tool' ? turn.firstToolOutput?.output : undefined;
  if (output === undefined) return undefined;
  const gap = contractGap(turn, output);
  if (!gap) return complete(scope, context, output);
  return gap.tools.length > 0
    ? undefined
    : breakContract(scope, context, { message: describeGap(turn.agent, gap), toolsDone: true, output });
}

/** The next call that can be taken further. Calls that have to be judged are judged together, and a denial comes before everything else. */
function decideCalls(scope: TurnScope, step: StepState, context: DecideContext): TurnDecision | undefined {
  const denied = step.calls.find((call) => isDenied(scope, { step, call, context }));
  if (denied) return decideCall(scope, { step, call: denied, context });
  const pendingCalls: PendingCall[] = [];
  for (const call of step.calls) {
    const next = decideCall(scope, { step, call, context });
    if (next?.kind === 'judge') pendingCalls.push(...next.pendingCalls);
    else if (next && pendingCalls.length === 0) return next;
  }
  return pendingCalls.length > 0 ? { kind: 'judge', pendingCalls } : undefined;
}

function requestModel(scope: TurnScope, context: DecideContext): TurnDecision {
  const { attempt, turn } = scope;
  const agentStep = (turn.step?.agentStep ?? 0) + 1;
  if (agentStep - turn.stepsBefore > turn.agent.maxSteps) return stepsExhausted(scope, context);
  const chars = transcriptChars(turn);
  if (chars > TRANSCRIPT_MAX_CHARS) return fail(scope, context, transcriptTooLong(turn, chars));
  const request_id = requestId({
    taskUid: attempt.snapshot.task.uid,
    attempt: attempt.number,
    turnId: turn.id,
    messageAttempt: turn.messageAttempt,
    agentStep,
  });
  return clearModel(scope, { key: request_id, context }, (token_limit) => {
    const last = turn.transcript.at(-1);
    const reminder = agentStep > 1 && last?.role === 'user' ? { reminder: last.content } : {};
    const data = { ...turnTag(scope), step: attempt.steps + 1, agent_step: agentStep, request_id, ...reminder };
    return { type: 'model.requested', at: context.now, data: { ...data, ...(token_limit && { token_limit }) } };
  });
}

/** Sent by an earlier owner of the run, which has died: sent again with the same request id, if still allowed. */
function resendModel(scope: TurnScope, step: StepState, context: DecideContext): TurnDecision {
  const data = { ...stepTag(scope, step), request_id: step.requestId };
  return clearModel(scope, { key: step.requestId, context }, (token_limit) => ({
    type: 'call.resent',
    at: context.now,
    data: { ...data, ...(token_limit && { token_limit }) },
  }));
}

/** The model answered without asking for a tool: the end, unless the answer is empty or violates the contract. */
function finishAnswer(scope: TurnScope, step: StepState, context: DecideContext): TurnDecision {
  const { turn } = scope;
  if (step.content.trim() === '') return fail(scope, context, emptyOutput(turn, step));
  const gap = contractGap(turn, step.content);
  if (!gap) return complete(scope, context, step.content);
  const message = describeGap(turn.agent, gap);
  const tag = stepTag(scope, step);
  const at = context.now;
  if (step.agentStep - turn.stepsBefore < turn.agent.maxSteps)
    return record({ type: 'contract.nudged', at, data: { ...tag, message: contractReminder(gap) } });
  return breakContract(scope, context, { message, toolsDone: gap.tools.length === 0, output: step.content });
}

/**
 * No step is left, so without an answer this is a failure. The one exception is a contract whose tools are done: its markers decide
 * whether it is kept or warned about. Text beside tool calls is not an answer.
 */
function stepsExhausted(scope: TurnScope, context: DecideContext): TurnDecision {
  const { turn } = scope;
  const { agent, lastAnswer } = turn;
  const output = lastAnswer === '' ? turn.lastContent : lastAnswer;
  const gap = contractGap(turn, output);
  const toolsMissing = gap !== undefined && gap.tools.length > 0;
  if (agent.profile === 'dynamic') return fail(scope, context, maxSteps(turn));
  if (toolsMissing && (!turn.violationSeen || lastAnswer !== ''))
    return breakContract(scope, context, { message: describeGap(agent, gap), toolsDone: false, output });
  if (lastAnswer === '' && (toolsMissing || agent.outputMarkers.length === 0)) return fail(scope, context, maxSteps(turn));
  if (!gap) return complete(scope, context, output);
  return breakContract(scope, context, { message: describeGap(agent, gap), toolsDone: true, output });
}

function breakContract(
  scope: TurnScope,
  context: DecideContext,
  { message, toolsDone, output }: { message: string; toolsDone: boolean; output: string },
): TurnDecision {
  const { turn } = scope;
  const reported = toolsDone ? turn.warned : turn.violationSeen;
  if (!turn.step || reported) return complete(scope, context, output);
  const tag = stepTag(scope, turn.step);
  const at = context.now;
  if (toolsDone) return record({ type: 'contract.warned', at, data: { ...tag, message } });
  return record({ type: 'contract.violated', at, data: { ...tag, mode: turn.agent.onContractViolation, message } });
}

function complete(scope: TurnScope, context: DecideContext, output: string): TurnDecision {
  // A reviewer sees the output after the edit.
  const asked = reachBreakpoint(scope, { place: 'after', value: output }, context) ?? requestOutputReview(scope, output, context);
  return asked ? record(asked) : completed(scope, context, output);
}

/** A reviewed output waits for its decision, and continues exactly as the reviewer saw it. */
function reviewed(scope: TurnScope, context: DecideContext, review: ReviewState): TurnDecision {
  if (!review.verdict) return perform([]);
  return review.verdict.decision === 'approved' ? completed(scope, context, review.output) : fail(scope, context, reviewFailure(review));
}

function completed(scope: TurnScope, context: DecideContext, output: string): TurnDecision {
  const { attempt, turn } = scope;
  const routes = attempt.plan.routes(turn.agent.name);
  if (isTooLongToRoute(routes, output)) return fail(scope, context, tooLongToRoute(turn, output));
  const pinned = pinnedOutput(attempt, turn);
  const recorded = pinned?.output === output ? pinned.labels : undefined;
  const own = { ...outputLabels(output), ...turn.labels };
  const labels = recorded ?? { ...turn.priorLabels, ...own };
  const ignored = !recorded && Object.keys(own).length === 0 && hasIgnoredRoute(routes, output);
  const result = { failed: false, output, labels };
  const data = {
    ...turnTag(scope),
    ...(pinned && { pinned: { ...(pinned.task !== undefined && { task: pinned.task }) } }),
    output,
    labels,
    hand_overs: handOvers(attempt, turn, result),
    ...(isCutShort(attempt, turn, result) && { turns_exhausted: true }),
    ...(ignored && { route_ignored: true }),
  };
  return record({ type: 'agent.completed', at: context.now, data });
}

// ---------------------------------------------------------------- failures

function timedOut(turn: TurnState): Failure {
  return {
    code: 'timeout',
    reason: 'agent_timeout',
    message: `agent ${turn.agent.name} did not finish within ${turn.agent.timeoutMs} ms`,
    retryable: true,
  };
}

function emptyOutput(turn: TurnState, { finishReason }: StepState): Failure {
  // Why the model stopped, where that says more: `length`, `content_filter`.
  const reason = finishReason === 'stop' ? '' : finishReason;
  const end = reason === '' ? '' : ` (it ended with ${reason}${reason === 'length' ? ': raise max_tokens' : ''})`;
  return {
    code: 'empty_output',
    ...(reason !== '' && { reason }),
    message: `the model of agent ${turn.agent.name} answered with neither text nor tool calls${end}`,
    retryable: true,
  };
}

function tooLongToRoute({ agent }: TurnState, { length }: string): Failure {
  const message = `the output of agent ${agent.name} has ${length} characters, too many for the patterns of its edges; use shorter patterns or labels`;
  return { code: 'output_too_long', message, retryable: false };
}

function transcriptChars({ transcript }: TurnState): number {
  return transcript.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
    return calls.reduce((chars, call) => chars + call.arguments.length, sum + message.content.length);
  }, 0);
}

/** Each model call encodes the whole conversation, which no model would take. */
function transcriptTooLong({ agent }: TurnState, chars: number): Failure {
  const message = `the conversation of agent ${agent.name} has ${chars} characters, more than ${TRANSCRIPT_MAX_CHARS}; let its tools return less`;
  return { code: 'conversation_too_long', message, retryable: false };
}

function maxSteps(turn: TurnState): Failure {
  const message = `agent ${turn.agent.name} gave no final answer within ${turn.agent.maxSteps} steps`;
  return { code: 'max_steps_reached', message, retryable: false };
}

/** Calls of unknown outcome get their approvals first, and the turn continues: the next attempt would send them under other request ids. */
function fail(scope: TurnScope, context: DecideContext, cause: Failure): TurnDecision {
  const { state, attempt, turn } = scope;
  const failed = failure(scope, context, cause);
  const { retryable, disposition } = failed.data;
  if (disposition.kind === 'retry') return record(failed);
  const isFollowed = retryable && attempt.number < attempt.snapshot.task.retry.maxAttempts;
  const [asked] = isFollowed ? unknownOutcomesOf(scope, context) : [];
  return record(asked ?? abortedCall(state, [turn], context.now) ?? failed);
}

function failure(scope: TurnScope, context: DecideContext, cause: Failure): EntryOf<'agent.failed'> {
  const disposition = disposeFailure(scope, context, cause);
  const retryable = isRetryable(cause, scope.attempt.snapshot.task.messageRetry);
  const data = { ...turnTag(scope), ...cause, retryable, message_attempt: scope.turn.messageAttempt, disposition };
  return { type: 'agent.failed', at: context.now, data };
}

/** Retry the message, else a route for errors, else the join it feeds, else the end of the attempt. */
function disposeFailure(scope: TurnScope, context: DecideContext, failure: Failure): Disposition {
  const { attempt, turn } = scope;
  const policy = attempt.snapshot.task.messageRetry;
  const retryable = isRetryable(failure, policy);
  if (endsTask(failure)) return { kind: 'fatal', phase: 'Failed', retry_task: false };
  // A contract violation dead-letters the Task: neither routes nor joins override it.
  if (failure.code === 'contract_violation') return fatalDisposition(failure, retryable);
  const last = afterLastTry(scope, failure, retryable);
  if (retryable && turn.messageAttempt < messageTries(policy, attempt.number, endsAttempt(scope, last, failure))) {
    const wait = backoffMs(policy, { failures: turn.messageAttempt, random: context.random(), retryAfterMs: failure.retry_after_ms });
    return { kind: 'retry', next_attempt_at: dueIn(context, wait) };
  }
  return last;
}

function afterLastTry({ attempt, turn }: TurnScope, failure: Failure, retryable: boolean): Disposition {
  const onError = handOvers(attempt, turn, { failed: true, output: failure.message, labels: turn.labels });
  if (onError.length > 0) return { kind: 'handed_over', hand_overs: onError };
  const joins = turnsExhausted(attempt, turn) ? [] : joinsFedBy(attempt, turn.agent.name);
  return joins.length > 0 ? { kind: 'join', nodes: joins } : fatalDisposition(failure, retryable);
}

function endsAttempt({ attempt, turn }: TurnScope, disposition: Disposition, failure: Failure): boolean {
  if (disposition.kind === 'join') return disposition.nodes.some((node) => wouldFailJoin(attempt, node, { turn, failure }));
  return disposition.kind === 'fatal';
}

/** Joins behind an agent, but for those that only a route for errors leads to: it was not taken. */
function joinsFedBy(attempt: AttemptState, agent: string): string[] {
  const routes = attempt.plan.routes(agent).filter(({ condition }) => condition.kind !== 'on_error');
  return [...new Set(routes.map(({ to }) => to))].filter((to) => attempt.plan.isJoin(to));
}
