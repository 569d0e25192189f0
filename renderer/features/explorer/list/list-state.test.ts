// Requests to the server that follow from a list's address.
import type { Resource } from '@svc/shared/resource';
import { describe, expect, test } from 'vitest';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { labelSuggestions, listInput, selectionOf, withLabel } from './list-state.ts';

const kind = {
  kind: 'Session',
  phases: ['Pending', 'Ready', 'Failed'],
  fieldSelectors: ['status.phase'],
} as unknown as KindSummary;
const state = { phase: [], labels: '', system: '', q: '', sort: 'name' } as const;
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
