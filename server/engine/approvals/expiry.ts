// Expiry of an approval that nobody decided in time. The consumer of the timer queue calls this under its claim.
import { partName } from '../../registry/principal.ts';
import type { StoredObject, StoreTransaction, WorkItem } from '../../store/store.ts';
import { conclude, writeConcluded, type ApprovalDeps } from './conclude.ts';
import { approvalSpec, approvalStatus } from './approval-kind.ts';
import { sendDecision } from './approval-signal.ts';
import { readTimer } from './timers.ts';
import { verdictOf } from './verdict.ts';
import { runWaitingFor } from './waiting-run.ts';

export type ExpireApproval = (tx: StoreTransaction, timer: Pick<WorkItem, 'key' | 'namespace' | 'name'>, now: number) => Promise<void>;

/**
 * Ends a pending approval at `expires_at`: it becomes Expired and its waiting run ends. An approval that was decided without the decision
 * endpoints (a status written by hand) is reported to its run, so that no run waits forever. Does nothing for a deleted one. Safe to repeat.
 */
export function createApprovalExpiry(deps: Omit<ApprovalDeps, 'clock'>): ExpireApproval {
  return async (tx, item, now) => {
    const timer = readTimer(item);
    const approval = await tx.getObjectForUpdate(timer);
    if (approval?.uid !== timer.uid) return;
    const waiting = await runWaitingFor(tx, approval);
    const { phase, decision_record } = approvalStatus(approval);
    if (phase === 'Pending') return markExpired(tx, deps, { approval, waiting, now });
    if (!waiting) return;
    const verdict = verdictOf({ approval, waiting, inputs: deps.inputs });
    if (decision_record !== undefined) return sendDecision(tx, { waiting, verdict: { ...verdict, decision_record }, now });
    const seq = await conclude(tx, deps.recordDecision, { approval, waiting, verdict, decider: undefined, now });
    await writeConcluded(
      tx,
      { approval, verdict, by: partName('engine'), now },
      { seq, message: `${verdict.decision}, as its status says` },
    );
  };
}

interface Expiring {
  readonly approval: StoredObject;
  readonly waiting: Awaited<ReturnType<typeof runWaitingFor>>;
  readonly now: number;
}

async function markExpired(tx: StoreTransaction, { recordDecision }: Omit<ApprovalDeps, 'clock'>, place: Expiring): Promise<void> {
  const { waiting, now } = place;
  const approval = { ...place.approval, status: { ...place.approval.status, phase: 'Expired' } };
  const verdict = { name: approval.name, decision: 'expired' } as const;
  const seq = await conclude(tx, recordDecision, { approval, waiting, verdict, decider: undefined, now });
  await writeConcluded(
    tx,
    { approval, verdict, by: partName('engine'), now },
    { seq, message: `nobody decided within ${approvalSpec(approval).ttl}` },
  );
}
