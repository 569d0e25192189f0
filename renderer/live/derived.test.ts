import type { WatchItem } from '@svc/shared/api/watch';
import { expect, test } from 'vitest';
import { isConcerned } from './derived.ts';

const item = (type: WatchItem['type'], kind: string) => ({ type, kind }) as WatchItem;
const heartbeat = item('updated', 'Worker');
const counts = (...kinds: string[]) => [['resources', 'counts'], { input: { selections: kinds.map((kind) => ({ kind })) } }];

test.each([
  ['counts of other kinds', counts('Task', 'Tool'), false],
  ['the count of all workers', counts('Task', 'Worker'), false],
  [
    'the count of workers that are ready',
    [['resources', 'counts'], { input: { selections: [{ kind: 'Worker', fieldSelector: 'status.phase=Ready' }] } }],
    true,
  ],
  ['relations', [['resources', 'relations'], {}], false],
  ['referrers', [['resources', 'referrers'], {}], false],
  ['namespaces', [['server', 'namespaces']], false],
  ['the check whether a tool can run', [['access', 'toolProblem'], {}], false],
  ['lists, which take the change itself', [['resources', 'list'], { input: { kind: 'Worker' } }], false],
  ['what the console keeps for itself', ['definitions', 'fields'], false],
])('a heartbeat and %s', (_what, key, expected) => expect(isConcerned(key, [heartbeat])).toBe(expected));

test('creation or deletion invalidates counts of its kind, relations and namespaces', () => {
  const created = [heartbeat, item('created', 'Tool')];
  const keys = [counts('Tool'), [['resources', 'relations']], [['resources', 'referrers']], [['server', 'namespaces']], counts('Task')];
  expect(keys.map((key) => isConcerned(key, created))).toEqual([true, true, true, true, false]);
});

const versionKey = (procedure: string, name: string) => [['resources', procedure], { input: { kind: 'Agent', namespace: 'a', name } }];
const ofAgent = (type: WatchItem['type'], name: string) => ({ ...item(type, 'Agent'), namespace: 'a', name }) as WatchItem;

test.each([
  ['versions', 'updated', 'x', true],
  ['versions', 'updated', 'y', false],
  ['versions', 'deleted', 'x', false],
  ['version', 'updated', 'x', false],
  ['version', 'created', 'x', true],
] as const)('%s of an agent after %s of %s: refreshed %s', (procedure, type, name, expected) =>
  expect(isConcerned(versionKey(procedure, 'x'), [ofAgent(type, name)])).toBe(expected),
);

test.each([
  ['AgentPolicy', 'updated', true],
  ['Agent', 'updated', true],
  ['Secret', 'created', true],
  ['Task', 'created', false],
  ['Worker', 'updated', false],
] as const)('verdicts after a %s is %s: refreshed %s', (kind, type, expected) =>
  expect(['check', 'whatIf'].map((each) => isConcerned([['access', each], {}], [item(type, kind)]))).toEqual([expected, expected]),
);

test.each([
  ['Tool', 'updated', true],
  ['Secret', 'created', true],
  ['Secret', 'deleted', true],
  ['Worker', 'created', true],
  ['Task', 'created', false],
] as const)('the check whether a tool can run after a %s is %s: refreshed %s', (kind, type, expected) =>
  expect(isConcerned([['access', 'toolProblem'], {}], [item(type, kind)])).toBe(expected),
);

test('an edit may change relations, and leaves the list of namespaces', () => {
  const edited = [item('updated', 'Agent')];
  expect(isConcerned([['resources', 'relations']], edited)).toBe(true);
  expect(isConcerned([['server', 'namespaces']], edited)).toBe(false);
});

test('relations of a deleted object are not requested', () => {
  const key = [['resources', 'relations'], { input: { kind: 'Tool', namespace: 'default', name: 'a' } }];
  const change = (type: WatchItem['type'], name: string) => ({ ...item(type, 'Tool'), namespace: 'default', name });
  expect(isConcerned(key, [change('deleted', 'a')])).toBe(false);
  expect(isConcerned(key, [change('deleted', 'a'), change('created', 'a')])).toBe(true);
  expect(isConcerned(key, [change('deleted', 'b')])).toBe(true);
});
