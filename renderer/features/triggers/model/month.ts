// Days of a calendar as texts such as `2026-11-24`, and due times of many schedules by day. Pure.
import { monthOf, type CalendarDay } from '@svc/shared/cron/cron-month';
import { dueTime } from '@svc/shared/cron/cron-description';
import type { CronClock } from '@svc/shared/cron/cron';

const midnight = (date: string): Date => new Date(`${date}T00:00:00Z`);
const dateText = (date: Date): string => date.toISOString().slice(0, 10);

export const formatDay = (date: string, parts: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { ...parts, timeZone: 'UTC' }).format(midnight(date));

export function moved(date: string, days: number): string {
  const next = midnight(date);
  next.setUTCDate(next.getUTCDate() + days);
  return dateText(next);
}

/** The same day of another month, or its last one. */
export function movedMonth(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dateText(new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))));
}

/** Rows of seven, from Monday; undefined where there is no day of the month. */
export function weeksOf<Day extends { readonly date: string }>(days: readonly Day[]): (Day | undefined)[][] {
  const weeks: (Day | undefined)[][] = [];
  for (const day of days) {
    const column = (midnight(day.date).getUTCDay() + 6) % 7;
    if (column === 0 || weeks.length === 0) weeks.push(Array.from({ length: 7 }, () => undefined));
    const week = weeks.at(-1);
    if (week) week[column] = day;
  }
  return weeks;
}

/** Times of day in the zone of the schedule: `09:30 21:30`. */
export const timesText = ({ times }: Pick<CalendarDay, 'times'>, zone: string): string =>
  times.map((at) => dueTime(new Date(at).toISOString(), zone).replace(/^.*, (\S+) .*$/, '$1')).join(' ');

export interface ScheduledClock extends CronClock {
  readonly key: string;
  readonly suspended: boolean;
}

/** A schedule on a day on which it is due. */
export interface DueOnDay<Clock extends ScheduledClock = ScheduledClock> {
  readonly clock: Clock;
  readonly fires: number;
  /** The first due times of the day, in the zone of the schedule. */
  readonly text: string;
}

export interface SharedDay<Clock extends ScheduledClock = ScheduledClock> {
  readonly date: string;
  readonly due: readonly DueOnDay<Clock>[];
}

/** The days of a month (from 1), with the due times of one schedule. */
export function dueDays<Clock extends ScheduledClock>(clock: Clock, year: number, month: number): ReadonlyMap<string, DueOnDay<Clock>> {
  const days = monthOf(clock, year, month).filter(({ fires }) => fires > 0);
  return new Map(days.map((day) => [day.date, { clock, fires: day.fires, text: timesText(day, clock.time_zone) }]));
}

/** Every day of the month with what is due on it: active schedules first, each in the order of its first due time. */
export function sharedDays<Clock extends ScheduledClock>(
  due: readonly ReadonlyMap<string, DueOnDay<Clock>>[],
  year: number,
  month: number,
): SharedDay<Clock>[] {
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return Array.from({ length: last }, (_each, i) => {
    const date = dateText(new Date(Date.UTC(year, month - 1, i + 1)));
    const found = due.flatMap((days) => days.get(date) ?? []);
    const order = (each: DueOnDay) => `${each.clock.suspended ? 1 : 0} ${each.text} ${each.clock.key}`;
    return { date, due: found.sort((a, b) => (order(a) < order(b) ? -1 : 1)) };
  });
}

/** `2 schedules, 3 due times, 1 suspended`; undefined for a day without any. */
export function dayTotals(due: readonly DueOnDay[]): string | undefined {
  const active = due.filter(({ clock }) => !clock.suspended);
  const suspended = due.length - active.length;
  if (due.length === 0) return undefined;
  const fires = active.reduce((sum, each) => sum + each.fires, 0);
  const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;
  const running = active.length === 0 ? [] : [count(active.length, 'schedule'), count(fires, 'due time')];
  return [...running, ...(suspended === 0 ? [] : [`${suspended} suspended`])].join(', ');
}
