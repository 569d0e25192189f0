// Cron lines and due times in plain words: "every weekday at 09:30, Berlin time". Pure.
import type { CronClock } from './cron.ts';

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
/** Longer lists are not readable as plain words. */
const LISTED_MAX = 6;

/** `every Monday at 07:00`. Undefined for an expression that has no short wording; it is shown as it is then. `expression` is a valid one. */
export function cronWords(expression: string): string | undefined {
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = expression.trim().toUpperCase().split(/\s+/);
  const time = timeWords(minute, hour);
  const days = dayWords(day, weekday);
  const months = month === '*' ? '' : monthWords(month);
  if (time === undefined || days === undefined || months === undefined) return undefined;
  const where = months === '' ? '' : ` in ${months}`;
  const when = time.startsWith('every')
    ? `${time}${days === 'every day' ? '' : ` ${days.replace(/^every /, 'on each ')}`}`
    : `${days} ${time}`;
  return `${when}${where}`;
}

/** Plain words where there are some, else the expression itself. */
export const describeSchedule = ({ schedule, time_zone: zone }: CronClock): string =>
  `${cronWords(schedule) ?? `cron ${schedule}`}, ${zoneWords(zone)}`;

/** `Tue 24 Nov 2026, 09:30 GMT+1`: the offset shows a change of clocks between two times. In a zone that is unknown here, `at` itself. */
export function dueTime(at: string, timeZone: string): string {
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
      ...{ timeZone, timeZoneName: 'shortOffset' },
    });
    return format.format(new Date(at));
  } catch {
    return at;
  }
}

/** `Berlin time`, or `UTC`. */
function zoneWords(timeZone: string): string {
  if (!timeZone.includes('/')) return timeZone;
  return `${(timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ')} time`;
}

const two = (value: number): string => String(value).padStart(2, '0');
const numberOf = (text: string): number | undefined => (/^\d{1,2}$/.test(text) ? Number(text) : undefined);
const stepOf = (text: string): number | undefined => numberOf(/^\*\/(\d{1,2})$/.exec(text)?.[1] ?? '');

function timeWords(minute: string, hour: string): string | undefined {
  const [at, every, everyHours] = [numberOf(minute), stepOf(minute), stepOf(hour)];
  if (hour === '*') {
    if (minute === '*' || every === 1) return 'every minute';
    if (every !== undefined) return `every ${every} minutes`;
    return at === undefined ? undefined : at === 0 ? 'every hour' : `every hour at minute ${at}`;
  }
  if (at === undefined) return undefined;
  if (everyHours !== undefined) return `every ${everyHours} hours at minute ${at}`;
  const hours = hour.split(',').map(numberOf);
  if (hours.length > LISTED_MAX || hours.includes(undefined)) return undefined;
  return `at ${joined(hours.map((each) => `${two(each ?? 0)}:${two(at)}`))}`;
}

function dayWords(day: string, weekday: string): string | undefined {
  const ofMonth = day === '*' ? '' : dayOfMonth(day);
  const ofWeek = weekday === '*' ? '' : dayOfWeek(weekday);
  if (ofMonth === undefined || ofWeek === undefined) return undefined;
  if (ofMonth === '' && ofWeek === '') return 'every day';
  // With both restricted either is enough.
  return [ofMonth, ofWeek].filter((part) => part !== '').join(' and ');
}

function dayOfMonth(day: string): string | undefined {
  const days = day.split(',').map(numberOf);
  if (days.length > LISTED_MAX || days.includes(undefined)) return undefined;
  return `on day ${joined(days.map(String))} of the month`;
}

function dayOfWeek(weekday: string): string | undefined {
  const days = weekdaysOf(weekday);
  if (days === undefined) return undefined;
  if (days.length === 7) return 'every day';
  if (days.join() === '1,2,3,4,5') return 'every weekday';
  // Weeks begin on Monday.
  return `every ${joined([...days.filter((day) => day > 0), ...days.filter((day) => day === 0)].map((day) => WEEKDAYS[day] ?? ''))}`;
}

/** Days of a weekday field without steps, from 0 (Sunday) to 6, ascending; undefined for other fields. */
export function weekdaysOf(text: string): readonly number[] | undefined {
  const days = new Set<number>();
  for (const part of text.split(',')) {
    const [first, last, ...more] = part.split('-').map(weekdayOf);
    if (first === undefined || more.length > 0 || (part.includes('-') && (last === undefined || last < first))) return undefined;
    for (let day = first; day <= (last ?? first); day += 1) days.add(day % 7);
  }
  return [...days].sort((a, b) => a - b);
}

function weekdayOf(text: string): number | undefined {
  const named = WEEKDAYS.findIndex((each) => each.slice(0, 3).toUpperCase() === text.toUpperCase());
  const day = named >= 0 ? named : numberOf(text);
  return day !== undefined && day <= 7 ? day : undefined;
}

function monthWords(text: string): string | undefined {
  const nameOf = (part: string): string | undefined => {
    const number = numberOf(part);
    return number === undefined ? MONTHS.find((each) => each.slice(0, 3).toUpperCase() === part) : MONTHS[number - 1];
  };
  const parts = text.split(',').map(nameOf);
  if (parts.length > LISTED_MAX || parts.includes(undefined)) return undefined;
  return joined(parts.map((part) => part ?? ''));
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1) ?? ''}`;
}
