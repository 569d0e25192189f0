// Back to a checkpoint: what came after it is undone, and the Session waits there. Inside the caller's transaction.
import { randomUUID } from 'node:crypto';
import { ServiceError } from '@svc/shared/errors';
import { timestamp } from '../clock.ts';
import type { EncodedState } from '../engine/core/state-codec.ts';
import type { StoreReader } from '../store/store.ts';
import type { CheckpointRecord } from './checkpoints.ts';
import type { RunOrder } from './control.ts';
import type { SessionDraft } from './draft.ts';
import { enqueueTurn, putState, type TurnRecord } from './records.ts';
import { stateAt } from './replay.ts';
import { cancelTurn } from './turns.ts';

/** Turns of a conversation that one rewind can undo. */
const UNDONE_MAX = 10_000;

/** Pauses the Session at the checkpoint. A checkpoint inside a turn continues as a new turn, which is first in the queue. */
export async function rewindSession(draft: SessionDraft, checkpoint: CheckpointRecord): Promise<RunOrder[]> {
  const turn = await draft.turn(checkpoint.sequence);
  if (!turn) throw new ServiceError('conflict', `the turn of checkpoint ${checkpoint.id} is not stored any more`);
  const closes = checkpoint.safe_point === 'turn.completed';
  const encoded = closes ? undefined : await verifiedState(draft.tx, draft.object.uid, checkpoint);
  const orders = await dropActive(draft, 'the session was rewound');
  const head = closes ? turn.sequence : (turn.parent ?? 0);
  await undo(draft, { from: draft.control.head, to: head });
  draft.raiseFence();
  draft.control = { ...draft.control, head, checkpoint: checkpoint.id };
  const { completedTurns } = checkpoint;
  draft.setStatus({ phase: 'Paused', completedTurns, restoredCheckpoint: checkpoint.id, lastError: undefined, completedAt: undefined });
  draft.emit('session.rewound', { checkpoint_id: checkpoint.id });
  if (encoded) await continueTurn(draft, turn, { checkpoint, encoded });
  return orders;
}

/** Throws `conflict` when the journal does not give the state whose hash was stored. */
export async function verifiedState(reader: StoreReader, sessionUid: string, checkpoint: CheckpointRecord): Promise<EncodedState> {
  const folded = await stateAt(reader, sessionUid, checkpoint);
  if (!folded || folded.sha256 !== checkpoint.state_hash)
    throw new ServiceError(
      'conflict',
      `checkpoint ${checkpoint.id} cannot be restored: the recorded run does not give the state that was stored`,
    );
  return folded;
}

async function dropActive(draft: SessionDraft, reason: string): Promise<RunOrder[]> {
  const { active, ...control } = draft.control;
  const turn = active === undefined ? undefined : await draft.turn(active);
  if (!turn) return [];
  if (turn.phase === 'Queued') draft.setStatus({ queuedTurns: Math.max(0, (draft.status.queuedTurns ?? 0) - 1) });
  if (turn.phase !== 'Cancelled') {
    draft.emit('message.reset', { reason: 'session_rewound' }, { turn });
    cancelTurn(draft, turn, reason);
  }
  draft.setStatus({ activeTurnID: undefined, claimedBy: undefined });
  // A run that has not ended keeps its place until it has.
  if (turn.ended || !turn.task) draft.control = control;
  return turn.task && !turn.ended ? [{ order: 'cancel', task: turn.task, reason }] : [];
}

async function undo(draft: SessionDraft, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
  let sequence = from;
  for (let count = 0; sequence > to && count < UNDONE_MAX; count += 1) {
    const turn = await draft.turn(sequence);
    if (!turn) return;
    draft.setTurn({ ...turn, phase: 'Cancelled' });
    sequence = turn.parent ?? 0;
  }
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
    id: `turn-${randomUUID().replaceAll('-', '')}`,
    sequence,
    content: turn.content,
    phase: 'Queued',
    attempt: 0,
    idempotencyKey: `continues-${checkpoint.id}-${sequence}`,
    createdBy: turn.createdBy,
    createdAt: timestamp(draft.now),
    restore: { checkpointId: checkpoint.id, sha256: encoded.sha256 },
  });
  await putState(draft.tx, uid, { id: next.id, bytes: encoded.bytes });
  await enqueueTurn(draft.tx, uid, { sequence, place: 'next' });
  draft.setStatus({ queuedTurns: (draft.status.queuedTurns ?? 0) + 1 });
  draft.emit('message.created', { role: 'user', content: turn.content }, { turn: next, message: 'user' });
  draft.emit('turn.queued', { queue_sequence: sequence, checkpoint_id: checkpoint.id }, { turn: next });
  return next;
}
