// Approvals of a run, of calls and of outputs alike. Pure.
import type { TaskApprovalSpec } from '@svc/shared/kinds/task-approval/rules';
import type { TaskApprovalStatus } from '@svc/shared/kinds/task-approval/schema';
import type { ToolApprovalSpec } from '@svc/shared/kinds/tool-approval/rules';
import type { ToolApprovalStatus } from '@svc/shared/kinds/tool-approval/schema';
import type { Resource } from '@svc/shared/resource';

export type ApprovalKind = 'ToolApproval' | 'TaskApproval';

export type RunApproval = Resource<
  Partial<ToolApprovalSpec> & Partial<TaskApprovalSpec>,
  Partial<Omit<ToolApprovalStatus, 'decision'>> & Partial<TaskApprovalStatus> & { readonly phase?: string }
>;

export function approvalPhase({ status }: RunApproval): string {
  return status.phase ?? 'Pending';
}

export function isOpen(approval: RunApproval): boolean {
  return approvalPhase(approval) === 'Pending';
}

/** The request to a person, in one sentence of names. */
export function questionOf({ kind, spec }: RunApproval): string {
  if (kind === 'ToolApproval') return `${spec.agent ?? 'An agent'} wants to run ${spec.tool ?? 'a tool'}`;
  const whose =
    spec.checkpoint_type === 'agent_output' && spec.agent !== undefined ? `the output of ${spec.agent}` : 'the output of the task';
  const cycle = (spec.review_cycle ?? 1) > 1 ? `, review ${spec.review_cycle} of at most ${spec.max_review_cycles ?? 3}` : '';
  return `Review ${whose}${cycle}`;
}

/** Open ones first, then the newest. */
export function sortApprovals(approvals: readonly RunApproval[]): RunApproval[] {
  const rank = (approval: RunApproval) => (isOpen(approval) ? 0 : 1);
  return [...approvals].sort((a, b) => rank(a) - rank(b) || (a.metadata.createdAt < b.metadata.createdAt ? 1 : -1));
}
