// The end of a ToolApproval that nobody decided in time. Timers are work items; whoever consumes the queue calls `expireApproval` under its claim.
import { CALL_OUTCOMES, type CallOutcome } from '@svc/shared/kinds/tool-approval/schema';
import { timestamp } from '../../clock.ts';
import type { StoredObject, StoreTransaction } from '../../store/store.ts';
import type { ApprovalVerdict } from '../core/entries.ts';
import { tellRun, waitingRun } from './approval-signal.ts';

/** One item per ToolApproval: key its uid, `notBefore` its `expires_at`. */
export const APPROVAL_EXPIRY_QUEUE = 'approval.expiry';
export const TOOL_APPROVAL = 'ToolApproval';

/** What a timer names: the approval's uid as `key`, and where it is. */
export interface ApprovalTimer {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
}

export async function enqueueExpiry(tx: StoreTransaction, { key, namespace, name }: ApprovalTimer, expiresAt: number): Promise<void> {
  const place = { queue: APPROVAL_EXPIRY_QUEUE, key, namespace, name };
  await tx.enqueueWork({ ...place, rank: expiresAt, notBefore: expiresAt, requirements: {} });
}

/**
 * What happens at `expires_at`: a pending approval becomes Expired and the run that waits for it ends. One that was decided past the decision
 * endpoints (a status written by hand) is told to its run, so that nothing waits for ever. Does nothing for one that is gone. Safe to repeat.
 */
export async function expireApproval(tx: StoreTransaction, timer: ApprovalTimer, now: number): Promise<void> {
  const approval = await tx.getObjectForUpdate({ kind: TOOL_APPROVAL, namespace: timer.namespace, name: timer.name });
  if (!approval || approval.uid !== timer.key) return;
  const waiting = await waitingRun(tx, timer);
  const verdict = verdictOf(approval);
  if (approval.status['phase'] === 'Pending') await markExpired(tx, approval, now);
  if (waiting?.uid === approval.uid) await tellRun(tx, { waiting, verdict, now });
}

async function markExpired(tx: StoreTransaction, approval: StoredObject, now: number): Promise<void> {
  const status = { ...approval.status, phase: 'Expired' };
  await tx.updateObject({ ...approval, resourceVersion: approval.resourceVersion + 1, updatedAt: timestamp(now), status });
  const message = `nobody decided within ${String(approval.spec['ttl'])}`;
  const data = { task: approval.spec['task_ref'], tool: approval.spec['tool'] };
  await tx.appendFact(approval, timestamp(now), { type: 'toolapproval.expired', source: 'engine', action: 'expired', message, data });
}

const OUTCOMES: ReadonlySet<unknown> = new Set(CALL_OUTCOMES);

/** The decision a stored status holds. An approval that does not say what became of a call of unknown outcome lets nothing go on. */
export function verdictOf({ name, status }: Pick<StoredObject, 'name' | 'status'>): ApprovalVerdict {
  const text = (field: string) => (typeof status[field] === 'string' ? { [field]: status[field] } : {});
  const by = { ...text('decided_by'), ...text('on_behalf_of'), ...text('comment') };
  if (status['phase'] === 'Denied') return { name, decision: 'denied', ...by };
  if (status['phase'] !== 'Approved' || !OUTCOMES.has(status['outcome'])) return { name, decision: 'expired' };
  return { name, decision: 'approved', outcome: status['outcome'] as CallOutcome, ...text('output'), ...by };
}
