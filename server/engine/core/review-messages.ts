// Texts about reviews: for the agent whose work is sent back, and for people when a review ends a run.
import type { DataOf, Failure } from './entries.ts';
import type { ReviewState } from './state.ts';

/** End of the message; frozen like all of it. */
export const REVISION_REQUEST =
  'Give the whole answer anew with these changes in it. It replaces the old one, so refer to nothing that stood there.';

/** Message to an agent whose work is sent back. Frozen: the fold makes it, so it is part of states whose hashes are stored. */
export function sendBackMessage({ comment, checkpoint_type }: Pick<DataOf<'review.resolved'>, 'comment' | 'checkpoint_type'>): string {
  const what = checkpoint_type === 'task_output' ? 'your last answer as the final output of the task' : 'your last answer';
  const said = comment === undefined || comment.trim() === '' ? 'The reviewer gave no comment.' : comment;
  return `A person has reviewed ${what} and asks for changes:\n\n${said}\n\n${REVISION_REQUEST}`;
}

/** Which output is reviewed, in words. */
export function reviewedOutput({ tag }: Pick<ReviewState, 'tag'>): string {
  return tag.checkpoint_type === 'task_output' ? 'the final output of the task' : `the output of agent ${tag.agent}`;
}

/** Why a run ends over a review that was not approved. */
export function reviewFailure(review: ReviewState): Failure {
  const { name, verdict } = review;
  const what = `TaskApproval ${name} for ${reviewedOutput(review)}`;
  if (verdict?.decision !== 'denied') return { code: 'approval_timeout', message: `nobody decided ${what} in time`, retryable: false };
  const by = verdict.decided_by === undefined ? '' : ` by ${verdict.decided_by}`;
  const said = verdict.comment === undefined || verdict.comment === '' ? '' : `: ${verdict.comment}`;
  return { code: 'approval_denied', message: `${what} was denied${by}${said}`, retryable: false };
}
