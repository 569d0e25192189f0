// Due times against an oracle that shares no code with them: a walk over every minute of a window, with the local time of each by Intl, in zones
// whose clocks change in many ways.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cronProblem, firesAfter, latestFire } from './cron.ts';

const ZONES = [
  ...['UTC', 'America/New_York', 'America/St_Johns', 'America/Havana', 'America/Santiago', 'America/Sao_Paulo', 'America/Asuncion'],
  ...['America/Nuuk', 'Europe/Berlin', 'Europe/London', 'Africa/Casablanca', 'Africa/Cairo', 'Asia/Beirut', 'Asia/Gaza', 'Asia/Tehran'],
  ...['Asia/Kathmandu', 'Asia/Kolkata', 'Australia/Adelaide', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Chatham', 'Pacific/Apia'],
  'Antarctica/Troll',
];
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** More than clocks are ever set back by. */
const WARM_UP = 4 * 60 * MINUTE;

interface Local {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
  /** The wall clock as if it were UTC. */
  readonly wall: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const found =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' },
    });
  formats.set(zone, found);
  return found;
}

function localAt(zone: string, at: number): Local {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
  const wall = Date.UTC(year, month - 1, day, hour, minute);
  return { minute, hour, day, month, weekday: new Date(wall).getUTCDay(), wall };
}

/** Values of one field of numbers. */
function valuesOf(field: string, least: number, most: number): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [first = 0, last = first] = range === '*' ? [least, most] : range.split('-').map(Number);
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}

/** Whether the expression names a local time. */
function matcher(expression: string): (local: Local) => boolean {
  const [minutes = '', hours = '', days = '', months = '', weekdays = ''] = expression.split(' ');
  const minute = valuesOf(minutes, 0, 59);
  const hour = valuesOf(hours, 0, 23);
  const day = valuesOf(days, 1, 31);
  const month = valuesOf(months, 1, 12);
  const weekday = new Set([...valuesOf(weekdays, 0, 7)].map((each) => each % 7));
  const either = days !== '*' && weekdays !== '*';
  return (local) => {
    const [byDay, byWeekday] = [day.has(local.day), weekday.has(local.weekday)];
    return minute.has(local.minute) && hour.has(local.hour) && month.has(local.month) && (either ? byDay || byWeekday : byDay && byWeekday);
  };
}

/** Due times after `from` up to `to`, whole minutes, by walking over each. */
function walk(expression: string, zone: string, from: number, to: number): number[] {
  const names = matcher(expression);
  const everyHour = ['*', '*/1'].includes(expression.split(' ')[1] ?? '');
  const due: number[] = [];
  const fired = new Set<number>();
  let before = localAt(zone, from - WARM_UP);
  for (let at = from - WARM_UP + MINUTE; at <= to; at += MINUTE) {
    const local = localAt(zone, at);
    const isRepeated = fired.has(local.wall);
    let isDue = names(local) && (everyHour || !isRepeated);
    // Wall times that the clock jumps over.
    for (let wall = before.wall + MINUTE; wall < local.wall && !everyHour && local.wall - before.wall < DAY / 2; wall += MINUTE) {
      const skipped = new Date(wall);
      const [minute, hour, day] = [skipped.getUTCMinutes(), skipped.getUTCHours(), skipped.getUTCDate()];
      isDue ||= names({ minute, hour, day, month: skipped.getUTCMonth() + 1, weekday: skipped.getUTCDay(), wall });
    }
    if (isDue) {
      fired.add(local.wall);
      if (at > from) due.push(at);
    }
    before = local;
  }
  return due;
}

/** Moments at which clocks of a zone change, from 2018 to 2027. */
function changesOf(zone: string): number[] {
  const offset = (at: number) => localAt(zone, at).wall - at;
  const changes: number[] = [];
  for (let day = Date.UTC(2018, 0, 1); day < Date.UTC(2027, 11, 31); day += DAY) {
    if (offset(day) === offset(day + DAY)) continue;
    let [low, high] = [day, day + DAY];
    while (high - low > MINUTE) {
      const middle = low + Math.floor((high - low) / 2 / MINUTE) * MINUTE;
      if (offset(middle) === offset(low)) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

/** Days around which due times are compared; the date line moved in 2011. */
const moments = new Map(ZONES.map((zone) => [zone, [Date.UTC(2026, 1, 27), Date.UTC(2011, 11, 30), ...changesOf(zone)]]));

const field = (least: number, most: number): fc.Arbitrary<string> => {
  const value = fc.integer({ min: least, max: most });
  const range = fc.tuple(value, value).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 3, arbitrary: value.map(String) },
    range.map(([a, b]) => `${a}-${b}`),
    range.map(([a, b]) => (a === b ? String(a) : `${a},${b}`)),
    fc.integer({ min: 1, max: Math.max(2, Math.floor(most / 2)) }).map((step) => `*/${step}`),
    fc.tuple(range, fc.integer({ min: 1, max: 5 })).map(([[a, b], step]) => `${a}-${b}/${step}`),
  );
};

const expression = fc
  .tuple(
    field(0, 59),
    fc.oneof(field(0, 23), field(0, 4)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, field(1, 31)),
    fc.oneof({ weight: 6, arbitrary: fc.constant('*') }, field(1, 12)),
    fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, field(0, 7)),
  )
  .map((fields) => fields.join(' '));

const situation = fc.constantFrom(...ZONES).chain((zone) =>
  fc.record({
    zone: fc.constant(zone),
    expression,
    probe: fc.integer({ min: 0, max: 36 * 60 }),
    from: fc
      .tuple(fc.constantFrom(...(moments.get(zone) ?? [])), fc.integer({ min: -36 * 60, max: 6 * 60 }))
      .map(([at, minutes]) => at + minutes * MINUTE),
  }),
);

const text = (at: number): string => new Date(at).toISOString();

describe('due times', () => {
  it('equal those of a walk over every minute around changes of clocks', () => {
    fc.assert(
      fc.property(situation, ({ zone, expression: schedule, from, probe }) => {
        fc.pre(cronProblem(schedule) === undefined);
        const to = from + 1.5 * DAY;
        const clock = { schedule, time_zone: zone };
        const due = walk(schedule, zone, from, to);
        const fires = firesAfter(clock, from, due.length + 1).filter((at) => at <= to);
        expect({ zone, schedule, fires: fires.map(text) }).toEqual({ zone, schedule, fires: due.map(text) });
        const at = from + probe * MINUTE;
        const latest = due.filter((each) => each <= at).at(-1);
        if (latest !== undefined) expect(text(latestFire(clock, at) ?? 0)).toBe(text(latest));
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});
