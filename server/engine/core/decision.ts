// Results of decide, and its input besides the state.
import type { Entry } from './entries.ts';
import type { CallState, TurnState } from './state.ts';
import type { Verdicts, PendingCall } from './verdicts.ts';

/** A call the shell must have in flight while it is requested; once it is no longer requested, it is aborted. */
export type Effect =
  | { readonly kind: 'model'; readonly key: string; readonly turn: TurnState }
  | { readonly kind: 'tool'; readonly key: string; readonly turn: TurnState; readonly call: CallState };

/** When and where a decision is made. */
export interface DecideMoment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds by which `now` is ahead of the clock of the queue. Default 0. */
  readonly ahead?: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly worker: string;
}

/** A moment of the run's clock and its distance to the clock of the queue. */
export type Moment = Pick<DecideMoment, 'now' | 'ahead'>;

/** Moment in `ms`, by the clock of the queue: every moment that is recorded to be waited for, as timers, people and later workers read that clock. */
export const dueIn = ({ now, ahead = 0 }: Moment, ms: number): number => now - ahead + ms;

/** Such a moment by the clock of the run. */
export const byRunClock = ({ ahead = 0 }: Moment, due: number): number => due + ahead;

/** Term of a question to a person. `asked_at` is for where the entry's own moment, by the clock of the run, is not that of the request. */
export function termOf(moment: Moment, ttlMs: number): { readonly asked_at?: number; readonly expires_at: number } {
  return { ...((moment.ahead ?? 0) > 0 && { asked_at: dueIn(moment, 0) }), expires_at: dueIn(moment, ttlMs) };
}

export interface DecideContext extends DecideMoment {
  /** Verdicts of governance on pending calls so far. They hold for entries recorded now, and for nothing later. */
  readonly verdicts: Verdicts;
}

export type Decision =
  /** Record these, then decide again. */
  | { readonly kind: 'record'; readonly entry: Entry }
  /** Nothing more can be recorded before governance has judged these; then decide again. */
  | { readonly kind: 'judge'; readonly pendingCalls: readonly PendingCall[] }
  /** Keep these calls in flight; decide again when one ends or at `wakeAt`. */
  | { readonly kind: 'perform'; readonly effects: readonly Effect[]; readonly wakeAt: number | undefined }
  /** The attempt is over and the next one may start at this time. */
  | { readonly kind: 'next_attempt'; readonly at: number }
  | { readonly kind: 'finished' };
