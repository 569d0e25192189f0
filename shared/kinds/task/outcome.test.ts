import { expect, test } from 'vitest';
import { activeMs, peopleMs, taskOutcome } from './outcome.ts';

test.each([
  ['Failed', 'cancelled', 'Cancelled'],
  ['Failed', 'approval_denied', 'Denied'],
  ['DeadLetter', 'approval_denied', 'Denied'],
  ['Failed', 'timeout', 'Failed'],
  ['DeadLetter', undefined, 'DeadLetter'],
  ['Running', 'cancelled', 'Running'],
])('outcome of %s with reason %s is %s', (phase, reason, outcome) => {
  expect(taskOutcome({ phase, reason })).toBe(outcome);
});

const at = (minute: number) => new Date(Date.UTC(2026, 0, 5, 10, minute)).toISOString();
const now = Date.parse(at(30));

test.each([
  ['a run without waits', { startedAt: at(0), completedAt: at(10) }, 10, 0],
  ['a run that waited', { startedAt: at(0), completedAt: at(10), waitedMs: 240_000 }, 6, 4],
  ['a run that waits now', { startedAt: at(0), waitingSince: at(20), waitedMs: 300_000 }, 15, 15],
  ['a run in flight', { startedAt: at(25) }, 5, 0],
])('active time of %s leaves out waits for people', (_what, status, active, waited) => {
  expect(activeMs(status, now)).toBe(active * 60_000);
  expect(peopleMs(status, now)).toBe(waited * 60_000);
});

test('active time of a run without an attempt is undefined', () => expect(activeMs({}, now)).toBeUndefined());
