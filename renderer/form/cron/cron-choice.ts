// Cron lines as choices of the builder: a line that has no choice is the person's own expression, kept unchanged. Pure.
import { weekdaysOf } from '@svc/shared/cron/cron-description';

export type CronChoice =
  | { readonly type: 'minutes'; readonly every: number }
  | { readonly type: 'hourly'; readonly minute: number }
  | { readonly type: 'daily'; readonly minute: number; readonly hour: number }
  /** Days from 0, Sunday, to 6; ascending, at least one. */
  | { readonly type: 'weekly'; readonly minute: number; readonly hour: number; readonly days: readonly number[] }
  | { readonly type: 'monthly'; readonly minute: number; readonly hour: number; readonly day: number }
  | { readonly type: 'own'; readonly expression: string };

/** The choice that writes a line with the same due times; `own` with the unchanged line when there is none. */
export function readCron(expression: string): CronChoice {
  const own: CronChoice = { type: 'own', expression };
  const [minutes = '', hours = '', day = '', month = '', weekdays = '', ...more] = expression.trim().split(/\s+/);
  if (month !== '*' || more.length > 0) return own;
  const [minute, hour] = [within(minutes, 0, 59), within(hours, 0, 23)];
  const everyDay = day === '*' && weekdays === '*';
  if (hours === '*' && everyDay) {
    const every = minutes === '*' ? 1 : within(/^\*\/(\d+)$/.exec(minutes)?.[1] ?? '', 1, 59);
    return every !== undefined ? { type: 'minutes', every } : minute !== undefined ? { type: 'hourly', minute } : own;
  }
  if (minute === undefined || hour === undefined) return own;
  if (everyDay) return { type: 'daily', minute, hour };
  if (day === '*') {
    const days = weekdaysOf(weekdays);
    return days ? { type: 'weekly', minute, hour, days } : own;
  }
  const ofMonth = within(day, 1, 31);
  return weekdays === '*' && ofMonth !== undefined ? { type: 'monthly', minute, hour, day: ofMonth } : own;
}

export function writeCron(choice: CronChoice): string {
  switch (choice.type) {
    case 'minutes':
      return choice.every === 1 ? '* * * * *' : `*/${choice.every} * * * *`;
    case 'hourly':
      return `${choice.minute} * * * *`;
    case 'daily':
      return `${choice.minute} ${choice.hour} * * *`;
    case 'weekly':
      return `${choice.minute} ${choice.hour} * * ${writeWeekdays(choice.days)}`;
    case 'monthly':
      return `${choice.minute} ${choice.hour} ${choice.day} * *`;
    default:
      return choice.expression;
  }
}

/** The choice of another type that keeps the time of day as far as it has one. */
export function switchTo(type: CronChoice['type'], from: CronChoice): CronChoice {
  const minute = 'minute' in from ? from.minute : 0;
  const hour = 'hour' in from ? from.hour : 9;
  switch (type) {
    case 'minutes':
      return { type, every: 15 };
    case 'hourly':
      return { type, minute };
    case 'daily':
      return { type, minute, hour };
    case 'weekly':
      return { type, minute, hour, days: [1, 2, 3, 4, 5] };
    case 'monthly':
      return { type, minute, hour, day: 1 };
    default:
      return { type, expression: writeCron(from) };
  }
}

/** A whole number of at most two digits within bounds, else undefined. */
export function within(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function writeWeekdays(days: readonly number[]): string {
  const [first = 0, last = 0] = [days[0], days.at(-1)];
  const unbroken = days.length > 2 && last - first === days.length - 1;
  return unbroken ? `${first}-${last}` : days.join(',');
}
