// Scope of a decision (run, attempt, turn, step) and its tags in entries.
import type { StepTag, TurnTag } from './entries.ts';
import type { AttemptState, RunState, StepState, TurnState } from './state.ts';

export interface TurnScope {
  readonly state: RunState;
  readonly attempt: AttemptState;
  readonly turn: TurnState;
}

export function turnTag({ attempt, turn }: Omit<TurnScope, 'state'>): TurnTag {
  return { attempt: attempt.number, turn_id: turn.id, agent: turn.agent.name, branch_id: turn.branchId };
}

export function stepTag(scope: Omit<TurnScope, 'state'>, step: StepState): StepTag {
  return { ...turnTag(scope), step: step.step, agent_step: step.agentStep };
}
