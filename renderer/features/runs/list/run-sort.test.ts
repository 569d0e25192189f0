// Columns of the run list and the orders of the server, both ways.
import { expect, test } from 'vitest';
import { RUN_LIST_PARAMS, type RunListState } from './run-list-input.ts';
import { orderOf, sortOf } from './run-sort.ts';

const sortOfText = (text: string): RunListState['sort'] => RUN_LIST_PARAMS.sort.read([text]);

test.each([
  ['-createdAt', 'age', 'asc'],
  ['createdAt', 'age', 'desc'],
  ['-completedAt', 'ended', 'asc'],
  ['name', 'name', 'asc'],
  ['-name', 'name', 'desc'],
  ['-cost', 'cost', 'desc'],
  ['duration', 'duration', 'asc'],
  ['system', 'system', 'asc'],
] as const)('the order %s is column %s %s, and back', (text, column, direction) => {
  const sort = sortOfText(text);
  expect(sort).toBe(text);
  expect(sortOf({ sort, q: '' })).toEqual({ column, direction });
  expect(orderOf({ column, direction })).toBe(text);
});

test('a search is newest first, whatever the chosen order', () => {
  expect(sortOf({ sort: '-cost', q: 'a' })).toEqual({ column: 'age', direction: 'asc' });
});
