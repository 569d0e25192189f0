// Runs the rules until they ask for something from outside: all pure consequences of a fact, to be recorded together with it.
import { decide } from './decide.ts';
import type { DecideContext, Decision } from './decision.ts';
import type { Entry } from './entries.ts';
import { applyEntry } from './apply-entry.ts';
import type { RunState } from './state.ts';

export interface SettledState {
  /** Folded into the state already; they count only once they are recorded. */
  readonly entries: readonly Entry[];
  readonly decision: Exclude<Decision, { kind: 'record' }>;
}

/** Settled with every pending call judged; only calls to the outside are left. */
export interface Outcome extends SettledState {
  readonly decision: Exclude<Decision, { kind: 'record' | 'judge' }>;
}

export function settle(state: RunState, context: DecideContext): SettledState {
  const entries: Entry[] = [];
  for (;;) {
    const decision = decide(state, context);
    if (decision.kind !== 'record') return { entries, decision };
    applyEntry(state, decision.entry);
    entries.push(decision.entry);
  }
}
