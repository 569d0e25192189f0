// Figures of use, from the counts of ends. Pure.
import type { api } from '../../../live/api.ts';

export type ObjectUse = (typeof api.statistics.use)['~types']['output'];

type Ends = Pick<ObjectUse, 'succeeded' | 'failed' | 'deadLettered' | 'cancelled' | 'denied'>;

/** Runs that ended, in any way. */
export function ended({ cancelled, denied, ...rest }: Ends): number {
  return settled(rest) + cancelled + denied;
}

/** Runs that a rate of success is of: cancelled and denied ones neither succeeded nor failed. */
export function settled({ succeeded, failed, deadLettered }: Pick<Ends, 'succeeded' | 'failed' | 'deadLettered'>): number {
  return succeeded + failed + deadLettered;
}
