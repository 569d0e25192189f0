// Five-field cron expressions in an IANA time zone.
import { Cron } from 'croner';
import { boundedMemo } from '../bounded-memo.ts';

const FIELD = /^[\d*,/A-Za-z-]+$/;
const EXTENSIONS = /[LW#?]/i;
const NAMES = /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat)$/i;

/** Why `zone` is not an IANA time zone, or undefined when it is one. */
export function timeZoneProblem(zone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return /^[+-]/.test(zone) ? `must be an IANA time zone such as Europe/Berlin, not the offset "${zone}"` : undefined;
  } catch {
    return `must be an IANA time zone such as Europe/Berlin or UTC, not "${zone}"`;
  }
}

/** Why `expression` is no 5-field cron expression, or undefined when it is one. Nicknames (`@daily`) and extensions (`L`, `W`, `#`, `?`) are refused. */
export function cronProblem(expression: string): string | undefined {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return `must have 5 fields (minute hour day month weekday), not ${expression.trim() === '' ? 0 : fields.length}`;
  const odd = fields.find((field) => !FIELD.test(field) || field.split(/[,/-]/).some((part) => EXTENSIONS.test(part) && !NAMES.test(part)));
  if (odd !== undefined) return `has "${odd}", which is not standard 5-field cron`;
  try {
    const cron = new Cron(expression.trim(), { mode: '5-part', paused: true, timezone: 'UTC' });
    return cron.nextRun() === null ? 'never fires' : undefined;
  } catch {
    return `must be a 5-field cron expression such as "0 9 * * 1-5", not "${expression}"`;
  }
}

/** Due times of an expression in a time zone. The rules for days on which clocks change are those of cron: docs/triggers.md. */
export interface CronClock {
  readonly schedule: string;
  readonly time_zone: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Clocks are moved by less; more is a date line that moved, and its days do not exist. */
const JUMP_MAX_MS = 12 * HOUR_MS;

/**
 * Due times after this moment in their order, in milliseconds since the epoch. With `*` for the hour an expression follows the time that passes.
 * Others name times of day: one that is skipped is due at the jump, one that comes twice is due the first time.
 */
function* firesOf(clock: CronClock, after: number): Generator<number, void> {
  if (followsTime(clock)) {
    const cron = cronOf(clock, clock.time_zone);
    for (let date = cron.nextRun(new Date(after)); date; date = cron.nextRun(date)) yield date.getTime();
    return;
  }
  const cron = cronOf(clock, 'UTC');
  let last = after;
  for (let wall = cron.nextRun(new Date(after + offsetAt(clock.time_zone, after))); wall; wall = cron.nextRun(wall)) {
    const at = instantOf(clock.time_zone, wall.getTime());
    if (at !== undefined && at > last) yield (last = at);
  }
}

/** The first due times after this moment, at least one, in milliseconds since the epoch; fewer when the expression ends. */
export function firesAfter(clock: CronClock, after: number, count: number): number[] {
  const fires: number[] = [];
  for (const at of firesOf(clock, after)) if (fires.push(at) >= count) break;
  return fires;
}

/** Number of due times from `from` to before `to`; counting stops at `max`. */
export function countFires(clock: CronClock, { from, to, max = Infinity }: { from: number; to: number; max?: number }): number {
  let count = 0;
  for (const at of firesOf(clock, from - 1)) {
    if (at >= to || count >= max) break;
    count += 1;
  }
  return count;
}

/** The newest due time up to this moment, in milliseconds since the epoch; undefined when there is none. */
export function latestFire(clock: CronClock, at: number): number | undefined {
  // Steps back from a whole second, which it leaves out.
  const second = Math.floor(at / 1000) * 1000 + 1000;
  if (followsTime(clock)) {
    const [latest] = cronOf(clock, clock.time_zone).previousRuns(1, new Date(second));
    return latest && latest.getTime() <= at ? latest.getTime() : undefined;
  }
  const cron = cronOf(clock, 'UTC');
  // The wall clock may have shown later times before it was set back.
  const offset = Math.max(offsetAt(clock.time_zone, at), offsetAt(clock.time_zone, at - 3 * HOUR_MS));
  for (let [wall] = cron.previousRuns(1, new Date(second + offset)); wall; [wall] = cron.previousRuns(1, wall)) {
    const fire = instantOf(clock.time_zone, wall.getTime());
    if (fire !== undefined && fire <= at) return fire;
  }
  return undefined;
}

/** An offset instead of the zone UTC saves croner a format of each date. */
const cronOf = ({ schedule }: CronClock, zone: string): Cron =>
  new Cron(schedule.trim(), { mode: '5-part', paused: true, ...(zone === 'UTC' ? { utcOffset: 0 } : { timezone: zone }) });

const EVERY_HOUR = /^\*(\/0*1)?$/;
const followsTime = ({ schedule }: CronClock): boolean => EVERY_HOUR.test(schedule.trim().split(/\s+/)[1] ?? '');

/**
 * First moment at which clocks of the zone show `wall`, a local time written as if it were UTC. A time that the clocks skip gives the moment of
 * the jump; a skipped day gives undefined.
 */
export function instantOf(zone: string, wall: number): number | undefined {
  // Offsets are between -12 and 14 hours.
  let [before, after] = [wall - 15 * HOUR_MS, wall + 13 * HOUR_MS];
  const [old, young] = [offsetAt(zone, before), offsetAt(zone, after)];
  const shown = [wall - old, wall - young].filter((at) => at + offsetAt(zone, at) === wall);
  if (shown.length > 0) return Math.min(...shown);
  if (young - old >= JUMP_MAX_MS) return undefined;
  while (after - before > MINUTE_MS) {
    const middle = Math.round((before + after) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(zone, middle) === old) before = middle;
    else after = middle;
  }
  return after;
}

/** Each zone is a format in memory; more than all zones there are means odd spellings. */
const FORMATS_MAX = 1_000;
const numeric = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
const formatOf = boundedMemo(FORMATS_MAX, (zone) => new Intl.DateTimeFormat('en-US', { ...numeric, timeZone: zone, hourCycle: 'h23' }));

/** Difference of a zone's clocks to UTC at a moment, in milliseconds. */
function offsetAt(zone: string, at: number): number {
  if (zone === 'UTC') return 0;
  const [month = 0, day = 0, year = 0, ...time] = (formatOf(zone).format(at).match(/\d+/g) ?? []).map(Number);
  const [hour = 0, minute = 0, second = 0] = time;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}
