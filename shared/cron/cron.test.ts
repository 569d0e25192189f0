import { Cron } from 'croner';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { countFires, cronProblem, firesAfter, timeZoneProblem } from './cron.ts';

test.each(['* * * * *', '0 9 * * 1-5', '*/15 0,12 1-7 jan-JUL mon,Fri', '0 0 * jul wed', ' 0  2 * * 7 ', '0 0 29 2 *'])(
  'accepts %j as cron',
  (expression) => {
    expect(cronProblem(expression)).toBeUndefined();
  },
);

test.each([
  ['nothing', ''],
  ['four fields', '0 9 * *'],
  ['six fields', '0 0 9 * * *'],
  ['a nickname', '@daily'],
  ['the last day', '0 0 L * *'],
  ['the last Friday', '0 0 * * 5L'],
  ['the nearest weekday', '0 0 15W * *'],
  ['the last day in lower case', '0 0 l * *'],
  ['the last Friday in lower case', '0 0 * * 5l'],
  ['the nearest weekday in lower case', '0 0 1w * *'],
  ['the second Monday', '0 0 * * 1#2'],
  ['no specific value', '0 0 ? * 1'],
  ['a minute out of range', '60 * * * *'],
  ['a month out of range', '0 0 1 13 *'],
  ['a step of zero', '*/0 * * * *'],
  ['a step without a range', '5/10 * * * *'],
  ['a range turned round', '10-5 * * * *'],
  ['a day that never comes', '0 0 31 2 *'],
  ['words', 'every day at nine am'],
])('refuses %s', (_, expression) => {
  expect(cronProblem(expression)).toBeTypeOf('string');
});

describe('time zones', () => {
  test.each(['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Argentina/Buenos_Aires'])('accepts %s', (zone) => {
    expect(timeZoneProblem(zone)).toBeUndefined();
  });

  test.each(['', 'Mars/Olympus', '+02:00', '-05', 'Europe/', 'Local'])('refuses %j', (zone) => {
    expect(timeZoneProblem(zone)).toContain('IANA');
  });
});

test('due times are counted without reading those behind the end', () => {
  const next = vi.spyOn(Cron.prototype, 'nextRun');
  onTestFinished(() => next.mockRestore());
  const clock = { schedule: '30 2 * * *', time_zone: 'Europe/Berlin' };
  expect(countFires(clock, { from: Date.parse('2026-01-11T02:00:00Z'), to: Date.parse('2026-01-13T02:00:00Z') })).toBe(2);
  expect(next.mock.calls.length).toBeLessThan(5);
});

test('due times end with the year 2999', () => {
  const fires = firesAfter({ schedule: '0 0 1 1 *', time_zone: 'UTC' }, Date.parse('2026-11-29T00:00:00Z'), 1000);
  expect([fires.length, new Date(fires.at(-1) ?? 0).toISOString()]).toEqual([973, '2999-01-01T00:00:00.000Z']);
});
