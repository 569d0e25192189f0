// Pauses and resumes the run of a Task: a signal, sent in the transaction of the requester.
import { timestamp } from '../../clock.ts';
import type { StoredObject, StoreTransaction } from '../../store/store.ts';
import { racing } from '../../store/write-race.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import { PAUSE_SIGNAL, RESUME_SIGNAL } from '../shell/signals.ts';

export interface PauseRequest {
  readonly by: string;
  readonly reason: string;
  readonly now: number;
}

/**
 * The run begins nothing new from the next safe point on: model calls are cut off and sent again later, tool calls in flight end and are
 * recorded. Then no worker holds it until it is resumed, cancelled or deleted. Approvals stay open, and their time runs on; what was decided
 * takes effect when the run is resumed. The time of a pause does not count against the timeout of an agent; the next attempt keeps its moment.
 * Does nothing to a paused run. The caller opens the transaction with `transactAgain`.
 */
export async function pauseTask(tx: StoreTransaction, { uid: stream }: Pick<StoredObject, 'uid'>, request: PauseRequest): Promise<void> {
  const { by, reason, now } = request;
  await tx.sendSignal(TASK_QUEUE, { stream, type: PAUSE_SIGNAL, timestamp: timestamp(now), data: { by, reason } });
  const item = await tx.getWorkItem(TASK_QUEUE, stream);
  // A run that waits for a moment takes note of the pause now, so that its status and its explanation show it.
  if (item && item.owner === undefined && item.notBefore > now) await racing(tx.enqueueWork({ ...item, notBefore: now }));
}

/** The run continues where it was paused. Does nothing to a run that is not paused. */
export async function resumeTask(
  tx: StoreTransaction,
  { uid: stream }: Pick<StoredObject, 'uid'>,
  { by, now }: Omit<PauseRequest, 'reason'>,
): Promise<void> {
  await tx.sendSignal(TASK_QUEUE, { stream, type: RESUME_SIGNAL, timestamp: timestamp(now), data: { by } });
}
