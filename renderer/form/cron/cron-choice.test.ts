// Choices of the cron builder: what is read is written with the same due times.
import { cronProblem, firesAfter } from '@svc/shared/cron/cron';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCron, switchTo, writeCron, type CronChoice } from './cron-choice.ts';

const minute = fc.integer({ min: 0, max: 59 });
const hour = fc.integer({ min: 0, max: 23 });
const days = fc.subarray([0, 1, 2, 3, 4, 5, 6], { minLength: 1 });

const choice: fc.Arbitrary<CronChoice> = fc.oneof(
  fc.record({ type: fc.constant('minutes' as const), every: fc.integer({ min: 1, max: 59 }) }),
  fc.record({ type: fc.constant('hourly' as const), minute }),
  fc.record({ type: fc.constant('daily' as const), minute, hour }),
  fc.record({ type: fc.constant('weekly' as const), minute, hour, days }),
  fc.record({ type: fc.constant('monthly' as const), minute, hour, day: fc.integer({ min: 1, max: 31 }) }),
);

/** Fields as people write them, some of which the builder can show. */
const field = (least: number, most: number, names: readonly string[] = []): fc.Arbitrary<string> => {
  const value = fc.integer({ min: least, max: most });
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant('*') },
    { weight: 4, arbitrary: value.map(String) },
    fc.tuple(value, value).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.tuple(value, value).map(([a, b]) => (a === b ? String(a) : `${a},${b}`)),
    fc.integer({ min: 1, max: most }).map((step) => `*/${step}`),
    ...(names.length > 0 ? [fc.constantFrom(...names)] : []),
  );
};
const line = fc
  .tuple(
    field(0, 59),
    field(0, 23),
    field(1, 31),
    fc.oneof({ weight: 5, arbitrary: fc.constant('*') }, field(1, 12)),
    field(0, 7, ['mon', 'Sun', 'MON-FRI']),
  )
  .map((fields) => fields.join(' '));

const START = Date.UTC(2026, 2, 20);

describe('choices of the cron builder', () => {
  it('come back unchanged from the line they write, which is valid', () => {
    fc.assert(
      fc.property(choice, (given) => {
        const written = writeCron(given);
        expect(cronProblem(written)).toBeUndefined();
        expect(readCron(written)).toEqual(given);
      }),
    );
  });

  it('write a line with the same due times as the line they were read from', () => {
    fc.assert(
      fc.property(line, (given) => {
        const read = readCron(given);
        fc.pre(cronProblem(given) === undefined && read.type !== 'own');
        const clock = { time_zone: 'Europe/Berlin' };
        const fires = firesAfter({ ...clock, schedule: given }, START, 20);
        expect(firesAfter({ ...clock, schedule: writeCron(read) }, START, 20)).toEqual(fires);
      }),
    );
  });

  it.each([
    '0 9,17 * * *',
    ' 5  4 * 1 * ',
    '0 0 13 * 5',
    '1-20/3 9 * * *',
    '0 0 31 2 *',
    'nonsense',
    '',
    '0 9 * * 5-1',
    '60 * * * *',
    '*/0 * * * *',
  ])('keep %j as own expression, unchanged', (expression) => {
    expect(readCron(expression)).toEqual({ type: 'own', expression });
    expect(writeCron(readCron(expression))).toBe(expression);
  });

  it('keep the time of day when the repetition changes', () => {
    const daily = readCron('45 17 * * *');
    expect(writeCron(switchTo('weekly', daily))).toBe('45 17 * * 1-5');
    expect(writeCron(switchTo('monthly', daily))).toBe('45 17 1 * *');
    expect(writeCron(switchTo('own', daily))).toBe('45 17 * * *');
    expect(writeCron(switchTo('hourly', daily))).toBe('45 * * * *');
  });
});
