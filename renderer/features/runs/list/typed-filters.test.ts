import { expect, test } from 'vitest';
import { readSearch } from '../../../navigation/search-state.ts';
import { RUN_LIST_PARAMS, type RunListState } from './run-list-input.ts';
import { filterSuggestions, takeFilters } from './typed-filters.ts';

const state = (query: Record<string, string | string[]> = {}): RunListState => readSearch(RUN_LIST_PARAMS, query);

test.each<[string, boolean, string, object]>([
  ['state:failed ', false, '', { phase: ['Failed'] }],
  ['state:failed', false, 'state:failed', {}],
  ['state:failed', true, '', { phase: ['Failed'] }],
  ['tides state:dead-letter system:desk moon', true, 'tides moon', { phase: ['DeadLetter'], system: 'desk' }],
  ['state:failed state:WaitingApproval ', false, '', { phase: ['Failed', 'WaitingApproval'] }],
  ['label:team=ops label:tier ', false, '', { labels: 'team=ops,tier' }],
  ['reason:timeout worker:w-1 priority:high', true, '', { reason: 'timeout', worker: 'w-1', priority: 'high' }],
  ['state:nothing label:=x https://x.test/a state: toString:x', true, 'state:nothing label:=x https://x.test/a state: toString:x', {}],
])('"%s" (final: %s) leaves "%s"', (text, final, rest, change) => {
  expect(takeFilters(text, state(), final)).toEqual({ rest, change });
});

test('a typed filter is added to those that are set', () => {
  const set = state({ phase: 'Failed', labels: 'a=b' });
  expect(takeFilters('state:running label:c', set, true).change).toEqual({ phase: ['Failed', 'Running'], labels: 'a=b,c' });
});

test('the last word is completed to keys, then to values', () => {
  const choices = { reason: ['timeout', 'two words'], worker: ['w-1'], priority: [] };
  expect(filterSuggestions('s', choices)).toEqual([]);
  expect(filterSuggestions('tides sy', choices)).toEqual(['tides system:']);
  expect(filterSuggestions('state:wait', choices)).toEqual(['state:waiting-for-approval ']);
  expect(filterSuggestions('reason:t', choices)).toEqual(['reason:timeout ']);
  expect(filterSuggestions('nothing:x', choices)).toEqual([]);
});
