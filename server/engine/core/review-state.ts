// How entries about reviews change a run: an output is frozen, waits for a person, and then continues, fails or returns to its agent.
import { invariant } from '@svc/shared/errors';
import type { DataOf, EntryOf, ReviewTag } from './entries.ts';
import { sendBackMessage } from './review-messages.ts';
import type { AttemptState, ReviewState, ReviewTrack, RunState, TurnState } from './state.ts';
import { newTrack } from './turns.ts';

export function requestReview(state: RunState, attempt: AttemptState, { at, data }: EntryOf<'review.requested'>): void {
  const review: ReviewState = {
    name: data.name,
    tag: reviewTag(data),
    output: data.output,
    allowRequestChanges: data.allow_request_changes,
    maxReviewCycles: data.max_review_cycles,
    requestedAt: at,
    expiresAt: data.expires_at,
    open: true,
    verdict: undefined,
  };
  const { track, turn } = placeOf(attempt, data);
  track.current = review;
  track.asked += 1;
  state.reviews.set(review.name, review);
  if (turn) turn.awaitingSince = at;
}

/** `request_changes` puts the agent to work again; every other decision is followed by an entry of its own. */
export function resolveReview(state: RunState, attempt: AttemptState, { at, data }: EntryOf<'review.resolved'>): void {
  const { track, turn } = placeOf(attempt, data);
  const review = track.current;
  invariant(review?.name === data.name && review.open, `review ${data.name} was not requested`);
  review.open = false;
  if (turn) {
    turn.waitedMs += at - (turn.awaitingSince ?? at);
    turn.awaitingSince = undefined;
    turn.waitEndedAt = at;
  }
  if (data.decision !== 'request_changes') {
    review.verdict = data;
    return;
  }
  Object.assign(track, { current: undefined, cycle: data.review_cycle, last: data.name });
  workAgain(turn ?? reopen(attempt), { at, data });
}

/** Closes the reviews of one turn, or all: the work that waited for them is over. */
export function dropReviews(state: RunState, turnId?: string): void {
  for (const review of state.reviews.values()) if (turnId === undefined || review.tag.turn_id === turnId) review.open = false;
}

function placeOf(attempt: AttemptState, tag: ReviewTag): { readonly track: ReviewTrack; readonly turn: TurnState | undefined } {
  if (tag.checkpoint_type === 'task_output') return { track: attempt.review, turn: undefined };
  const turn = attempt.turns.get(tag.turn_id);
  invariant(turn, `no open turn ${tag.turn_id} for review ${tag.checkpoint_id}`);
  return { track: turn.review, turn };
}

/** Resumes the turn that gave the task's output. Its own reviews start at the first cycle. */
function reopen(attempt: AttemptState): TurnState {
  const turn = (attempt.final ?? attempt.furthest)?.turn;
  invariant(turn, 'no turn gave the output that was sent back');
  attempt.turns.set(turn.id, turn);
  turn.review = { ...newTrack(), asked: turn.review.asked };
  attempt.final = undefined;
  attempt.round += 1;
  // Sources that came too late for a quorum were late for the output that is worked on again.
  attempt.joins.clear();
  return turn;
}

/** Continues the conversation with a full step and time budget: earlier answers no longer count, except for the calls that were made. */
function workAgain(turn: TurnState, { at, data }: { at: number; data: DataOf<'review.resolved'> }): void {
  const { step } = turn;
  invariant(step, `turn ${turn.id} has an output without a step`);
  step.phase = 'calling';
  turn.transcript.push({ role: 'user', content: sendBackMessage(data) });
  turn.priorLabels = { ...turn.priorLabels, ...turn.labels };
  // In the dynamic profile a tool that succeeded is no longer offered; the contract still counts it.
  const done = turn.agent.profile === 'contract' ? turn.succeededTools : new Set<string>();
  Object.assign(turn, {
    stepsBefore: step.agentStep,
    succeededTools: new Set([...done].filter((tool) => turn.agent.tools.includes(tool))),
    labels: {},
    firstToolOutput: undefined,
    lastContent: '',
    lastAnswer: '',
    failure: undefined,
    warned: false,
    stop: undefined,
    startedAt: at,
    waitedMs: 0,
  });
}

function reviewTag(data: ReviewTag): ReviewTag {
  const { attempt, turn_id, agent, branch_id, checkpoint_id, checkpoint_type, review_cycle } = data;
  return { attempt, turn_id, agent, branch_id, checkpoint_id, checkpoint_type, review_cycle };
}
