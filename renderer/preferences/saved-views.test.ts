// Views as sets of filters: the view that matches a list, and the parsing of stored views.
import { expect, test } from 'vitest';
import { filtersOf, readViews, viewOf } from './saved-views.ts';

const NONE: { readonly phase: readonly string[]; readonly q: string } = { phase: [], q: '' };
const failed = { id: 'failed', name: 'Failed', filters: { phase: ['Failed', 'DeadLetter'], q: '' } };

test('a list shows a view when its filters are equal, in any order', () => {
  expect(viewOf({ phase: ['DeadLetter', 'Failed'], q: '' }, NONE, [failed])).toBe(failed);
  expect(viewOf({ phase: ['Failed'], q: '' }, NONE, [failed])).toBeUndefined();
  expect(viewOf({ phase: ['Failed', 'DeadLetter'], q: 'x' }, NONE, [failed])).toBeUndefined();
});

test('a view keeps only the filters of the address', () => {
  const state = { phase: [], q: 'x', sort: 'name' };
  expect(filtersOf(state, NONE)).toEqual({ phase: [], q: 'x' });
});

test('an invalid stored view is left out', () => {
  const stored = [
    { name: 'mine', filters: { phase: ['Failed', 3], q: 7, gone: 'x' } },
    { name: '' },
    { name: 'no', filters: null },
    7,
    null,
  ];
  expect(readViews(stored, NONE)).toEqual([{ id: 'mine:mine', name: 'mine', filters: { phase: ['Failed'], q: '' } }]);
  expect(readViews('nonsense', NONE)).toEqual([]);
});
