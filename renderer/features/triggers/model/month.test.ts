// Due times of many schedules by day.
import { expect, it } from 'vitest';
import { dayTotals, dueDays, movedMonth, sharedDays, weeksOf } from './month.ts';

const clock = (key: string, schedule: string, more: object = {}) => ({ key, schedule, time_zone: 'UTC', suspended: false, ...more });
const daysOf = (...clocks: ReturnType<typeof clock>[]) =>
  sharedDays(
    clocks.map((each) => dueDays(each, 2026, 11)),
    2026,
    11,
  );

it('a day lists its schedules by their first due time, suspended ones last', () => {
  const days = daysOf(clock('late', '0 22 * * *'), clock('off', '0 1 * * *', { suspended: true }), clock('early', '30 9 * * 1-5'));
  const monday = days.find(({ date }) => date === '2026-11-23');
  expect(monday?.due.map((each) => [each.clock.key, each.fires, each.text])).toEqual([
    ['early', 1, '09:30'],
    ['late', 1, '22:00'],
    ['off', 1, '01:00'],
  ]);
  expect(dayTotals(monday?.due ?? [])).toBe('2 schedules, 2 due times, 1 suspended');
  expect(days.find(({ date }) => date === '2026-11-22')?.due.map((each) => each.clock.key)).toEqual(['late', 'off']);
});

it('a day without a due time has no totals', () => {
  const days = daysOf(clock('first', '0 0 1 * *'));
  expect(days).toHaveLength(30);
  expect(dayTotals(days[0]?.due ?? [])).toBe('1 schedule, 1 due time');
  expect(days.slice(1).map(({ due }) => dayTotals(due))).toEqual(Array.from({ length: 29 }, () => undefined));
});

it('times are those of the zone of each schedule', () => {
  const [first] = daysOf(clock('berlin', '*/30 9 1 11 *', { time_zone: 'Europe/Berlin' }));
  expect(first).toMatchObject({ date: '2026-11-01', due: [{ fires: 2, text: '09:00 09:30' }] });
});

it('weeks begin on Monday, and a month is left for its last day', () => {
  const weeks = weeksOf(daysOf());
  expect(weeks.map((week) => week.filter(Boolean).length)).toEqual([1, 7, 7, 7, 7, 1]);
  expect(movedMonth('2026-01-31', 1)).toBe('2026-02-28');
  expect(movedMonth('2026-01-31', -1)).toBe('2025-12-31');
});
