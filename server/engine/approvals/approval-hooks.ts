// What the engine adds to the write path of ToolApprovals: each has a timer, and what is done to one past the decision endpoints reaches its run.
import type { Clock } from '../../clock.ts';
import type { Resource } from '@svc/shared/resource';
import type { KindHooks } from '../../registry/registry.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { tellRun, waitingRun } from './approval-signal.ts';
import { APPROVAL_EXPIRY_QUEUE, enqueueExpiry, verdictOf } from './expiry.ts';

const DELETED = 'the approval was deleted';

export function createToolApprovalHooks(clock: Clock): KindHooks {
  return {
    onCreated: setTimer,
    async onUpdated(tx, approval, previous) {
      const { phase, expires_at } = approval.status;
      if (phase === 'Pending' && expires_at !== previous.status['expires_at']) await setTimer(tx, approval);
      if (previous.status['phase'] !== 'Pending' || phase === 'Pending') return;
      const verdict = verdictOf({ name: approval.metadata.name, status: approval.status });
      // An approval by hand that says nothing of the outcome helps nobody on; its time runs out.
      if (verdict.decision === 'expired' && phase === 'Approved') return;
      await tell(tx, approval, { verdict, now: clock.now() });
    },
    async onDeleted(tx, approval) {
      await tx.removeUnclaimedWork(APPROVAL_EXPIRY_QUEUE, approval.metadata.uid);
      if (approval.status['phase'] !== 'Pending') return;
      const { name } = approval.metadata;
      await tell(tx, approval, { verdict: { name, decision: 'denied', comment: DELETED }, now: clock.now() });
    },
  };
}

async function setTimer(tx: StoreTransaction, { metadata, status }: Resource): Promise<void> {
  const { uid: key, namespace, name } = metadata;
  const expiresAt = Date.parse(String(status['expires_at']));
  if (Number.isFinite(expiresAt)) await enqueueExpiry(tx, { key, namespace, name }, expiresAt);
}

async function tell(tx: StoreTransaction, { metadata }: Resource, word: Omit<Parameters<typeof tellRun>[1], 'waiting'>): Promise<void> {
  const waiting = await waitingRun(tx, metadata);
  if (waiting?.uid === metadata.uid) await tellRun(tx, { waiting, ...word });
}
