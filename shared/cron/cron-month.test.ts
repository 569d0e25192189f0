// Months of a calendar: due times by day.
import { expect, it } from 'vitest';
import { firesAfter } from './cron.ts';
import { monthOf } from './cron-month.ts';

it.each([
  ['*/5 * * * *', 'Europe/Berlin', 2026, 3],
  ['* * * * *', 'America/New_York', 2026, 11],
  ['0,20,40 0-3 * * *', 'Australia/Lord_Howe', 2026, 10],
  ['30 9 * * 1-5', 'Asia/Kathmandu', 2026, 2],
  ['0 0 31 * *', 'UTC', 2027, 1],
])('the days of a month have as many due times as %s in %s fires', (schedule, zone, year, month) => {
  const clock = { schedule, time_zone: zone };
  const days = monthOf(clock, year, month);
  expect(days).toHaveLength(new Date(Date.UTC(year, month, 0)).getUTCDate());
  const dateOf = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
  const counts = new Map<string, number>();
  const end = Date.UTC(year, month, 3);
  for (let last = Date.UTC(year, month - 1, 1) - 36 * 3_600_000; last < end;) {
    const fires = firesAfter(clock, last, 500);
    for (const at of fires) counts.set(dateOf.format(at), (counts.get(dateOf.format(at)) ?? 0) + 1);
    last = fires.at(-1) ?? end;
  }
  expect(days.map(({ date, fires }) => [date, fires])).toEqual(days.map(({ date }) => [date, counts.get(date) ?? 0]));
});

it('a day on which clocks change has other hours', () => {
  const days = monthOf({ schedule: '0 12 * * *', time_zone: 'Europe/Berlin' }, 2026, 3);
  expect(days.filter(({ hours }) => hours !== 24)).toMatchObject([{ date: '2026-03-29', hours: 23, fires: 1 }]);
});
