// Signals that carry the decision on an approval to its waiting run.
import { timestamp } from '../../clock.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { wakeItem } from '../../store/wake-item.ts';
import { racing } from '../../store/write-race.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { TASK_APPROVAL, TOOL_APPROVAL } from './approval-kind.ts';
import type { Verdict } from './verdict.ts';
import type { WaitingRun } from './waiting-run.ts';

/** Signal of a ToolApproval; its data is an ApprovalVerdict. */
export const APPROVAL_SIGNAL = 'approval';
/** Signal of a TaskApproval; its data is a ReviewVerdict. */
export const REVIEW_SIGNAL = 'review';

const SIGNALS = { [TOOL_APPROVAL]: APPROVAL_SIGNAL, [TASK_APPROVAL]: REVIEW_SIGNAL } as const;

/** Denials and expiries, which may end their run; the key is the uid of its Task and the name of the approval. */
export const DENIED_QUEUE = 'task.denied';

/** Uid of the Task that a key of DENIED_QUEUE names. */
export const deniedTask = (key: string): string => key.slice(0, key.indexOf('/'));

export interface SentDecision {
  readonly waiting: WaitingRun;
  readonly verdict: Verdict;
  readonly now: number;
}

/**
 * Sends the decision to the run and makes it claimable, whether it is parked or waits for a moment. A denial is left as a work item, too: it needs
 * no worker. Safe to repeat; a finished run receives nothing.
 */
export async function sendDecision(tx: StoreTransaction, { waiting, verdict, now }: SentDecision): Promise<void> {
  const item = await tx.getWorkItem(TASK_QUEUE, waiting.stream);
  if (!item) return;
  const signal = { stream: waiting.stream, type: SIGNALS[waiting.kind], timestamp: timestamp(now), data: { ...verdict } };
  await tx.sendSignal(TASK_QUEUE, signal);
  // Read after the signal: its owner may have released it before, and can no longer do so.
  await wakeItem(tx, { queue: TASK_QUEUE, key: waiting.stream }, now);
  if (verdict.decision !== 'denied' && verdict.decision !== 'expired') return;
  const place = { queue: DENIED_QUEUE, key: `${waiting.stream}/${verdict.name}` };
  const { namespace, name } = item;
  if (!(await tx.getWorkItem(place.queue, place.key)))
    await racing(tx.enqueueWork({ ...place, namespace, name, rank: 0, notBefore: 0, requirements: {} }));
}
