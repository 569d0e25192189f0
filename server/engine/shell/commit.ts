// The one way a run writes: journal entries, consumed signals, the Task's status and the claim's fate, in one transaction under the fence.
import type { ResourceKey } from '@svc/shared/resource';
import { timestamp } from '../../clock.ts';
import { toResource } from '../../registry/mapping.ts';
import { replaceStatus } from '../../registry/own-writes.ts';
import { partName } from '../../registry/principal.ts';
import type { Claim, StoredObject, StoreTransaction, WorkRelease } from '../../store/store.ts';
import { writeApprovals } from '../approvals/write-approvals.ts';
import { toJournal, type Entry } from '../core/entries.ts';
import type { RunState } from '../core/state.ts';
import { entryFacts } from './entry-facts.ts';
import type { RunListeners } from '../run-listeners.ts';
import { runChangeOf, taskFact, taskStatus, type StatusChange } from './task-status.ts';

export type ClaimRelease = Pick<WorkRelease, 'notBefore' | 'parked'>;

export interface RunWrite {
  readonly claim: Claim;
  readonly state: RunState;
  readonly lastSeq: number;
  readonly now: number;
  readonly entries: readonly Entry[];
  readonly signalIds: readonly number[];
  readonly change: StatusChange | undefined;
  /** The entries are the first progress since the run was taken over. */
  readonly proves?: boolean;
  /** Gives the claim back: claimable again from `notBefore`, or parked until a signal comes. */
  readonly release?: ClaimRelease;
}

/** Throws LeaseLost when the claim has been taken over: nothing is written then. */
export async function writeRun(tx: StoreTransaction, write: RunWrite, listeners: RunListeners): Promise<void> {
  const { claim, entries, signalIds, change } = write;
  // Sent together and done in this order: who has lost the claim fails at the first.
  const [, , task] = await Promise.all([
    entries.length > 0 && tx.appendJournal(claim, write.lastSeq, entries.map(toJournal)),
    signalIds.length > 0 && tx.consumeSignals(claim, signalIds),
    change && tx.getObjectForUpdate(taskKey(claim)),
  ]);
  await writeApprovals(tx, { namespace: claim.namespace, state: write.state, entries, now: write.now });
  for (const fact of entryFacts(entries)) await tx.appendFact(taskKey(claim), timestamp(write.now), fact);
  await Promise.all([
    change && task?.uid === claim.key && writeStatus(tx, task, { write, change, listeners }),
    change?.kind === 'finished' && tx.finishWork(claim),
  ]);
  if (write.proves && change?.kind !== 'finished') await tx.clearTakeovers(claim);
  if (change?.kind !== 'finished' && write.release) await tx.releaseWork(claim, await heard(tx, write, write.release));
}

/** Word that came since the run last looked must not wait for the moment it is given back for. (A parked item is looked at by the store.) */
async function heard(tx: StoreTransaction, { claim, now }: RunWrite, release: ClaimRelease): Promise<ClaimRelease> {
  if (release.parked || release.notBefore <= now) return release;
  // From here on nobody can send it a signal before this is committed.
  await tx.assertClaim(claim);
  const unread = await tx.readSignals(claim.key);
  return unread.length > 0 ? { notBefore: now } : release;
}

function taskKey({ namespace, name }: Claim): ResourceKey {
  return { kind: 'Task', namespace, name };
}

async function writeStatus(
  tx: StoreTransaction,
  task: StoredObject,
  { write: { claim, state, now }, change, listeners }: { write: RunWrite; change: StatusChange; listeners: RunListeners },
): Promise<void> {
  const status = taskStatus({ previous: task.status, state, change, now, generation: task.generation });
  const written = await replaceStatus(tx, task, { status, now, by: partName('engine') });
  await tx.appendFact(taskKey(claim), timestamp(now), taskFact(state, change));
  const runChange = runChangeOf(state, change);
  if (runChange) await listeners.notify(tx, () => toResource(written), runChange);
}
