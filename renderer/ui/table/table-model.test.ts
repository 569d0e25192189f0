import { describe, expect, test } from 'vitest';
import { absoluteTimeWidth, gridTemplate, leastWidth, nextSort, rowAfterKey, selectRows, withRoomForTimes } from './table-model.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e'];

describe('a key', () => {
  test.each([
    ['j', 0, 1],
    ['ArrowDown', 4, 4],
    ['k', 0, 0],
    ['End', 1, 4],
    ['Home', 3, 0],
    ['PageDown', 1, 4],
    ['l', 1, 4],
    ['h', 4, 0],
    ['x', 1, undefined],
    ['constructor', 1, undefined],
  ])('%s at row %d leads to %s', (key, at, to) => expect(rowAfterKey(key, at, { count: 5, page: 10 })).toBe(to));
  test('moves to no row in an empty table', () => expect(rowAfterKey('j', 0, { count: 0, page: 10 })).toBeUndefined());
});

describe('selecting', () => {
  test('switches one row', () => {
    expect([...selectRows(new Set(['b']), KEYS, { at: 2 })]).toEqual(['b', 'c']);
    expect([...selectRows(new Set(['b']), KEYS, { at: 1 })]).toEqual([]);
  });
  test('selects all rows between a selected anchor and this one, in either direction', () => {
    expect([...selectRows(new Set(['b']), KEYS, { at: 3, anchor: 1 })]).toEqual(['b', 'c', 'd']);
    expect([...selectRows(new Set(['d']), KEYS, { at: 1, anchor: 3 })].sort()).toEqual(['b', 'c', 'd']);
  });
  test('drops the range when the anchor is not selected', () => {
    expect([...selectRows(new Set(['b', 'c', 'e']), KEYS, { at: 2, anchor: 0 })]).toEqual(['e']);
  });
});

test('columns share the remaining width after their minimum widths', () => {
  const columns = [{ width: 200 }, { width: 80, grow: 0 }, {}];
  expect(gridTemplate(columns, true)).toBe('2.25rem minmax(12.5rem, 1fr) 5rem minmax(7.5rem, 1fr)');
  expect(leastWidth(columns, false)).toBe('26.5rem');
});

test('columns of times get room for a date in the absolute formats alone', () => {
  const columns = [{ width: 76, time: true }, { width: 80 }];
  expect(withRoomForTimes(columns, 'relative')).toEqual(columns);
  expect(withRoomForTimes(columns, 'utc')).toEqual([{ width: 184, time: true }, { width: 80 }]);
});

test('an absolute time gets more room in a locale that writes longer dates', () => {
  expect(absoluteTimeWidth('en-US')).toBe(184);
  expect(absoluteTimeWidth('pl')).toBe(184);
  expect(absoluteTimeWidth('pt-BR')).toBe(226);
});

test('a second click on a column reverses its order', () => {
  expect([
    nextSort(undefined, { id: 'age' }),
    nextSort({ column: 'age', direction: 'asc' }, { id: 'age' }),
    nextSort({ column: 'age', direction: 'desc' }, { id: 'name' }),
  ]).toEqual([
    { column: 'age', direction: 'asc' },
    { column: 'age', direction: 'desc' },
    { column: 'name', direction: 'asc' },
  ]);
});
