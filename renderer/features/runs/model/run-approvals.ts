// Approvals of a run, of calls and of outputs alike. Pure.
import type { TypedResource } from '../../../kinds/read.ts';

export type RunApproval = TypedResource<'ToolApproval'> | TypedResource<'TaskApproval'>;

export function isOpen({ status }: RunApproval): boolean {
  return status.phase === 'Pending';
}

/** The request to a person, in one sentence of names. */
export function questionOf({ kind, spec }: RunApproval): string {
  if (kind === 'ToolApproval') return `${spec.agent ?? 'An agent'} wants to run ${spec.tool || 'a tool'}`;
  const whose =
    spec.checkpoint_type === 'agent_output' && spec.agent !== undefined ? `the output of ${spec.agent}` : 'the output of the run';
  const cycle = spec.review_cycle > 1 ? `, review ${spec.review_cycle} of at most ${spec.max_review_cycles}` : '';
  return `Review ${whose}${cycle}`;
}

/** Open ones first, then the newest. */
export function sortApprovals(approvals: readonly RunApproval[]): RunApproval[] {
  const rank = (approval: RunApproval) => (isOpen(approval) ? 0 : 1);
  return [...approvals].sort((a, b) => rank(a) - rank(b) || (a.metadata.createdAt < b.metadata.createdAt ? 1 : -1));
}
