// Cron lines in plain words.
import { expect, it } from 'vitest';
import { cronWords, describeSchedule } from './cron-description.ts';

it.each([
  ['30 9 * * 1-5', 'Europe/Berlin', 'every weekday at 09:30, Berlin time'],
  ['0 2 * * *', 'UTC', 'every day at 02:00, UTC'],
  ['* * * * *', 'UTC', 'every minute, UTC'],
  ['*/15 * * * *', 'UTC', 'every 15 minutes, UTC'],
  ['0 * * * *', 'America/New_York', 'every hour, New York time'],
  ['5 * * * mon-fri', 'UTC', 'every hour at minute 5 on each weekday, UTC'],
  ['0 */6 * * *', 'UTC', 'every 6 hours at minute 0, UTC'],
  ['0 9,17 * * 1,3', 'UTC', 'every Monday and Wednesday at 09:00 and 17:00, UTC'],
  ['0 0 1 * *', 'UTC', 'on day 1 of the month at 00:00, UTC'],
  ['0 0 13 * 5', 'UTC', 'on day 13 of the month and every Friday at 00:00, UTC'],
  ['0 8 1 1,7 *', 'UTC', 'on day 1 of the month at 08:00 in January and July, UTC'],
  ['0 8 * jan sun', 'UTC', 'every Sunday at 08:00 in January, UTC'],
  ['0 8 * * 7', 'UTC', 'every Sunday at 08:00, UTC'],
  ['0 8 * * 5-7', 'UTC', 'every Friday, Saturday and Sunday at 08:00, UTC'],
  ['0 8 * * 0-3', 'UTC', 'every Monday, Tuesday, Wednesday and Sunday at 08:00, UTC'],
  ['0 8 * * 0-6', 'UTC', 'every day at 08:00, UTC'],
  ['0 8 * * 6,0', 'UTC', 'every Saturday and Sunday at 08:00, UTC'],
])('%s in %s is "%s"', (expression, zone, words) => {
  expect(describeSchedule({ schedule: expression, time_zone: zone })).toBe(words);
});

it.each(['1-20/3 9 * * *', '0 9-17 * * *', '0 9 1-7 * 1', '0 0 1,2,3,4,5,6,7 * *', '5,10 9 * * *'])(
  '%s has no short wording',
  (expression) => {
    expect(cronWords(expression)).toBeUndefined();
    expect(describeSchedule({ schedule: expression, time_zone: 'UTC' })).toBe(`cron ${expression}, UTC`);
  },
);
