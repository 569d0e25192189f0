import { expect, test } from 'vitest';
import { parseZoneTime, zoneTime } from './zone-time.ts';

test.each([
  ['2026-11-24T09:30', 'Europe/Berlin', '2026-11-24T08:30:00.000Z'],
  ['2026-07-01T00:00', 'America/New_York', '2026-07-01T04:00:00.000Z'],
  ['2026-11-24T09:30', 'UTC', '2026-11-24T09:30:00.000Z'],
])('%s of %s is %s', (text, zone, at) => {
  expect(parseZoneTime(text, zone)).toBe(at);
  expect(zoneTime(Date.parse(at), zone)).toBe(text);
});

test.each([
  ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
  ['2026-03-29T02:30', '2026-03-29T01:00:00.000Z'],
])('%s, at which clocks of Berlin change, is %s', (text, at) => {
  expect(parseZoneTime(text, 'Europe/Berlin')).toBe(at);
});

test.each(['', '24.11.2026', 'x'])('"%s" is no time', (text) => {
  expect(parseZoneTime(text, 'UTC')).toBeUndefined();
});
