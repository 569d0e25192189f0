// Control of a Session: pause, resume, interrupt, and the ways it ends. All of it inside the caller's transaction.
import { ServiceError } from '@svc/shared/errors';
import { timestamp } from '../clock.ts';
import { resumeTask } from '../engine/runs/pause-task.ts';
import { partName } from '../registry/principal.ts';
import { hasEnded, type SessionDraft } from './draft.ts';
import { isOver, queuedTurns, type TurnRecord } from './records.ts';
import { eventsUpTo, replayEnded } from './project.ts';
import { cancelTurn, endTurn, startNext, withdrawTurn, withoutActive, type TurnDeps } from './turns.ts';

/** Action on the run of a turn, carried out after the Session is written: the end of a run writes the Session too. */
export interface RunOrder {
  readonly order: 'pause' | 'cancel';
  readonly task: NonNullable<TurnRecord['task']>;
  readonly reason: string;
}

export function refuseEnded({ object, phase }: SessionDraft): void {
  if (hasEnded(phase))
    throw new ServiceError('conflict', `Session ${object.namespace}/${object.name} has ended (${phase}); start a new one, or rewind it`);
}

/** A turn runs, or waits for an approval or a worker. One that a pause holds is not active. */
export async function hasActiveTurn(draft: SessionDraft): Promise<boolean> {
  const turn = await draft.activeTurn();
  return turn !== undefined && !isOver(turn) && draft.phase !== 'Paused';
}

function orderOf(order: RunOrder['order'], turn: TurnRecord | undefined, reason: string): RunOrder[] {
  return turn?.task && !turn.ended ? [{ order, task: turn.task, reason }] : [];
}

/** The current turn stops at its next safe point and waits, its open approvals stay valid. Throws `conflict`. */
export async function pauseSession(draft: SessionDraft, reason: string): Promise<RunOrder[]> {
  refuseEnded(draft);
  if (draft.phase === 'Paused') throw new ServiceError('conflict', `Session ${draft.object.name} is paused already`);
  const turn = await draft.activeTurn();
  draft.raiseFence();
  draft.setStatus({ phase: 'Paused', activeTurnID: undefined, claimedBy: undefined });
  const waits = turn !== undefined && !isOver(turn);
  if (waits) {
    draft.setTurn({ ...turn, phase: 'Queued', eventsUpTo: turn.eventsUpTo ?? (await eventsUpTo(draft.tx, turn)) });
    draft.emit('message.reset', { reason: 'session_paused' }, { turn });
  }
  draft.emit('session.paused', { reason });
  return waits ? orderOf('pause', turn, reason) : [];
}

/** From Paused or Failed: continues the paused turn, or starts the next queued one. Throws `conflict`. */
export async function resumeSession(deps: TurnDeps, draft: SessionDraft, reason: string): Promise<void> {
  refuseEnded(draft);
  if (draft.phase !== 'Paused' && draft.phase !== 'Failed')
    throw new ServiceError(
      'conflict',
      `Session ${draft.object.name} is neither paused nor failed (${draft.phase}); there is nothing to resume`,
    );
  draft.setStatus({ phase: 'WaitingInput', lastError: undefined });
  draft.emit('session.resumed', { reason });
  const turn = await draft.activeTurn();
  if (!turn) return startNext(deps, draft);
  if (isOver(turn)) return;
  draft.setStatus({ activeTurnID: turn.id });
  if (!turn.ended) return turn.task && resumeTask(draft.tx, turn.task, { by: partName('sessions'), now: draft.now });
  const { turn: replayed, safe } = await replayEnded(draft, turn);
  const { ended: _ended, ...continued } = replayed;
  await endTurn(deps, draft, { turn: draft.setTurn({ ...continued, phase: 'Running' }), ended: turn.ended, safe });
}

/** The current turn is cancelled; the interrupting one runs next, once its run has ended. */
export async function interruptTurn(draft: SessionDraft): Promise<RunOrder[]> {
  const turn = await draft.activeTurn();
  if (!turn || isOver(turn)) return [];
  draft.raiseFence();
  await withdrawTurn(draft, turn, { reset: 'interrupted', reason: 'interrupted' });
  if (turn.ended) draft.control = withoutActive(draft.control);
  return orderOf('cancel', turn, 'interrupted by a new message');
}

/** Cancels one turn that is not over: the current one, or one that waits. The Session continues with the next. */
export async function cancelOneTurn(draft: SessionDraft, turn: TurnRecord, reason: string): Promise<RunOrder[]> {
  if (draft.control.active === turn.sequence) {
    draft.raiseFence();
    await withdrawTurn(draft, turn, { reset: 'interrupted', reason });
    if (turn.ended) draft.control = withoutActive(draft.control);
    return orderOf('cancel', turn, reason);
  }
  const queued = (await queuedTurns(draft.tx, draft.object.uid, draft.control.queued)).find(({ sequence }) => sequence === turn.sequence);
  if (queued) await draft.dequeue(queued.id);
  cancelTurn(draft, turn, reason);
  return [];
}

const END_EVENTS = { Cancelled: 'session.cancelled', Completed: 'session.completed', Expired: 'session.expired' } as const;

/** Ends the Session for good, with every turn that has not ended. */
export async function endSession(draft: SessionDraft, phase: keyof typeof END_EVENTS, reason: string): Promise<RunOrder[]> {
  const { tx, object } = draft;
  const turn = await draft.activeTurn();
  draft.raiseFence();
  // A turn without a worker has no text yet, and a pause has withdrawn the text of its turn.
  if (turn && !isOver(turn)) await withdrawTurn(draft, turn, { reset: turn.phase === 'Queued' ? undefined : phase.toLowerCase(), reason });
  for (const { id, sequence } of await queuedTurns(tx, object.uid, draft.control.queued)) {
    const queued = await draft.turn(sequence);
    await draft.dequeue(id);
    if (queued) cancelTurn(draft, queued, reason);
  }
  const completedAt = timestamp(draft.now);
  draft.setStatus({ phase, activeTurnID: undefined, claimedBy: undefined, completedAt });
  draft.emit(END_EVENTS[phase], { reason });
  return orderOf('cancel', turn, reason);
}
