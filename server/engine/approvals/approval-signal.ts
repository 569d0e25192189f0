// Signals that carry the decision on an approval to its waiting run.
import { timestamp } from '../../clock.ts';
import type { StoreTransaction } from '../../store/store.ts';
import { wakeItem } from '../../store/wake-item.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { TASK_APPROVAL, TOOL_APPROVAL } from './approval-kind.ts';
import type { Verdict } from './verdict.ts';
import type { WaitingRun } from './waiting-run.ts';

/** Signal of a ToolApproval; its data is an ApprovalVerdict. */
export const APPROVAL_SIGNAL = 'approval';
/** Signal of a TaskApproval; its data is a ReviewVerdict. */
export const REVIEW_SIGNAL = 'review';

const SIGNALS = { [TOOL_APPROVAL]: APPROVAL_SIGNAL, [TASK_APPROVAL]: REVIEW_SIGNAL } as const;

export interface SentDecision {
  readonly waiting: WaitingRun;
  readonly verdict: Verdict;
  readonly now: number;
}

/** Sends the decision to the run and makes it claimable, whether it is parked or waits for a moment. Safe to repeat; a finished run receives nothing. */
export async function sendDecision(tx: StoreTransaction, { waiting, verdict, now }: SentDecision): Promise<void> {
  if (!(await tx.getWorkItem(TASK_QUEUE, waiting.stream))) return;
  const signal = { stream: waiting.stream, type: SIGNALS[waiting.kind], timestamp: timestamp(now), data: { ...verdict } };
  await tx.sendSignal(TASK_QUEUE, signal);
  // Examined behind the signal: its owner may have given it back meanwhile, and can do so no more.
  await wakeItem(tx, { queue: TASK_QUEUE, key: waiting.stream }, now);
}
