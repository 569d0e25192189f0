// The range of names that a search by prefix reads.
import { expect, test } from 'vitest';
import { firstCursor, hasPrefix, nameBefore, worthReadingOn, type ListInput } from './list-selectors.ts';

const named = (name: string) => ({ metadata: { name } });
const byName: ListInput = { kind: 'Agent', namespace: 'team', order: 'name', limit: 200 };

const LONGEST = 'z'.repeat(252);

test.each([
  ['b', `a${LONGEST}`],
  ['inv', `inu${'z'.repeat(250)}`],
  ['a-', 'a'],
  ['a--', 'a'],
  ['0', undefined],
  ['', undefined],
  ['A', `9${LONGEST}`],
  ['a', `Z${LONGEST}`],
  ['x.', `x-${'z'.repeat(251)}`],
  ['ä', undefined],
])('the list of names that begin with %j is read after %j', (prefix, expected) => {
  expect(nameBefore(prefix)).toBe(expected);
});

test('no name lies between the start and the names with the prefix', () => {
  const names = ['a', 'a-b', 'a.b', 'a0', 'aZ', 'a_b', 'aa', 'ab', 'abc', 'Z', 'Zz', '0'].sort();
  for (const prefix of ['a', 'a-', 'a_', 'ab', 'aa', 'Z', '0']) {
    const start = nameBefore(prefix);
    const first = names.find((name) => start === undefined || name > start);
    expect([prefix, first?.startsWith(prefix)]).toEqual([prefix, true]);
  }
});

test('the search begins right before the prefix, where names are sorted', () => {
  const first = firstCursor(byName, 'ab') ?? '';
  expect(first.startsWith('team/aa')).toBe(true);
  expect(first < 'team/ab').toBe(true);
  expect(firstCursor(byName, '')).toBeUndefined();
});

test('reading stops behind the prefix', () => {
  expect(worthReadingOn(named('inv-9'), byName, 'inv')).toBe(true);
  expect(worthReadingOn(named('inw'), byName, 'inv')).toBe(false);
  expect(worthReadingOn(named('inw'), byName, '')).toBe(true);
  expect(worthReadingOn(undefined, byName, 'inv')).toBe(true);
  expect(hasPrefix(named('inv-9'), 'inv')).toBe(true);
});

test.each([
  ['newest first', { kind: 'Task', order: '-createdAt', limit: 200 }],
  ['by name over all namespaces', { kind: 'Task', order: 'name', limit: 200 }],
] as const)('a list %s is read on whatever name was last: more of the prefix may stand anywhere', (_what, input) => {
  expect(worthReadingOn(named('zzz'), input, 'inv')).toBe(true);
  expect(firstCursor(input, 'inv')).toBeUndefined();
});
