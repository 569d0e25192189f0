// Rows, filters and moves of the table of an experiment.
import type { ExperimentResult } from '@svc/shared/api/experiments';
import { expect, test } from 'vitest';
import { countOf, filteredRows, moved, rowsOf } from './table.ts';

const result = (
  run: number,
  place: [row: string, variant: string, repeat: number],
  more: Partial<ExperimentResult> = {},
): ExperimentResult => ({
  ...{ run, case: place[0], variant: place[1], repeat: place[2], task: `t-${run}`, outcome: 'Succeeded', output: 'same', output_chars: 4 },
  ...{ error: null, tokens: 1, cost_usd: 0, unpriced_calls: 0, active_ms: 1, completed_at: null, rating: null },
  ...more,
});

const RESULTS = [
  result(1, ['hello', 'now', 1]),
  result(2, ['hello', 'before', 1], { output: 'other' }),
  result(3, ['bye', 'now', 1], { outcome: 'DeadLetter', output: null }),
  result(4, ['bye', 'before', 1], { rating: { thumb: 'down', note: null, by: 'ann', at: '', version: 1 } }),
  result(5, ['hello', 'now', 2], { outcome: 'Running', output: null }),
];
const rows = rowsOf(RESULTS, ['now', 'before']);

test('one row holds the variants of a case and repeat, with places for runs that have not begun', () => {
  expect(rows.map((row) => [row.case, row.repeat, ...row.cells.map((cell) => cell?.run)])).toEqual([
    ['hello', 1, 1, 2],
    ['bye', 1, 3, 4],
    ['hello', 2, 5, undefined],
  ]);
});

test.each([
  [[], [1, 3, 5]],
  [['differs'], [1]],
  [['failed'], [3]],
  [['down'], [3]],
  [['differs', 'failed'], []],
])('filters %j leave the rows %j', (filters, ids) => {
  expect(filteredRows(rows, new Set(filters)).map(({ id }) => id)).toEqual(ids);
});

test('each filter counts its rows', () => {
  expect((['differs', 'failed', 'down'] as const).map((filter) => countOf(rows, filter))).toEqual([1, 1, 1]);
});

test.each([
  ['j', { row: 1, column: 0 }],
  ['k', { row: 0, column: 0 }],
  ['l', { row: 0, column: 1 }],
  ['h', { row: 0, column: 0 }],
  ['ArrowDown', { row: 1, column: 0 }],
  ['x', undefined],
  ['constructor', undefined],
])('key %s moves to %j', (key, place) => {
  expect(moved({ row: 0, column: 0 }, key, { rows: 2, columns: 2 })).toEqual(place);
});
