import { expect, test } from 'vitest';
import { bestFits, fit, namespaceOrder, readPalette, staysWhileSearching } from './palette-model.ts';

test.each([
  ['billing', { mode: 'search', query: 'billing' }],
  ['> approve', { mode: 'actions', query: 'approve' }],
  ['@team', { mode: 'namespaces', query: 'team' }],
  ['#', { mode: 'kinds', query: '' }],
  ['?', { mode: 'help', query: '' }],
])('%j means %j', (text, meaning) => expect(readPalette(text)).toEqual(meaning));

test('prefixes rank before words, words before substrings, substrings before scattered letters', () => {
  const items = ['Switch namespace', 'Settings', 'Task schedules', 'Mcp servers', 'Agents'];
  expect(bestFits(items, 'se', (item) => item)).toEqual(['Settings', 'Mcp servers', 'Switch namespace', 'Task schedules']);
  expect([fit('Agents', 'zz'), fit('Agents', '')]).toEqual([0, 1]);
});

test('lists pinned namespaces first, then recent ones, and no deleted ones', () => {
  const order = namespaceOrder(['a', 'b', 'c', 'd'], { pinned: ['c', 'gone'], recent: ['d', 'c', 'old'] });
  expect(order).toEqual(['c', 'd', 'a', 'b']);
});

test.each([
  ['question-1', 'quest', true],
  ['question-1', 'team-a/question', true],
  ['question-1', 'task:1', true],
  ['question-1', 'doomed', false],
  ['question-1', 'qn', false],
])('the hit %s of an earlier text stays while %s is loading: %s', (name, query, stays) =>
  expect(staysWhileSearching(name, query)).toBe(stays),
);
