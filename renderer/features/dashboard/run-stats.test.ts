import { describe, expect, test } from 'vitest';
import {
  axisLabels,
  costText,
  countedFrom,
  endsText,
  gapIn,
  hourSentence,
  niceTop,
  rateText,
  successRate,
  unpricedText,
  type RunTotals,
  type Hour,
} from './run-stats.ts';

const runTotals = (own: Partial<RunTotals> = {}): RunTotals => ({
  started: 0,
  succeeded: 0,
  failed: 0,
  deadLettered: 0,
  denied: 0,
  cancelled: 0,
  tokens: 0,
  costUsd: 0,
  unpricedRuns: 0,
  ...own,
});
const hour = (start: string, own: Partial<RunTotals> = {}): Hour => ({ start, ...runTotals(own) });

test('ends that a person chose are named beside the failures', () => {
  expect(endsText(runTotals({ succeeded: 3, cancelled: 2, denied: 1 }))).toBe('none failed · 2 cancelled · 1 denied');
  expect(endsText(runTotals({ failed: 1, deadLettered: 1 }))).toBe('2 failed');
});

describe('the success rate', () => {
  test('covers runs that ended by themselves', () => expect(successRate(runTotals({ succeeded: 3, failed: 1, cancelled: 9 }))).toBe(0.75));
  test('is absent when none ended', () => expect(rateText(runTotals({ cancelled: 2 }))).toBe('–'));
  test('never reads 100 % when one failed', () => expect(rateText(runTotals({ succeeded: 9999, deadLettered: 1 }))).toBe('99%'));
});

test.each([
  [0, 1],
  [1, 1],
  [3, 3],
  [21, 30],
  [12, 20],
  [87, 100],
  [100, 100],
  [4200, 5000],
])('an axis up to %d ends at %d', (max, top) => expect(niceTop(max)).toBe(top));

test.each([
  [0, 0.01],
  [0.012, 0.02],
  [0.05, 0.05],
  [0.7, 0.8],
  [0.95, 1],
  [12.5, 20],
])('an axis of money up to %d ends at %d', (max, top) => expect(niceTop(max, 0.01)).toBe(top));

describe('the cost', () => {
  test('is zero for runs without a call', () => expect(costText(runTotals())).toBe('$0.00'));
  test('is unknown when no call has a price', () => expect(costText(runTotals({ unpricedRuns: 2 }))).toBe('unknown'));
  test('mentions the runs without a price', () => {
    const some = runTotals({ costUsd: 1.25, unpricedRuns: 1 });
    expect([costText(some), unpricedText(some)]).toEqual(['$1.25', '1 run with calls of unknown price']);
    expect(unpricedText(runTotals({ costUsd: 1.25 }))).toBeUndefined();
  });
});

test('a day has a label every sixth hour, at its place', () => {
  const start = new Date(2026, 0, 5, 0, 0, 0).getTime();
  const hours = Array.from({ length: 24 }, (_, index) => ({ start: new Date(start + index * 3_600_000).toISOString() }));
  expect(axisLabels(hours).map(({ at }) => at)).toEqual([0, 0.25, 0.5, 0.75]);
});

test('an hour in words omits zero outcomes', () => {
  expect(hourSentence(hour('2026-01-05T10:00:00Z', { succeeded: 2, failed: 1, p50Ms: 1500, tokens: 1200, costUsd: 0.5 }))).toBe(
    '2 succeeded · 1 failed · median 1.5 s · 1.2K tokens · cost $0.50',
  );
  expect(hourSentence(hour('2026-01-05T10:00:00Z'))).toBe('0 succeeded');
});

describe('gaps in the statistics are reported', () => {
  const buckets = [hour('2026-01-05T00:00:00Z'), hour('2026-01-05T23:00:00Z')];
  const totals = runTotals();
  test('when counting began inside the window', () => {
    expect(countedFrom({ buckets, totals, countedSince: '2026-01-05T08:00:00Z' })).toBe('2026-01-05T08:00:00Z');
    expect(countedFrom({ buckets, totals, countedSince: '2026-01-05T00:10:00Z' })).toBeUndefined();
    expect(countedFrom({ buckets, totals, countedSince: '2025-12-01T00:00:00Z' })).toBeUndefined();
  });
  test('when changes were pruned before they were counted', () => {
    expect(gapIn({ buckets, totals, gapSince: '2026-01-04T08:00:00Z', gapUntil: '2026-01-05T02:00:00Z' })).toEqual({
      since: '2026-01-04T08:00:00Z',
      until: '2026-01-05T02:00:00Z',
    });
    expect(gapIn({ buckets, totals, gapSince: '2025-01-04T08:00:00Z', gapUntil: '2025-01-05T02:00:00Z' })).toBeUndefined();
  });
});
