// Which slot runs at a moment: the newest one that is due, within the deadline.
import { expect, it } from 'vitest';
import { dueSlot } from './slots.ts';

const SLOT = Date.parse('2026-01-11T02:00:00Z');
const DAY_MS = 86_400_000;

it.each([
  [300, 300_000, true],
  [300, 300_001, false],
  [4, 4_700, false],
  [1, 1_000, true],
  [1, 1_001, false],
  [1, 4_700, false],
  // Without a deadline a slot runs at its own moment, which the machine may reach a little late.
  [0, 4_700, true],
  [0, 5_001, false],
])('with a deadline of %i s a slot that is %i ms late is started: %s', (deadline, lateMs, started) => {
  const rules = { schedule: '0 2 * * *', time_zone: 'UTC', starting_deadline_seconds: deadline };
  const slot = started ? SLOT : undefined;
  expect(dueSlot(rules, SLOT, SLOT + lateMs)).toBe(slot);
  expect(dueSlot(rules, SLOT - DAY_MS, SLOT + lateMs)).toBe(slot);
  expect(dueSlot(rules, SLOT + 1, SLOT + lateMs)).toBeUndefined();
});
