// Values that lists of Tasks are sorted by besides name and time of creation. Pure.
// The console's first screen loads this: it imports no schema.
import { activeMs, type TaskTimes } from './outcome.ts';
import { runOutput } from './run-output.ts';

interface EndedStatus extends TaskTimes {
  readonly output?: Readonly<Record<string, string>> | undefined;
  readonly costUsd?: number | undefined;
}

const DIGITS = 16;
const NANODOLLARS = 1e9;
/** Sorts below every number and above an absent value. */
const UNKNOWN = '-';

/** A number as text whose bytewise order is that of the numbers. */
function sortable(value: number | undefined): string {
  if (value === undefined || !(value >= 0)) return UNKNOWN;
  return String(Math.min(Math.round(value), Number.MAX_SAFE_INTEGER)).padStart(DIGITS, '0');
}

/** Enough for any date; equal lengths keep the order. */
const TIME_DIGITS = 9;

/**
 * Sort values of a Task, all from its end on. An end without a duration, tokens or a known cost is below those that have one. Of equal ones the
 * earlier end is below: so the runs of one moment lie together in the index, and a commit changes few of its pages.
 */
export function taskSortValues(status: EndedStatus): Readonly<Record<'completedAt' | 'duration' | 'tokens' | 'cost', string>> | undefined {
  const { completedAt, output, costUsd } = status;
  if (completedAt === undefined) return undefined;
  const endMs = Date.parse(completedAt);
  const atEnd = (value: number | undefined): string => `${sortable(value)}@${endMs.toString(36).padStart(TIME_DIGITS, '0')}`;
  return {
    completedAt,
    duration: atEnd(activeMs(status, endMs)),
    tokens: atEnd(runOutput(output).tokens),
    cost: atEnd(costUsd === undefined ? undefined : costUsd * NANODOLLARS),
  };
}
