import { expect, test } from 'vitest';
import { jsonRows, MEMBERS_STEP, type JsonView } from './json-rows.ts';

const view = (more: Partial<JsonView> = {}): JsonView => ({ toggled: new Map(), openDepth: 1, listed: new Map(), ...more });

test('only unfolded nodes become lines', () => {
  const value = { a: 1, b: { c: [2] } };
  expect(jsonRows(value, view()).map((row) => [row.path, row.depth, row.open])).toEqual([
    ['[]', 0, true],
    ['["a"]', 1, false],
    ['["b"]', 1, false],
  ]);
  expect(jsonRows(value, view({ toggled: new Map([['["b"]', true]]) })).map((row) => row.name)).toEqual([undefined, 'a', 'b', 'c']);
});

test('long lists are shown in steps', () => {
  const value = Array.from({ length: 1000 }, (_, index) => index);
  const rows = jsonRows(value, view());
  expect(rows).toHaveLength(MEMBERS_STEP + 2);
  expect(rows.at(-1)?.more).toEqual({ parent: '[]', hidden: 1000 - MEMBERS_STEP });
  expect(jsonRows(value, view({ listed: new Map([['[]', 1000]]) }))).toHaveLength(1001);
});

test('nesting of any depth is shown', () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 3000; depth += 1) value = [value];
  expect(jsonRows(value, view({ openDepth: 4000 }))).toHaveLength(3001);
});

test('keys that contain separators do not collide', () => {
  const rows = jsonRows({ 'a","b': 1, a: { b: 2 } }, view({ openDepth: 3 }));
  expect(new Set(rows.map((row) => row.path)).size).toBe(rows.length);
});
