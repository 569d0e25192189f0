// Ends a Task on request: at once when no living worker has it, through a signal to its owner otherwise.
import { ServiceError } from '@svc/shared/errors';
import { TASK_TERMINAL_PHASES } from '@svc/shared/kinds/task/schema';
import type { Resource } from '@svc/shared/resource';
import { specOf, statusOf } from '@svc/shared/kinds/read';
import { timestamp, type Clock } from '../../clock.ts';
import { toResource } from '../../registry/mapping.ts';
import { checkUid } from '../../registry/precondition.ts';
import type { RequestContext } from '../../registry/registry.ts';
import { recordWritten } from '../../registry/written.ts';
import { transactAgain, WriteRace } from '../../store/write-race.ts';
import { LeaseLost } from '../../store/lease-lost.ts';
import type { Claim, Store, StoredObject, StoreTransaction } from '../../store/store.ts';
import { writeRun, type RunWrite } from '../shell/commit.ts';
import { TASK_QUEUE } from '../task-queue.ts';
import type { Entry, EntryOf } from '../core/entries.ts';
import { applyEntry } from '../core/apply-entry.ts';
import { settle } from '../core/settle.ts';
import { NO_VERDICTS } from '../core/verdicts.ts';
import { foldJournal } from '../shell/fold-journal.ts';
import { CANCEL_SIGNAL } from '../shell/signals.ts';
import type { RunObserver } from '../observer.ts';
import type { RunListeners } from '../run-listeners.ts';
import type { MeantTask } from './run-service.ts';
import { claimUnheld } from './unheld-claim.ts';

const TERMINAL: ReadonlySet<string> = new Set(TASK_TERMINAL_PHASES);

export interface CancelOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly observer: RunObserver;
  readonly runListeners: RunListeners;
}

export interface CancelRequest {
  readonly context: RequestContext;
  readonly reason: string;
}

/** How long a cancel waits to answer with the end; its owner acts on the signal at once. */
const END_SHOWN_WITHIN_MS = 2_000;

/** Answers with the ended Task, or, when its owner takes longer, with the current Task. Throws `not_found`, or `conflict` for a template and for a Task that has ended. */
export async function cancelTask(
  { store, clock, observer, runListeners }: CancelOptions,
  { uid, ...ref }: MeantTask,
  { context, reason }: CancelRequest,
): Promise<Resource> {
  const request = { by: context.identity.name, reason };
  const key = { kind: 'Task', ...ref };
  const began = clock.now();
  const { task, ended } = await transactAgain(store, async (tx) => {
    const found = await tx.getObject(key);
    if (!found) throw new ServiceError('not_found', `Task ${ref.namespace}/${ref.name} does not exist`);
    checkUid(key, found.uid, uid);
    // The queue holds a Task until its run has ended, whatever was written into its spec or status meanwhile.
    if (!(await tx.getWorkItem(TASK_QUEUE, found.uid))) refuseWhenOver(found);
    recordWritten(tx, { action: 'task.cancel', by: context, object: found });
    const end = await cancelWithin(tx, { task: found, now: clock.now(), runListeners }, request);
    return { task: (await tx.getObject(key)) ?? found, ended: end };
  });
  if (ended) observer.recorded(ended.claim, ended.entries, { state: ended.state, appendMs: clock.now() - began });
  if (!TERMINAL.has(statusOf('Task', task).phase)) await untilEnded({ store, clock }, task);
  return toResource((await store.getObject(key)) ?? task);
}

/**
 * The same as part of the caller's transaction, which is opened with `transactAgain`: the run ends in it when no living worker holds the Task, and
 * its run listeners are called; otherwise its owner gets a signal. Returns what was written of a run that ended. The Task has not ended before.
 */
export async function cancelWithin(
  tx: StoreTransaction,
  unclaimed: UnclaimedTask,
  request: EntryOf<'cancel.requested'>['data'],
): Promise<EndedRun | undefined> {
  const { task, now } = unclaimed;
  if (await takeFromQueue(tx, task.uid, now)) return cancelUnclaimed(tx, unclaimed, request);
  await notifyOwner(tx, { stream: task.uid, type: CANCEL_SIGNAL, timestamp: timestamp(now), data: { ...request } });
  return undefined;
}

/**
 * Removes the Task's item when nobody has it, or when its owner's lease has expired: the owner's next write then fails as after any takeover.
 * False when a worker holds it. A change between a read and a lock throws WriteRace: another round judges it again.
 */
async function takeFromQueue(tx: StoreTransaction, uid: string, now: number): Promise<boolean> {
  const item = await tx.getWorkItem(TASK_QUEUE, uid);
  if (!item) return true;
  const { owner, fence, leaseUntil } = item;
  if (owner === undefined) {
    if (!(await tx.removeUnclaimedWork(TASK_QUEUE, uid))) throw new WriteRace(undefined);
    return true;
  }
  if (leaseUntil > now) return false;
  await lockedFor(tx, { ...item, owner, fence, claimedAt: now, takeover: true });
  const locked = await tx.getWorkItem(TASK_QUEUE, uid);
  if (!locked || locked.leaseUntil > now) throw new WriteRace(undefined);
  await tx.dropWork(TASK_QUEUE, uid);
  return true;
}

async function lockedFor(tx: StoreTransaction, claim: Claim): Promise<void> {
  try {
    await tx.assertClaim(claim);
  } catch (error) {
    throw error instanceof LeaseLost ? new WriteRace(undefined) : error;
  }
}

/** The owner may have given the Task back since it was examined. */
async function notifyOwner(tx: StoreTransaction, signal: Parameters<StoreTransaction['sendSignal']>[1]): Promise<void> {
  await tx.sendSignal(TASK_QUEUE, signal);
  const item = await tx.getWorkItem(TASK_QUEUE, signal.stream);
  if (item?.owner === undefined) throw new WriteRace(undefined);
}

async function untilEnded({ store, clock }: Pick<CancelOptions, 'store' | 'clock'>, task: StoredObject): Promise<void> {
  const over = new AbortController();
  const check = async () => {
    const found = await store.getObject(task);
    if (found?.uid !== task.uid || TERMINAL.has(statusOf('Task', found).phase)) over.abort();
  };
  const unsubscribe = store.onCommit(({ journals }) => {
    if (journals.has(task.uid)) check().catch(() => over.abort());
  });
  try {
    await check();
    await clock.sleep(END_SHOWN_WITHIN_MS, over.signal).catch(() => undefined);
  } finally {
    unsubscribe();
  }
}

function refuseWhenOver(task: StoredObject): void {
  const name = `Task ${task.namespace}/${task.name}`;
  if (specOf('Task', task).mode === 'template')
    throw new ServiceError('conflict', `${name} is a template, which never runs, so there is nothing to cancel`);
  if (TERMINAL.has(statusOf('Task', task).phase))
    throw new ServiceError('conflict', `${name} has ended as ${statusOf('Task', task).phase} and cannot be cancelled`);
}

type EndedRun = Pick<RunWrite, 'claim' | 'state' | 'entries'>;

interface UnclaimedTask {
  readonly task: StoredObject;
  readonly now: number;
  readonly runListeners: RunListeners;
}

async function cancelUnclaimed(
  tx: StoreTransaction,
  { task, now, runListeners }: UnclaimedTask,
  request: EntryOf<'cancel.requested'>['data'],
): Promise<EndedRun> {
  const claim = await claimUnheld(tx, task, { owner: `cancel:${request.by}`, now });
  const { state, lastSeq } = await foldJournal(tx, task.uid);
  const requested: Entry = { type: 'cancel.requested', at: now, data: request };
  applyEntry(state, requested);
  const { entries } = settle(state, { now, random: () => 0, worker: claim.owner, verdicts: NO_VERDICTS });
  const change = { kind: 'finished', claim } as const;
  const record = await runListeners.openRecord(tx, task, claim);
  const write = { claim, state, lastSeq, now, entries: [requested, ...entries], signalIds: [], change, record };
  await writeRun(tx, write, runListeners);
  return write;
}
