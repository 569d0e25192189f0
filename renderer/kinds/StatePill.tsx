// State of an object as a pill: its outcome, which is Cancelled or Denied where a person chose the end. Empty for a kind with one state.
import { outcomeOf } from '@svc/shared/kinds/outcome';
import { PhasePill } from '../ui/status/PhasePill.tsx';
import { hasLifecycle } from '../ui/status/phases.ts';
import { kindNamed } from './kind-table.ts';

/** The part of a status, or of a hit of the name search, that the state comes from. */
export interface State {
  readonly phase?: unknown;
  readonly reason?: unknown;
}

export interface StatePillProps {
  readonly kind: string;
  readonly status: State;
  /** `quiet` has no background, for dense tables. */
  readonly look?: 'pill' | 'quiet';
}

export function StatePill({ kind, status, look = 'pill' }: StatePillProps) {
  const state = stateOf(kind, status);
  if (state === undefined || !hasLifecycle(kindNamed(kind)?.phases ?? [])) return null;
  return <PhasePill phase={state} kind={kind} look={look} />;
}

/** The outcome of an object of the kind; undefined where no phase is stored. */
export function stateOf(kind: string, { phase, reason }: State): string | undefined {
  if (typeof phase !== 'string') return undefined;
  return outcomeOf(kindNamed(kind)?.outcomes, { phase, reason: typeof reason === 'string' ? reason : undefined });
}
