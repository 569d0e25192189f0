// When a run that workers keep losing is given up. Pure. Source: docs/engine.md "Runs that kill their workers".
import type { Entry, Failure } from './entries.ts';

/** Takeovers without progress after which a run is dead-lettered, unless the process is configured otherwise. */
export const TAKEOVERS_MAX = 3;

/** `poisoned`: dead-lettered. `last_chance`: one more takeover dead-letters it, so it must not share a process with another run in doubt. */
export type Standing = 'trusted' | 'in_doubt' | 'last_chance' | 'poisoned';

/** `takeovers` counts those since the run last made progress; `max` of 0 gives no run up. */
export function standingOf(takeovers: number, max: number): Standing {
  if (takeovers <= 0) return 'trusted';
  if (max > 0 && takeovers >= max) return 'poisoned';
  return takeovers === max - 1 ? 'last_chance' : 'in_doubt';
}

/** Entries that each claim records again, in a run that is lost any number of times. */
const OF_EACH_CLAIM: ReadonlySet<Entry['type']> = new Set([
  'run.claimed',
  'run.released',
  'run.paused',
  'run.resumed',
  'call.resent',
  'cancel.requested',
]);

export function madeProgress(entries: readonly Entry[]): boolean {
  return entries.some(({ type }) => !OF_EACH_CLAIM.has(type));
}

export function poisonedFailure(takeovers: number, lastOwner: string | undefined): Failure {
  const times = takeovers === 1 ? 'once' : `${takeovers} times`;
  const last = lastOwner === undefined ? '' : `, ${lastOwner} the last of them`;
  return {
    code: 'poisoned',
    message:
      `the run was taken over ${times} without progress: each worker that claimed it died or stopped responding${last}; ` +
      'look at what these workers logged last, change what the Task runs, then retry it',
    retryable: false,
  };
}
