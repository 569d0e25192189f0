// Open questions of a run to people, of both kinds.
import { openApprovals } from './approvals.ts';
import { reviewedOutput } from './review-messages.ts';
import { openReviews } from './reviews.ts';
import type { RunState } from './state.ts';

export interface OpenWait {
  readonly kind: 'ToolApproval' | 'TaskApproval';
  readonly name: string;
  /** Short description of the question. */
  readonly about: string;
  readonly requestedAt: number;
  readonly expiresAt: number;
}

/** The oldest first. */
export function openWaits(state: RunState): OpenWait[] {
  const calls = openApprovals(state).map(({ name, reason, call, requestedAt, expiresAt }): OpenWait => {
    return { kind: 'ToolApproval', name, about: `${reason}: a person decides on the call of ${call.tool}`, requestedAt, expiresAt };
  });
  const outputs = openReviews(state).map((review): OpenWait => {
    const { name, requestedAt, expiresAt } = review;
    return { kind: 'TaskApproval', name, about: `review: a person decides on ${reviewedOutput(review)}`, requestedAt, expiresAt };
  });
  return [...calls, ...outputs].sort((a, b) => a.requestedAt - b.requestedAt);
}
