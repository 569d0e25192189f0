import { expect, test } from 'vitest';
import { bestFits, fit, readPalette } from './palette-model.ts';

test.each([
  ['billing', { mode: 'search', query: 'billing' }],
  ['> approve', { mode: 'actions', query: 'approve' }],
  ['@team', { mode: 'namespaces', query: 'team' }],
  ['#', { mode: 'kinds', query: '' }],
  ['?', { mode: 'help', query: '' }],
])('%j means %j', (text, meaning) => expect(readPalette(text)).toEqual(meaning));

test('beginnings come before words, words before parts, parts before scattered letters', () => {
  const items = ['Switch namespace', 'Settings', 'Task schedules', 'Mcp servers', 'Agents'];
  expect(bestFits(items, 'se', (item) => item)).toEqual(['Settings', 'Mcp servers', 'Switch namespace', 'Task schedules']);
  expect([fit('Agents', 'zz'), fit('Agents', '')]).toEqual([0, 1]);
});
