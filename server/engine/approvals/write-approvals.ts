// The ToolApproval objects that stand for a run's approvals: made in the transaction of the entry that asks, closed in that of the one that ends the wait.
import { timestamp } from '../../clock.ts';
import type { StoreTransaction } from '../../store/store.ts';
import type { Entry, EntryOf, EntryType } from '../core/entries.ts';
import type { RunState } from '../core/state.ts';
import type { ObjectRef } from '../run-service.ts';
import { approvalObject } from './approval-object.ts';
import { dropWaitingRun, putWaitingRun, waitingRun } from './approval-signal.ts';
import { APPROVAL_EXPIRY_QUEUE, enqueueExpiry, TOOL_APPROVAL } from './expiry.ts';

export interface ApprovalsWrite {
  readonly namespace: string;
  /** The state after the entries. */
  readonly state: RunState;
  readonly entries: readonly Entry[];
  readonly now: number;
}

/** After these an approval may be waited for no longer. */
const ENDS_WAIT: ReadonlySet<EntryType> = new Set([
  'approval.resolved',
  'agent.failed',
  'run.retry_scheduled',
  'run.completed',
  'run.failed',
]);

/** Brings the objects to where the entries have brought the run. Part of the transaction that appends them. */
export async function writeApprovals(tx: StoreTransaction, write: ApprovalsWrite): Promise<void> {
  const { state, entries } = write;
  if (state.approvals.size === 0) return;
  for (const entry of entries) if (entry.type === 'approval.requested') await request(tx, write, entry);
  if (!entries.some(({ type }) => ENDS_WAIT.has(type))) return;
  const why = state.end ? `the task ended as ${state.end.phase} before this was decided` : 'the call that waited for this was given up';
  for (const { name, open } of state.approvals.values())
    if (!open) await closeApproval(tx, { namespace: write.namespace, name }, { now: write.now, why });
}

async function request(tx: StoreTransaction, { state }: ApprovalsWrite, entry: EntryOf<'approval.requested'>): Promise<void> {
  const snapshot = state.attempt?.snapshot;
  // Asked and given up at once: nobody need be troubled.
  if (!snapshot || !state.approvals.get(entry.data.name)?.open) return;
  const approval = approvalObject(entry, snapshot);
  const key = { kind: approval.kind, namespace: approval.namespace, name: approval.name };
  // Somebody may have made an object of this name by hand: what the run asks takes its place.
  await tx.deleteObject(key, approval.createdAt);
  await tx.insertObject(approval);
  await enqueueExpiry(tx, { ...key, key: approval.uid }, entry.data.expires_at);
  const { uid, name: task } = snapshot.task;
  await putWaitingRun(tx, approval, { stream: uid, task, uid: approval.uid, reason: entry.data.reason });
  const message = String(approval.spec['reason']);
  const data = { task, tool: approval.spec['tool'], reason: entry.data.reason };
  await tx.appendFact(key, approval.createdAt, { type: 'toolapproval.requested', source: 'engine', action: 'requested', message, data });
}

/** Nobody waits for it any more: one that is still pending is closed as Expired. Does nothing for one that is closed already. */
export async function closeApproval(tx: StoreTransaction, ref: ObjectRef, { now, why }: { now: number; why: string }): Promise<void> {
  const waiting = await waitingRun(tx, ref);
  if (!waiting) return;
  await dropWaitingRun(tx, ref);
  await tx.removeUnclaimedWork(APPROVAL_EXPIRY_QUEUE, waiting.uid);
  const key = { kind: TOOL_APPROVAL, ...ref };
  const approval = await tx.getObjectForUpdate(key);
  if (approval?.uid !== waiting.uid || approval.status['phase'] !== 'Pending') return;
  const status = { ...approval.status, phase: 'Expired', lastError: why };
  await tx.updateObject({ ...approval, resourceVersion: approval.resourceVersion + 1, updatedAt: timestamp(now), status });
  const data = { task: approval.spec['task_ref'], tool: approval.spec['tool'] };
  await tx.appendFact(key, timestamp(now), { type: 'toolapproval.expired', source: 'engine', action: 'expired', message: why, data });
}
