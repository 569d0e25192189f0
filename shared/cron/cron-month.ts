// Due times of a month by day, for calendars. The work is bounded however often an expression fires. Pure.
import { countFires, firesAfter, type CronClock } from './cron.ts';

const HOUR_MS = 3_600_000;
const TIMES_LISTED = 3;

export interface CalendarDay {
  /** `2026-11-24` in the schedule's time zone. */
  readonly date: string;
  /** 24, except where clocks change. */
  readonly hours: number;
  /** Number of due times. */
  readonly fires: number;
  /** The first of them, in milliseconds since the epoch. */
  readonly times: readonly number[];
}

/** Days of a month (from 1) in the time zone of the schedule. Days of 24 hours on which it fires have equally many due times: they are counted once. */
export function monthOf(clock: CronClock, year: number, month: number): CalendarDay[] {
  const prefix = `${year}-${String(month).padStart(2, '0')}-`;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: clock.time_zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const midnights = { schedule: '0 0 * * *', time_zone: clock.time_zone };
  const starts = firesAfter(midnights, Date.UTC(year, month - 1, 1) - 36 * HOUR_MS, 36);
  let usual: number | undefined;
  const days: CalendarDay[] = [];
  for (const [i, start] of starts.entries()) {
    const end = starts[i + 1];
    const date = format.format(start);
    if (end === undefined || !date.startsWith(prefix)) continue;
    const times = firesAfter(clock, start - 1, TIMES_LISTED).filter((at) => at < end);
    const hours = (end - start) / HOUR_MS;
    const fires =
      times.length < TIMES_LISTED
        ? times.length
        : hours === 24
          ? (usual ??= usualCount(clock.schedule))
          : countFires(clock, { from: start, to: end });
    days.push({ date, hours, fires, times });
  }
  return days;
}

/** Due times of a day of 24 hours on which the expression fires: those of its minute and hour. */
function usualCount(schedule: string): number {
  const [minute = '', hour = ''] = schedule.trim().split(/\s+/);
  return countFires({ schedule: `${minute} ${hour} * * *`, time_zone: 'UTC' }, { from: 0, to: 24 * HOUR_MS });
}
