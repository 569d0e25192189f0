// Decides the next step of a run. Pure: the folded state, the time and a random number in; entries to record or effects to perform out.
import type { Entry, EntryOf, Failure, JoinSource } from './entries.ts';
import { decideTurn } from './decide-turn.ts';
import { dueIn, type DecideContext, type DecideMoment, type Decision, type Effect } from './decision.ts';
import { joinedBranch, joinTurnId } from './ids.ts';
import { judgeJoin, livePlaces, type JoinVerdict } from './joins.ts';
import { JOIN_NAMES_MAX, MESSAGES_MAX } from './limits.ts';
import { callsInFlight } from './pause-state.ts';
import { endsTask, isRetryable, taskBackoffMs } from './retry.ts';
import { requestCompletionReview } from './reviews.ts';
import { reviewFailure } from './review-messages.ts';
import { abortedCall, awaitSentCalls } from './sent-calls.ts';
import type { AttemptState, FinalOutput, JoinState, RunState } from './state.ts';
import type { PendingCall } from './verdicts.ts';

export function decide(state: RunState, context: DecideContext): Decision {
  if (state.status === 'finished') return { kind: 'finished' };
  if (state.cancel) return endWith(state, failRun(state, context.now, { failure: cancelled(state.cancel.reason), phase: 'Failed' }));
  if (state.paused)
    return { kind: 'perform', effects: [...(state.attempt?.turns.values() ?? [])].flatMap(callsInFlight), wakeAt: undefined };
  if (state.status === 'retrying') return { kind: 'next_attempt', at: state.nextAttemptAt };
  const attempt = state.attempt;
  if (!attempt) return { kind: 'next_attempt', at: dueIn(context, 0) };
  if (attempt.fatal) return decideAttemptEnd(state, attempt, context);
  if (attempt.messages > MESSAGES_MAX) return endWith(state, failRun(state, context.now, { failure: tooManyMessages(), phase: 'Failed' }));
  const turns = decideTurns(state, attempt, context);
  if (turns.kind === 'record') return turns;
  const joins = decideJoins(attempt, context.now);
  if (joins) return record(joins);
  if (attempt.turns.size === 0) return decideEnd(state, attempt, context);
  return turns;
}

function record(entry: Entry): Decision {
  return { kind: 'record', entry };
}

/** Calls in flight are recorded as aborted before their attempt or run ends. */
function endWith(state: RunState, end: Entry): Decision {
  return record(abortedCall(state, state.attempt?.turns.values() ?? [], end.at) ?? end);
}

function decideTurns(
  state: RunState,
  attempt: AttemptState,
  context: DecideContext,
): Exclude<Decision, { kind: 'next_attempt' | 'finished' }> {
  const effects: Effect[] = [];
  const pendingCalls: PendingCall[] = [];
  let wakeAt: number | undefined;
  for (const turn of attempt.turns.values()) {
    const next = decideTurn({ state, attempt, turn }, context);
    if (next.kind === 'record') return next;
    if (next.kind === 'judge') pendingCalls.push(...next.pendingCalls);
    else effects.push(...next.effects);
    if (next.kind === 'perform' && next.wakeAt !== undefined) wakeAt = Math.min(wakeAt ?? Infinity, next.wakeAt);
  }
  // All branches are judged together, once each has come as far as it can.
  if (pendingCalls.length > 0) return { kind: 'judge', pendingCalls };
  return { kind: 'perform', effects, wakeAt };
}

// ---------------------------------------------------------------- joins

function decideJoins(attempt: AttemptState, at: number): Entry | undefined {
  const waiting: JoinState[] = [];
  for (const join of attempt.joins.values()) {
    const late = join.lateMessages[0];
    if (late) {
      const reason = `${join.node} was released before this message arrived`;
      return { type: 'message.skipped', at, data: { attempt: attempt.number, message_id: late.id, node: join.node, reason } };
    }
    if (join.arrivals.size > 0) waiting.push(join);
  }
  if (waiting.length === 0) return undefined;
  const judging = { joins: waiting, places: livePlaces(attempt), at };
  const entry = firstSettled(attempt, judging);
  if (entry) return entry;
  // Joins that wait for each other would wait forever: with no turn in flight nothing more can arrive.
  return attempt.turns.size > 0 ? firstWait(attempt, judging) : firstSettled(attempt, { ...judging, places: new Set() });
}

interface Judging {
  readonly joins: readonly JoinState[];
  readonly places: ReadonlySet<string>;
  readonly at: number;
}

function firstSettled(attempt: AttemptState, { joins, places, at }: Judging): Entry | undefined {
  for (const join of joins) {
    const entry = joinEntry({ attempt, join, at }, judgeJoin(attempt, join, places));
    if (entry) return entry;
  }
  return undefined;
}

/** Each message that has to wait for others is recorded once. */
function firstWait(attempt: AttemptState, { joins, places, at }: Judging): Entry | undefined {
  for (const join of joins) {
    if (join.arrivals.size === join.announced) continue;
    const arrival = [...join.arrivals.values()].slice(join.announced).find(({ message }) => message);
    if (!arrival?.message) continue;
    const { sources, expected, required } = judgeJoin(attempt, join, places).count;
    const named = (state: JoinSource['state']) => sources.flatMap((source) => (source.state === state ? [source.agent] : []));
    const { source, branchId, message } = arrival;
    const counts = { arrived: named('arrived').length, expected, quorum_required: required };
    const place = { attempt: attempt.number, node: join.node, branch_id: branchId, source, message_id: message.id };
    return { type: 'join.waiting', at, data: { ...place, ...counts, waits_for: named('pending').slice(0, JOIN_NAMES_MAX) } };
  }
  return undefined;
}

function joinEntry({ attempt, join, at }: { attempt: AttemptState; join: JoinState; at: number }, verdict: JoinVerdict): Entry | undefined {
  const { count } = verdict;
  const base = { attempt: attempt.number, node: join.node };
  if (verdict.kind === 'wait') return undefined;
  if (verdict.kind === 'skip') return { type: 'join.skipped', at, data: { ...base, sources: count.sources } };
  if (verdict.kind === 'fail') {
    const retry_task = isRetryable(verdict.failure, attempt.snapshot.task.messageRetry);
    return { type: 'join.failed', at, data: { ...base, ...verdict.failure, retry_task } };
  }
  const arrivals = [...join.arrivals.values()];
  const depth = Math.max(...arrivals.map((arrival) => arrival.depth));
  const branches = arrivals.map((arrival) => arrival.branchId);
  const branchId = joinedBranch(branches, attempt.parents);
  const { number, round } = attempt;
  const place = { taskUid: attempt.snapshot.task.uid, attempt: number, branchId, from: 'join', to: join.node, depth, round };
  return {
    type: 'join.released',
    at,
    data: {
      ...base,
      turn_id: joinTurnId(place),
      agent: join.node,
      branch_id: branchId,
      mode: attempt.plan.join(join.node).mode,
      depth,
      expected: count.expected,
      quorum_required: count.required,
      sources: count.sources,
      message_ids: arrivals.flatMap(({ message }) => message?.id ?? []).sort(),
      activated_by: arrivals.at(-1)?.source ?? '',
    },
  };
}

// ---------------------------------------------------------------- ends

function cancelled(reason: string): Failure {
  return { code: 'cancelled', message: reason, retryable: false };
}

function tooManyMessages(): Failure {
  return { code: 'message_limit_reached', message: `the run produced more than ${MESSAGES_MAX} messages`, retryable: false };
}

/** Before the next attempt, waits for the outcomes of sent calls whose tools have `on_unknown_outcome: ask`. */
function decideAttemptEnd(state: RunState, attempt: AttemptState, context: DecideContext): Decision {
  const end = endAttempt(state, attempt, context);
  return (end.type === 'run.retry_scheduled' ? awaitSentCalls(state, attempt, context) : undefined) ?? endWith(state, end);
}

function endAttempt(state: RunState, attempt: AttemptState, moment: DecideMoment): Entry {
  const { now } = moment;
  const { fatal, snapshot } = attempt;
  const { failure, phase, retryTask } = fatal ?? { failure: tooManyMessages(), phase: 'Failed', retryTask: false };
  const { task } = snapshot;
  const denied = deniedIn(attempt);
  if (denied) return failRun(state, now, { failure: denied, phase: 'Failed' });
  if (!retryTask || attempt.number >= task.retry.maxAttempts) return failRun(state, now, { failure, phase });
  const next_attempt_at = dueIn(moment, taskBackoffMs(task, attempt.number, failure));
  return { type: 'run.retry_scheduled', at: now, data: { attempt: attempt.number, ...failure, next_attempt_at } };
}

/** A denial ends the Task also where another branch has failed first, while the denied turn still had calls in flight. */
function deniedIn({ turns }: AttemptState): Failure | undefined {
  return [...turns.values()].find(({ failure }) => failure && endsTask(failure))?.failure;
}

/** Ends a run; also used for one that never started (cancelled while queued, failed validation). */
export function failRun(
  state: RunState,
  at: number,
  { failure, phase }: { failure: Failure; phase: EntryOf<'run.failed'>['data']['phase'] },
): Entry {
  return { type: 'run.failed', at, data: { attempt: state.attempts, ...failure, phase, output: failedOutput(state) } };
}

/** Everything is done. The run completes, once a person has approved its output if its system requires that. */
function decideEnd(state: RunState, attempt: AttemptState, moment: DecideMoment): Decision {
  const { now: at } = moment;
  const review = attempt.review.current;
  if (!review) return record(requestCompletionReview(attempt, finalOf(attempt), moment) ?? completeRun(state, attempt, at));
  if (!review.verdict) return { kind: 'perform', effects: [], wakeAt: undefined };
  if (review.verdict.decision === 'approved') return record(completeRun(state, attempt, at));
  return record(failRun(state, at, { failure: reviewFailure(review), phase: 'Failed' }));
}

function completeRun(state: RunState, attempt: AttemptState, at: number): Entry {
  return { type: 'run.completed', at, data: { attempt: attempt.number, output: outputOf(state, finalOf(attempt)) } };
}

function finalOf(attempt: AttemptState): FinalOutput | undefined {
  return attempt.final ?? attempt.furthest;
}

/** A run that failed has no output but the one that its completion review refused: the text of another agent or branch is not its result. Such texts are in the trace. */
function failedOutput(state: RunState): Record<string, string> {
  const { attempt } = state;
  if (attempt?.review.current?.verdict) return outputOf(state, finalOf(attempt));
  const agent = attempt?.fatal?.agent ?? (attempt && finalOf(attempt)?.agent) ?? '';
  return outputOf(state, { agent, output: '' });
}

/** `status.output` of a run. */
function outputOf(state: RunState, final: Pick<FinalOutput, 'agent' | 'output'> | undefined): Record<string, string> {
  return {
    last_output: final?.output ?? '',
    last_agent: final?.agent ?? '',
    last_tool_calls: String(state.toolCalls),
    last_event: state.lastEvent,
    tokens_used_total: String(state.tokensUsed),
  };
}
