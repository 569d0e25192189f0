// The one way a run writes: journal entries, consumed signals, the Task's status and the claim's fate, in one transaction under the fence.
import { ServiceError } from '@svc/shared/errors';
import type { ResourceKey } from '@svc/shared/resource';
import { timestamp } from '../../clock.ts';
import { toResource } from '../../registry/mapping.ts';
import { replaceStatus } from '../../registry/own-writes.ts';
import { partName } from '../../registry/principal.ts';
import { allOf } from '../../store/all-of.ts';
import type { Claim, StoredObject, StoreTransaction, WorkRelease } from '../../store/store.ts';
import { WriteRace } from '../../store/write-race.ts';
import { writeApprovals } from '../approvals/write-approvals.ts';
import { toJournal } from '../core/entries.ts';
import { entryFacts } from './entry-facts.ts';
import type { RunListeners } from '../run-listeners.ts';
import type { RecordedEntries, RunRecord } from '../run-record.ts';
import { runChangeOf, taskFact, taskStatus, type StatusChange } from './task-status.ts';

export type ClaimRelease = Pick<WorkRelease, 'notBefore' | 'parked'>;

export interface RunWrite extends RecordedEntries {
  readonly signalIds: readonly number[];
  readonly change: StatusChange | undefined;
  /** The entries are the first progress since the run was taken over. */
  readonly proves?: boolean;
  /** Record of this run by another part. */
  readonly record?: RunRecord | undefined;
  /** Gives the claim back: claimable again from `notBefore`, or parked until a signal comes. */
  readonly release?: ClaimRelease;
  /** The Task as this claim last wrote it: its end is then written without a read. */
  readonly task?: StoredObject | undefined;
  /** Called within the transaction once it has given up the claim. */
  readonly onLeaving?: () => void;
}

/** Throws LeaseLost when the claim has been taken over: nothing is written then. Returns the Task as it wrote it, undefined when it did not. */
export async function writeRun(tx: StoreTransaction, write: RunWrite, listeners: RunListeners): Promise<StoredObject | undefined> {
  const written = await writeParts(tx, write);
  await publish(tx, written, { write, listeners });
  const { claim, change, proves, release } = write;
  const ends = change?.kind === 'finished';
  if (proves && !ends) await tx.clearTakeovers(claim);
  if (release && !ends) await tx.releaseWork(claim, await unlessSignalled(tx, write, release));
  if (release || ends) write.onLeaving?.();
  return written;
}

/** Ends of several runs, their statements sent together. Records and listeners are called one after the other: they may share what they write. */
export async function writeEnds(tx: StoreTransaction, ends: readonly RunWrite[], listeners: RunListeners): Promise<void> {
  // In the order in which a heartbeat locks claims, so that neither waits for the other.
  const ordered = [...ends].sort((a, b) => (a.claim.key < b.claim.key ? -1 : 1));
  const written = await allOf(ordered.map((write) => writeParts(tx, write)));
  for (const [place, write] of ordered.entries()) await publish(tx, written[place], { write, listeners });
  for (const { onLeaving } of ordered) onLeaving?.();
}

/** The Task as it is written. */
async function writeParts(tx: StoreTransaction, write: RunWrite): Promise<StoredObject | undefined> {
  const { claim, entries, signalIds, change, state } = write;
  const ends = change?.kind === 'finished';
  // Approvals are closed before the Task ends.
  const known = ends && state.approvals.size === 0 && state.reviews.size === 0 ? write.task : undefined;
  // Sent together and done in this order: a lost claim fails at the first.
  const [, , task, ended] = await Promise.all([
    entries.length > 0 && tx.appendJournal(claim, write.lastSeq, entries.map(toJournal)),
    signalIds.length > 0 && tx.consumeSignals(claim, signalIds),
    change && !known && tx.getObjectForUpdate(taskKey(claim)),
    change && known && writeKnown(tx, known, { write, change }),
    known && tx.finishWork(claim),
  ]);
  await writeApprovals(tx, { namespace: claim.namespace, state, entries, now: write.now });
  for (const fact of entryFacts(entries)) await tx.appendFact(taskKey(claim), timestamp(write.now), fact);
  const [replaced] = await Promise.all([
    change && task && task.uid === claim.key && writeStatus(tx, task, { write, change }),
    ends && !known && tx.finishWork(claim),
  ]);
  return (known ? ended : replaced) || undefined;
}

/** A signal that came since the run last read them must not wait for the moment at which the run is due. (A parked item is examined by the store.) */
async function unlessSignalled(tx: StoreTransaction, { claim, now }: RunWrite, release: ClaimRelease): Promise<ClaimRelease> {
  if (release.parked || release.notBefore <= now) return release;
  // From here on nobody can send it a signal before this is committed.
  await tx.assertClaim(claim);
  const unread = await tx.readSignals(claim.key);
  return unread.length > 0 ? { notBefore: now } : release;
}

function taskKey({ namespace, name }: Claim): ResourceKey {
  return { kind: 'Task', namespace, name };
}

interface Writing {
  readonly write: RunWrite;
  readonly change: StatusChange;
}

function writeStatus(tx: StoreTransaction, task: StoredObject, { write: { state, now }, change }: Writing): Promise<StoredObject> {
  const status = taskStatus({ previous: task.status, state, change, now, generation: task.generation });
  return replaceStatus(tx, task, { status, now, by: partName('engine') });
}

/** Writes without a read before it, and with one where another write of the Task came first. */
async function writeKnown(tx: StoreTransaction, known: StoredObject, writing: Writing): Promise<StoredObject | undefined> {
  try {
    return await writeStatus(tx, known, writing);
  } catch (error) {
    const movedOn = error instanceof ServiceError && (error.code === 'conflict' || error.code === 'not_found');
    if (!movedOn || error instanceof WriteRace) throw error;
  }
  const task = await tx.getObjectForUpdate(known);
  return task?.uid === known.uid ? writeStatus(tx, task, writing) : undefined;
}

/** Calls the record of the run, then the listeners. */
async function publish(
  tx: StoreTransaction,
  written: StoredObject | undefined,
  { write, listeners }: { readonly write: RunWrite; readonly listeners: RunListeners },
): Promise<void> {
  const { claim, state, now, change } = write;
  if (write.entries.length > 0) await write.record?.onEntries(tx, write);
  if (!change || !written) return;
  await tx.appendFact(taskKey(claim), timestamp(now), taskFact(state, change));
  const runChange = runChangeOf(state, change);
  if (runChange) await listeners.notify(tx, () => toResource(written), runChange);
}
