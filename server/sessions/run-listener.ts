// Applies the ends and suspensions of a turn's run to its Session, in the transaction that writes them.
import type { RunListener } from '../engine/run-listeners.ts';
import { mayRunTurn } from './bindings.ts';
import { changeSession, type SessionDraft } from './draft.ts';
import { isOver, sessionControls, type TurnRecord } from './records.ts';
import { endTurn, type TurnDeps } from './turns.ts';

export function createSessionRunListener(deps: TurnDeps): RunListener {
  return {
    name: 'sessions',
    async onRunChange(tx, task, change) {
      if (!mayRunTurn(task.metadata)) return;
      const binding = await deps.bindings.read(tx, task.metadata.uid);
      if (!binding) return;
      const { uid, sequence, ...ref } = binding;
      // The record of the run has ended its turn already, in most cases. An ended turn is never active again.
      if ((await sessionControls.get(tx, uid))?.active !== sequence) return;
      await changeSession(tx, { ref, uid, deps }, async (draft) => {
        const turn = await draft.turn(sequence);
        if (!turn || draft.control.active !== sequence) return;
        if (change.kind === 'suspended') suspend(draft, turn, change.why);
        // The turn of a paused Session ends when the Session is resumed; until then no event shows it.
        else if (draft.phase === 'Paused' && turn.phase === 'Queued') draft.setTurn({ ...turn, ended: change });
        else await endTurn(deps, draft, { turn, ended: change });
      });
    },
  };
}

function suspend(draft: SessionDraft, turn: TurnRecord, why: string): void {
  if (isOver(turn) || draft.phase === 'Paused') return;
  draft.setStatus({ claimedBy: undefined });
  if (why !== 'approval') return;
  draft.setTurn({ ...turn, phase: 'WaitingApproval' });
  draft.setStatus({ phase: 'WaitingApproval' });
}
