// How a Task ended, as people count it: an end that a person chose is not a failure. Pure.
// The console's first screen loads this: it imports no schema.
import { outcomeOf, type Outcomes } from '../outcome.ts';

/** Reasons of a failed Task that a person decided, with the outcome of each. */
export const DECIDED_REASONS = { cancelled: 'Cancelled', approval_denied: 'Denied' } as const;

export const TASK_OUTCOMES: Outcomes = { phases: ['Failed', 'DeadLetter'], byReason: DECIDED_REASONS };

/** The outcome of an ended Task; of another its phase. */
export function taskOutcome(status: { readonly phase: string; readonly reason?: string | undefined }): string {
  return outcomeOf(TASK_OUTCOMES, status);
}

/** Times of a status. */
export interface TaskTimes {
  readonly startedAt?: string | undefined;
  readonly completedAt?: string | undefined;
  readonly waitingSince?: string | undefined;
  readonly waitedMs?: number | undefined;
}

/** Milliseconds from the first attempt to the end, or to `now`, without the time in which it waited for people alone. Undefined before. */
export function activeMs(status: TaskTimes, now: number): number | undefined {
  const { startedAt, completedAt } = status;
  if (startedAt === undefined) return undefined;
  const end = completedAt === undefined ? now : Date.parse(completedAt);
  return Math.max(0, end - Date.parse(startedAt) - peopleMs(status, now));
}

/** Milliseconds in which the Task waited for people alone. */
export function peopleMs({ waitingSince, waitedMs = 0 }: TaskTimes, now: number): number {
  return waitedMs + (waitingSince === undefined ? 0 : Math.max(0, now - Date.parse(waitingSince)));
}
