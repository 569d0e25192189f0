// Status notes of unschedulable Tasks: written and removed under the leader's claim.
import { statusOf } from '@svc/shared/kinds/read';
import { timestamp, type Clock } from '../../clock.ts';
import { partName } from '../../registry/principal.ts';
import { updateStatus, type Status } from '../../registry/own-writes.ts';
import type { Claim, Store, StoreTransaction, WorkItem } from '../../store/store.ts';
import { transactAgain } from '../../store/write-race.ts';

export interface NoteContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly claim: Claim;
}

const BLOCKED_BY = 'Worker';
const WRITER = partName('controllers');

function isNoted(status: Status): boolean {
  return statusOf('Task', { status }).blockedOn?.kind === BLOCKED_BY;
}

/**
 * Writes into each Task of these items why no worker takes it. Writes only Pending Tasks that lack the note.
 * `first` runs in the same transaction. The fact `task.unplaceable` is appended when a Task begins to wait for a worker, not when the reason changes.
 */
export function noteAll(
  { store, clock, claim }: NoteContext,
  items: readonly WorkItem[],
  { reason, first }: { readonly reason: string; readonly first: (tx: StoreTransaction) => Promise<void> },
): Promise<void> {
  return transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    await first(tx);
    for (const item of items) await note(tx, item, { reason, clock });
  });
}

async function note(tx: StoreTransaction, item: WorkItem, { reason, clock }: { reason: string; clock: Clock }): Promise<void> {
  const blockedOn = { kind: BLOCKED_BY, name: '', reason };
  let begins = false;
  const change = (status: Status): Status => {
    const pending = statusOf('Task', { status }).phase === 'Pending';
    begins = pending && !isNoted(status);
    return pending ? { ...status, blockedOn } : status;
  };
  const task = await updateStatus(tx, { key: keyOf(item), uid: item.key, clock, by: WRITER, change });
  if (!task || !begins) return;
  const fact = { type: 'task.unplaceable', source: 'placement', action: 'unplaceable', message: reason, data: { blockedOn } };
  await tx.appendFact(task, timestamp(clock.now()), fact);
}

/** Takes the notes of these items' Tasks back. */
export function clearAll({ store, clock, claim }: NoteContext, items: readonly WorkItem[]): Promise<void> {
  const change = (status: Status): Status => {
    if (!isNoted(status)) return status;
    const { blockedOn: _past, ...kept } = status;
    return kept;
  };
  return transactAgain(store, async (tx) => {
    await tx.assertClaim(claim);
    for (const item of items) await updateStatus(tx, { key: keyOf(item), uid: item.key, clock, by: WRITER, change });
  });
}

const keyOf = ({ namespace, name }: WorkItem) => ({ kind: 'Task', namespace, name });
