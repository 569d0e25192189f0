// Requests to the server that follow from a list's address.
import type { Resource } from '@svc/shared/resource';
import { describe, expect, test } from 'vitest';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { labelSuggestions, listInput, selectionOf, shownSort, sortParam, withLabel } from './list-state.ts';

const kind = {
  kind: 'Session',
  phases: ['Pending', 'Ready', 'Failed'],
  fieldSelectors: ['status.phase'],
  columns: [{ path: 'status.phase' }, { path: 'spec.system' }, { path: 'status.queuedTurns' }, { path: 'metadata.createdAt' }],
} as unknown as KindSummary;
const state = { phase: [], labels: '', system: '', q: '', sort: '' } as const;
const named = (name: string, labels = {}) => ({ metadata: { name, labels } }) as unknown as Resource;

describe('phases', () => {
  test.each([
    [[], undefined],
    [['Ready'], 'status.phase=Ready'],
    [['Ready', 'Failed'], 'status.phase!=Pending'],
    [['Pending', 'Ready', 'Failed'], undefined],
    [['Unheard'], undefined],
  ])('%j is requested as %s', (wanted, selector) => {
    expect(selectionOf(kind, { ...state, phase: wanted }, undefined).fieldSelector).toBe(selector);
  });

  test('are omitted where the server cannot select by them', () => {
    expect(selectionOf({ ...kind, fieldSelectors: [] }, { ...state, phase: ['Ready'] }, undefined)).toEqual({ kind: 'Session' });
  });
});

test('a filter by agent system is requested together with the phase, where the server can select by it', () => {
  const sessions = { ...kind, fieldSelectors: ['status.phase', 'spec.system'] };
  const wanted = { ...state, phase: ['Ready'], system: 'team/travel-agent' };
  expect(selectionOf(sessions, wanted, undefined).fieldSelector).toBe('status.phase=Ready,spec.system=team/travel-agent');
  expect(selectionOf(kind, wanted, undefined).fieldSelector).toBe('status.phase=Ready');
});

test('the search by name is the part that names contain, in the chosen order', () => {
  expect(listInput(kind, { ...state, q: 'ab', sort: '-createdAt' }, 'team')).toMatchObject({ nameContains: 'ab', order: '-createdAt' });
  expect(listInput(kind, state, 'team')).not.toHaveProperty('nameContains');
});

describe('an order', () => {
  test.each([
    ['', { column: 'name', direction: 'asc' }, 'name'],
    ['-name', { column: 'name', direction: 'desc' }, '-name'],
    ['-createdAt', { column: 'age', direction: 'asc' }, '-createdAt'],
    ['createdAt', { column: 'age', direction: 'desc' }, 'createdAt'],
    ['spec.system', { column: 'spec.system', direction: 'asc' }, 'spec.system'],
    ['-status.phase', { column: 'status.phase', direction: 'desc' }, '-status.phase'],
  ] as const)('%j of the address is that of a column, and back', (sort, shown, order) => {
    expect(shownSort(kind, { sort, q: '' })).toEqual(shown);
    expect(sortParam(shown)).toBe(sort);
    expect(listInput(kind, { ...state, sort }, undefined).order).toBe(order);
  });

  test.each(['status.queuedTurns', 'spec.secret', '-nothing'])('%j, which the kind does not have, is that by name', (sort) => {
    expect(listInput(kind, { ...state, sort }, undefined).order).toBe('name');
    expect(shownSort(kind, { sort, q: '' })).toEqual({ column: 'name', direction: 'asc' });
  });

  test('by a column is that by name while names are searched', () => {
    expect(listInput(kind, { ...state, q: 'ab', sort: '-spec.system' }, undefined).order).toBe('name');
  });
});

describe('labels', () => {
  test('include those of the rows, each added to the selected ones', () => {
    const rows = [named('a', { team: 'x' }), named('b', { team: 'y' })];
    expect(labelSuggestions(rows, '')).toEqual(['team', 'team=x', 'team=y']);
    expect(labelSuggestions(rows, 'team=x')).toEqual(['team=x,team', 'team=x,team=y']);
  });

  test('exclude those outside the selector syntax', () => {
    expect(labelSuggestions([named('a', { note: 'hello world', 'not a key': 'x' })], '')).toEqual(['note']);
  });

  test('are added to the selector once', () => {
    expect(withLabel('', 'team', 'x')).toBe('team=x');
    expect(withLabel('env=prod', 'team', 'x')).toBe('env=prod,team=x');
    expect(withLabel('team=x', 'team', 'x')).toBe('team=x');
  });
});
