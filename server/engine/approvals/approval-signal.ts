// What a run is told of a ToolApproval that it waits for, and which run that is. The second is kept where no client can edit it.
import { timestamp } from '../../clock.ts';
import type { StoreReader, StoreTransaction } from '../../store/store.ts';
import { racing } from '../../store/write-race.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import type { ApprovalReason, ApprovalVerdict } from '../core/entries.ts';
import type { ObjectRef } from '../run-service.ts';

export const APPROVAL_SIGNAL = 'approval';

/** Documents by the approval's `namespace/name`. */
const WAITING = 'engine.approval-waiting';

/** The run that waits for an approval. */
export interface WaitingRun {
  /** The Task's uid. */
  readonly stream: string;
  readonly task: string;
  /** Uid of the approval: one of the same name made later is another one. */
  readonly uid: string;
  readonly reason: ApprovalReason;
}

const idOf = ({ namespace, name }: ObjectRef) => `${namespace}/${name}`;

export async function waitingRun(reader: StoreReader, approval: ObjectRef): Promise<WaitingRun | undefined> {
  return (await reader.getDocument(WAITING, idOf(approval))) as WaitingRun | undefined;
}

export async function putWaitingRun(tx: StoreTransaction, approval: ObjectRef, waiting: WaitingRun): Promise<void> {
  await tx.putDocument(WAITING, idOf(approval), { ...waiting });
}

export async function dropWaitingRun(tx: StoreTransaction, approval: ObjectRef): Promise<void> {
  await tx.deleteDocument(WAITING, idOf(approval));
}

export interface Telling {
  readonly waiting: WaitingRun;
  readonly verdict: ApprovalVerdict;
  readonly now: number;
}

/** Sends the decision to the run and makes it claimable, whether it is parked or waits for a moment. Telling it twice does no harm; a run that is over is told nothing. */
export async function tellRun(tx: StoreTransaction, { waiting, verdict, now }: Telling): Promise<void> {
  if (!(await tx.getWorkItem(TASK_QUEUE, waiting.stream))) return;
  await tx.sendSignal(TASK_QUEUE, { stream: waiting.stream, type: APPROVAL_SIGNAL, timestamp: timestamp(now), data: { ...verdict } });
  // Read behind the signal: its owner may have given it back meanwhile, and can do so no more.
  const item = await tx.getWorkItem(TASK_QUEUE, waiting.stream);
  if (!item || item.owner !== undefined || item.parked || item.notBefore <= now) return;
  const { queue, key, namespace, name, rank, requirements } = item;
  await racing(tx.enqueueWork({ queue, key, namespace, name, rank, requirements, notBefore: 0 }));
}
