// Number and place of slots that were left out.
import { expect, it } from 'vitest';
import { slotsBetween } from './slot-records.ts';

const HOUR_MS = 3_600_000;
const clock = { schedule: '* * * * *', time_zone: 'UTC' };
const from = Date.parse('2026-01-11T02:00:00Z');

it.each([
  [0, undefined],
  [1, { slot: '2026-01-11T02:59:00Z', count: 60 }],
  [26, { slot: '2026-01-12T03:59:00Z', count: 1_000 }],
])('slots of %i hours are one record at the newest of them, counted up to 1000', (hours, record) => {
  expect(slotsBetween(clock, from, from + hours * HOUR_MS)).toEqual(record);
});
