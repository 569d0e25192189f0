// The two kinds of approvals of a run, and how each is named in signals, timers and facts.
import { specOf, statusOf, type ReadableSpec } from '@svc/shared/kinds/read';

/** May this call run; or: what was its outcome. */
export const TOOL_APPROVAL = 'ToolApproval';
/** Approval of an output before the run continues with it. */
export const TASK_APPROVAL = 'TaskApproval';

export type ApprovalKind = typeof TOOL_APPROVAL | typeof TASK_APPROVAL;

export interface ApprovalRef {
  readonly kind: ApprovalKind;
  readonly namespace: string;
  readonly name: string;
}

export function isApprovalKind(kind: string): kind is ApprovalKind {
  return kind === TOOL_APPROVAL || kind === TASK_APPROVAL;
}

/** The reference of an object of one of these kinds. Throws for any other, which is a defect. */
export function approvalRef({ kind, namespace, name }: { kind: string; namespace: string; name: string }): ApprovalRef {
  if (!isApprovalKind(kind)) throw new Error(`${kind} is not a kind of approval`);
  return { kind, namespace, name };
}

/** Status of an approval of either kind; the fields that both have can be read. */
export function approvalStatus({ kind, status }: { readonly kind: string; readonly status: unknown }) {
  return statusOf(kind === TASK_APPROVAL ? TASK_APPROVAL : TOOL_APPROVAL, { status });
}

/** Spec of an approval of either kind; the fields that both have can be read. */
export function approvalSpec(approval: ReadableSpec & { readonly kind: string }) {
  return specOf(approval.kind === TASK_APPROVAL ? TASK_APPROVAL : TOOL_APPROVAL, approval);
}
