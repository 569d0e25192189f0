import { expect, test } from 'vitest';
import { usageOf } from './use-system-runs.ts';

const counted = (...counts: number[]) => counts.map((count) => ({ count, more: false }));

test('usage adds up the counts of all systems, failures and dead letters together', () => {
  expect(usageOf(counted(10, 6, 2, 1, 5, 5, 0, 0))).toEqual({ total: 15, succeeded: 11, failed: 3, more: false });
});

test('usage reports that counting stopped', () => {
  expect(usageOf([{ count: 10_000, more: true }, ...counted(9, 0, 0)])).toMatchObject({ total: 10_000, more: true });
});
