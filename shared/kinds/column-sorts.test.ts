// Orders of lists by columns: which there are, and that texts of values are in the order of the values.
import { describe, expect, test } from 'vitest';
import { columnSorts, columnSortValues } from './column-sorts.ts';

const COLUMNS = [
  { path: 'status.phase' },
  { path: 'spec.system' },
  { path: 'spec.limit' },
  { path: 'status.count' },
  { path: 'status.total', sort: true },
  { path: 'spec.timeout', sort: false },
  { path: 'metadata.createdAt' },
];

const orderOf = (values: readonly unknown[]): unknown[] => {
  const text = (value: unknown) => columnSortValues([{ path: 'spec.limit' }], { spec: { limit: value } })['spec.limit'] ?? '';
  return values.toSorted((a, b) => Buffer.compare(Buffer.from(text(a)), Buffer.from(text(b))));
};

test('orders are those of the spec, the phase and the system, and of columns that ask for one', () => {
  const { fields, values } = columnSorts(COLUMNS);
  expect(Object.keys(fields)).toEqual(['status.phase', 'spec.system']);
  expect(values).toEqual(['spec.limit', 'status.total']);
});

describe('the texts of values are in the order of', () => {
  test.each([
    ['numbers by size, absent ones first', [100, 0.25, 9, null, 2e15, 0], [null, 0, 0.25, 9, 100, 2e15]],
    ['texts without regard to case', ['beta', 'Alpha', '', 'alpine'], ['', 'Alpha', 'alpine', 'beta']],
    ['lists by their first entries', [['b'], ['a', 'z'], [], ['a', 'b']], [[], ['a', 'b'], ['a', 'z'], ['b']]],
    ['no before yes', [true, null, false], [null, false, true]],
  ])('%s', (_what, values, expected) => {
    expect(orderOf(values)).toEqual(expected);
  });
});

test('a text of any content is short, and holds nothing that a database refuses', () => {
  const { 'spec.limit': text = '' } = columnSortValues([{ path: 'spec.limit' }], { spec: { limit: `\u0000\ud800x${'😀'.repeat(5_000)}` } });
  expect(text.isWellFormed()).toBe(true);
  expect(text).not.toContain('\u0000');
  expect(text.length).toBeLessThan(200);
});

test('an object of another structure has the values of absent ones', () => {
  expect(columnSortValues(COLUMNS, { spec: null, status: [] })).toEqual({ 'spec.limit': '0', 'status.total': '0' });
});
