// How a pause changes a run: calls in flight may end, nothing new begins, and the clocks of its agents stand still.
import type { Effect } from './decision.ts';
import type { EntryOf } from './entries.ts';
import type { PauseState, RunState, TurnState } from './state.ts';

/** Model calls are cut off: a call that is sent again after the pause is judged again, as after the loss of a worker. */
export function pauseRun(state: RunState, { at, data: { by, reason } }: EntryOf<'run.paused'>): void {
  state.paused ??= { by, reason, at };
  for (const { step } of state.attempt?.turns.values() ?? []) if (step?.phase === 'model_requested') step.lost = true;
}

export function resumeRun(state: RunState, { at }: EntryOf<'run.resumed'>): void {
  const { paused, attempt } = state;
  state.paused = undefined;
  if (!paused) return;
  for (const turn of attempt?.turns.values() ?? []) stopClock(turn, paused.at, at);
}

/** A turn that waits for a person meanwhile counts that time already. */
function stopClock(turn: TurnState, from: number, to: number): void {
  if (turn.phase !== 'active' || turn.awaitingSince !== undefined) return;
  // Below 0 where the clock was set back during the pause, as the start of the turn is by the clock from before.
  turn.waitedMs += to - Math.max(from, turn.startedAt, turn.waitEndedAt);
  turn.waitEndedAt = to;
}

/** Tool calls that this claim has sent and whose result is not recorded yet. */
export function callsInFlight(turn: TurnState): Effect[] {
  return (turn.step?.calls ?? [])
    .filter(({ phase, lost }) => phase === 'requested' && !lost)
    .map((call) => ({ kind: 'tool', key: call.requestId, turn, call }));
}

/** `paused by ann: waits for the budget`. */
export function pauseText({ by, reason }: Pick<PauseState, 'by' | 'reason'>): string {
  return `paused${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${reason}`}`;
}
