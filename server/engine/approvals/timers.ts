// The timers of approvals: work items that come due when one expires.
import type { StoreTransaction, WorkItem } from '../../store/store.ts';
import { approvalRef, TASK_APPROVAL, TOOL_APPROVAL, type ApprovalRef } from './approval-kind.ts';

/** One item for each approval: its key names the kind and the uid, `notBefore` is its `expires_at`. */
export const APPROVAL_EXPIRY_QUEUE = 'approval.expiry';

interface Identified {
  readonly kind: string;
  readonly uid: string;
}

const REVIEW_PREFIX = `${TASK_APPROVAL}/`;

/** A ToolApproval's is its uid alone, as it was before there were others. */
export function timerKey({ kind, uid }: Identified): string {
  return kind === TASK_APPROVAL ? `${REVIEW_PREFIX}${uid}` : uid;
}

/** Approval that a timer belongs to. */
export interface ApprovalTimer extends ApprovalRef {
  readonly uid: string;
}

export function readTimer({ key, namespace, name }: Pick<WorkItem, 'key' | 'namespace' | 'name'>): ApprovalTimer {
  if (!key.startsWith(REVIEW_PREFIX)) return { kind: TOOL_APPROVAL, namespace, name, uid: key };
  return { kind: TASK_APPROVAL, namespace, name, uid: key.slice(REVIEW_PREFIX.length) };
}

export async function setTimer(
  tx: StoreTransaction,
  approval: Identified & { readonly namespace: string; readonly name: string },
  expiresAt: number,
): Promise<void> {
  const { namespace, name } = approvalRef(approval);
  const place = { queue: APPROVAL_EXPIRY_QUEUE, key: timerKey(approval), namespace, name };
  await tx.enqueueWork({ ...place, rank: expiresAt, notBefore: expiresAt, requirements: {} });
}
