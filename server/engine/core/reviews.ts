// Outputs that a person reviews before the run continues: which need a review, and the consequence of a decision.
import { termOf, type Moment } from './decision.ts';
import type { Entry, ReviewTag, ReviewVerdict } from './entries.ts';
import { reviewName } from './ids.ts';
import { turnTag, type TurnScope } from './scope.ts';
import type { ReviewPoint } from './snapshot.ts';
import type { AttemptState, FinalOutput, ReviewState, ReviewTrack, RunState } from './state.ts';

/** Requests the review of a turn's output; undefined when its node has no review. */
export function requestOutputReview({ attempt, turn }: TurnScope, output: string, moment: Moment): Entry | undefined {
  const point = attempt.snapshot.system.nodes[turn.agent.name]?.review;
  if (!point) return undefined;
  const tag = { ...turnTag({ attempt, turn }), checkpoint_type: 'agent_output' } as const;
  // A pinned output was not made by this run, so no agent can change it.
  const asked = turn.step ? point : { ...point, allowRequestChanges: false };
  return ask({ point: asked, track: turn.review, tag, output, uid: attempt.snapshot.task.uid }, moment);
}

/** Requests the review of the output of the whole task; undefined without a review point. */
export function requestCompletionReview(attempt: AttemptState, final: FinalOutput | undefined, moment: Moment): Entry | undefined {
  const { completionReview } = attempt.snapshot.system;
  if (!completionReview) return undefined;
  const { agent = '', branchId = '', output = '', turn } = final ?? {};
  const tag = { attempt: attempt.number, turn_id: turn?.id ?? '', agent, branch_id: branchId, checkpoint_type: 'task_output' } as const;
  // Where no agent gave an output there is nobody to send it back to.
  const point = turn?.step ? completionReview : { ...completionReview, allowRequestChanges: false };
  return ask({ point, track: attempt.review, tag, output, uid: attempt.snapshot.task.uid }, moment);
}

interface RequestedReview {
  readonly point: ReviewPoint;
  readonly track: ReviewTrack;
  readonly tag: Omit<ReviewTag, 'checkpoint_id' | 'review_cycle'>;
  readonly output: string;
  readonly uid: string;
}

function ask({ point, track, tag, output, uid }: RequestedReview, moment: Moment): Entry {
  const { checkpointId, reason, ttlMs, allowRequestChanges, maxReviewCycles } = point;
  const turnId = tag.checkpoint_type === 'task_output' ? '' : tag.turn_id;
  const data = {
    ...tag,
    checkpoint_id: checkpointId,
    review_cycle: track.cycle + 1,
    name: reviewName({ taskUid: uid, attempt: tag.attempt, checkpointId, turnId }, track.asked + 1),
    why: reason,
    output,
    allow_request_changes: allowRequestChanges,
    max_review_cycles: maxReviewCycles,
    ...(track.last !== undefined && { supersedes: track.last }),
    ...termOf(moment, ttlMs),
  };
  return { type: 'review.requested', at: moment.now, data };
}

/** The entry of a decision that came from outside; undefined when nothing waits for it. Work that may not be sent back is denied. */
export function resolveReview(state: RunState, { name, ...verdict }: ReviewVerdict, at: number): Entry | undefined {
  const review = state.reviews.get(name);
  if (!review?.open) return undefined;
  const decision = verdict.decision === 'request_changes' && !mayRequestChanges(review) ? 'denied' : verdict.decision;
  return { type: 'review.resolved', at, data: { ...review.tag, name, ...verdict, decision } };
}

export function mayRequestChanges({ allowRequestChanges, maxReviewCycles, tag }: ReviewState): boolean {
  return allowRequestChanges && tag.review_cycle < maxReviewCycles;
}

/** Reviews that the run waits for now, the oldest first. */
export function openReviews({ reviews }: RunState): ReviewState[] {
  return [...reviews.values()].filter(({ open }) => open);
}
