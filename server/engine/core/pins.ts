// Outputs that replace turns of a trial: no model and no tool is called for them.
import type { DataOf } from './entries.ts';
import type { AttemptState, TurnState } from './state.ts';
import type { PinnedOutput } from './snapshot.ts';

/** The output that replaces a turn; undefined for a turn that runs. A turn that has begun with its model is never replaced. */
export function pinnedOutput(attempt: AttemptState, turn: TurnState): (PinnedOutput & { readonly task: string | undefined }) | undefined {
  const name = turn.agent.name;
  const pins = attempt.snapshot.task.trial?.pins ?? {};
  const pin = Object.hasOwn(pins, name) ? pins[name] : undefined;
  if (!pin || turn.step) return undefined;
  const found = pin.outputs[usesOf(attempt, name)] ?? (pin.repeats ? pin.outputs.at(-1) : undefined);
  return found && { ...found, task: pin.task };
}

export function countPin(attempt: AttemptState, { agent, pinned }: DataOf<'agent.completed'>): void {
  if (!pinned) return;
  attempt.pinsUsed = { ...attempt.pinsUsed, [agent]: usesOf(attempt, agent) + 1 };
}

/** Pinned outputs of this agent that were used. */
function usesOf({ pinsUsed = {} }: AttemptState, agent: string): number {
  return Object.hasOwn(pinsUsed, agent) ? (pinsUsed[agent] ?? 0) : 0;
}
