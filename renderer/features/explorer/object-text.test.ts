// Text about objects and their numbers.
import { expect, test } from 'vitest';
import { changeOf, labelProblem, labelsInUse } from './label-change.ts';
import { aKind, countOf, countsByKind, kindWord, listed } from './object-text.ts';

test.each([
  ['Agent', 1, false, '1 agent'],
  ['AgentSystem', 3, false, '3 agent systems'],
  ['Agent', 10000, true, '10,000+ agents'],
  ['McpServer', 2, false, '2 MCP servers'],
  ['Session', 2, false, '2 Sessions'],
  ['Secret', 1, false, '1 Secret'],
  ['SealedSecret', 1, false, '1 sealed secret'],
])('%s %i is counted as %s %s', (kind, count, more, words) => {
  expect(countOf(kind, count, more)).toBe(words);
});

test('an unknown kind keeps its own name', () => {
  expect(kindWord('Gadget', 2)).toBe('Gadget');
  expect([aKind('Agent'), aKind('Tool'), aKind('McpServer')]).toEqual(['an agent', 'a tool', 'an MCP server']);
});

test('objects are summarised by kind, the most frequent first', () => {
  expect(countsByKind([{ kind: 'AgentSystem' }, { kind: 'Agent' }, { kind: 'Agent' }])).toBe('2 agents and 1 agent system');
  expect(listed(['a', 'b', 'c'])).toBe('a, b and c');
});

test.each([
  ['team=payments', true],
  ['example.com/team=a.b', true],
  ['team', false],
  ['=x', false],
  ['team=two words', false],
  ['-team=x', false],
])('%s as a label: %s', (text, fine) => {
  expect(labelProblem(text) === undefined).toBe(fine);
});

test('labels are set and removed in one change, and setting wins', () => {
  expect(changeOf({ added: ['a=1', 'b = 2'], removed: ['b', 'c'] })).toEqual({ a: '1', b: '2', c: null });
});

test('labels in use are listed with their values and counts', () => {
  const objects = [{ metadata: { labels: { team: 'x' } } }, { metadata: { labels: { team: 'y', env: 'prod' } } }];
  expect(labelsInUse(objects)).toEqual([
    { key: 'env', values: ['prod'], count: 1 },
    { key: 'team', values: ['x', 'y'], count: 2 },
  ]);
});
