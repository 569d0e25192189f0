// Due times of a schedule: the slot that runs now, and the time of the next check. Pure.
import { firesAfter, latestFire, type CronClock } from '@svc/shared/cron/cron';

/** With a deadline of 0 a slot runs only at its own moment, which a running server may reach this late. Any other deadline is kept to the second. */
const ON_TIME_MS = 5_000;

export interface SlotRules extends CronClock {
  readonly starting_deadline_seconds: number;
}

/** The slot to run at this moment, if there is one. `next` is the first slot that was not handled yet. Of several that were missed the newest counts. */
export function dueSlot(rules: SlotRules, next: number, now: number): number | undefined {
  if (next > now) return undefined;
  const newest = latestFire(rules, now);
  if (newest === undefined || newest < next) return undefined;
  const deadlineMs = rules.starting_deadline_seconds * 1000;
  const lateMaxMs = deadlineMs === 0 ? ON_TIME_MS : deadlineMs;
  return now - newest <= lateMaxMs ? newest : undefined;
}

/** The first slot after this moment; undefined when the expression never fires again. */
export const slotAfter = (clock: CronClock, moment: number): number | undefined => firesAfter(clock, moment, 1)[0];

/** RFC 3339 in UTC with whole seconds. */
export const slotText = (slot: number): string => new Date(slot).toISOString().replace('.000Z', 'Z');

const NAME_PART_MAX = 40;

/** `<schedule, at most 40>-YYYYMMDD-HHMM` in UTC. */
export function runName(schedule: string, slot: number): string {
  const digits = new Date(slot).toISOString().replace(/\D/g, '');
  return `${schedule.slice(0, NAME_PART_MAX)}-${digits.slice(0, 8)}-${digits.slice(8, 12)}`;
}
