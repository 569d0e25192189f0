// Back to a checkpoint: later turns are undone, and the Session waits there. Inside the caller's transaction.
import { ServiceError } from '@svc/shared/errors';
import { timestamp } from '../clock.ts';
import type { EncodedState } from '../engine/core/state-codec.ts';
import { partBranches, type Branch } from './branches.ts';
import type { CheckpointRecord } from './checkpoints.ts';
import type { RunOrder } from './control.ts';
import type { SessionDraft } from './draft.ts';
import { firstLine } from './first-line.ts';
import { isOver, newTurnId, putState, queuedTurns, type TurnRecord } from './records.ts';
import { verifiedState } from './replay.ts';
import { cancelTurn, withdrawTurn } from './turns.ts';

/** Turns that one rewind can undo or restore. */
const CHANGED_MAX = 10_000;

/** Pauses the Session at the checkpoint. A checkpoint inside a turn continues as a new turn, which is first in the queue. */
export async function rewindSession(draft: SessionDraft, checkpoint: CheckpointRecord): Promise<RunOrder[]> {
  const turn = await draft.turn(checkpoint.sequence);
  if (!turn) throw new ServiceError('conflict', `the turn of checkpoint ${checkpoint.id} is no longer stored`);
  const closes = checkpoint.safe_point === 'turn.completed';
  const encoded = closes ? undefined : await verifiedState(draft.tx, draft.object.uid, checkpoint);
  const orders = await dropActive(draft, 'the Session was rewound');
  await dropContinuations(draft);
  const head = closes ? turn.sequence : (turn.parent ?? 0);
  const { completedTurns } = checkpoint;
  await changeBranch(draft, { head, turns: completedTurns });
  draft.raiseFence();
  draft.control = { ...draft.control, head, checkpoint: checkpoint.id };
  draft.setStatus({
    ...{ phase: 'Paused', completedTurns, lastMessage: firstLine(turn.content), restoredCheckpoint: checkpoint.id },
    ...{ lastError: undefined, completedAt: undefined },
  });
  draft.emit('session.rewound', { checkpoint_id: checkpoint.id });
  if (encoded) await continueTurn(draft, turn, { checkpoint, encoded });
  return orders;
}

async function dropActive(draft: SessionDraft, reason: string): Promise<RunOrder[]> {
  const { active, ...control } = draft.control;
  const turn = active === undefined ? undefined : await draft.turn(active);
  if (!turn) return [];
  if (!isOver(turn)) await withdrawTurn(draft, turn, { reset: 'session_rewound', reason });
  draft.setStatus({ activeTurnID: undefined, claimedBy: undefined });
  // A run that has not ended keeps its place until it has.
  if (turn.ended || !turn.task) draft.control = control;
  return turn.task && !turn.ended ? [{ order: 'cancel', task: turn.task, reason }] : [];
}

/** Cancels continuations of earlier rewinds that have not begun. Messages of people stay in the queue. */
async function dropContinuations(draft: SessionDraft): Promise<void> {
  for (const { id, sequence } of await queuedTurns(draft.tx, draft.object.uid, draft.control.queued)) {
    const turn = await draft.turn(sequence);
    if (!turn?.restore) continue;
    await draft.dequeue(id);
    cancelTurn(draft, turn, 'the Session was rewound');
  }
}

/** Undoes the turns that only the present conversation has, and restores those that only the one up to `head` has: an earlier rewind undid them. */
async function changeBranch(draft: SessionDraft, { head, turns }: { readonly head: number; readonly turns: number }): Promise<void> {
  const read = (sequence: number) => draft.turn(sequence);
  const branch = async (sequence: number, depth: number): Promise<Branch> => ({ turn: await read(sequence), depth, own: [], read });
  const old = await branch(draft.control.head, draft.status.completedTurns ?? 0);
  const next = await branch(head, turns);
  await partBranches(old, next, {
    max: CHANGED_MAX,
    refusal: `a rewind changes at most ${CHANGED_MAX} turns; use a checkpoint that is closer, or fork`,
  });
  for (const turn of old.own) draft.setTurn({ ...turn, phase: 'Cancelled' });
  for (const turn of next.own) draft.setTurn({ ...turn, phase: 'Succeeded' });
}

export interface Continuation {
  readonly checkpoint: CheckpointRecord;
  readonly encoded: EncodedState;
}

/** A new turn that begins with the state of the checkpoint. */
export async function continueTurn(draft: SessionDraft, turn: TurnRecord, { checkpoint, encoded }: Continuation): Promise<TurnRecord> {
  const sequence = draft.control.turns + 1;
  draft.control = { ...draft.control, turns: sequence };
  const { uid } = draft.object;
  const next = draft.setTurn({
    id: newTurnId(draft.now),
    sequence,
    content: turn.content,
    phase: 'Queued',
    attempt: 0,
    idempotencyKey: `continues-${checkpoint.id}-${sequence}`,
    createdBy: turn.createdBy,
    createdAt: timestamp(draft.now),
    // A fork has a checkpoint of this turn before it starts.
    parent: draft.control.head,
    restore: { checkpointId: checkpoint.id, sha256: encoded.sha256 },
  });
  await putState(draft.tx, uid, { id: next.id, bytes: encoded.bytes });
  await draft.enqueue({ sequence, place: 'next' });
  draft.emit('message.created', { role: 'user', content: turn.content }, { turn: next, message: 'user' });
  draft.emit('turn.queued', { queue_sequence: sequence, checkpoint_id: checkpoint.id }, { turn: next });
  return next;
}
