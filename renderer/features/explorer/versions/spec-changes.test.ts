import { expect, test } from 'vitest';
import { specChanges } from './spec-changes.ts';

test('equal specs have no changes', () => {
  expect(specChanges({ a: { b: [1] } }, { a: { b: [1] } })).toEqual([]);
});

test('fields are named by their path, those of the new spec last', () => {
  const before = { prompt: 'one', limits: { max_steps: 3, timeout: '5m' }, tools: ['a'] };
  const after = { roles: ['r'], prompt: 'two', limits: { max_steps: 4, timeout: '5m' }, tools: ['a', 'b'] };
  expect(specChanges(before, after)).toEqual([
    { path: 'spec.prompt', before: 'one', after: 'two' },
    { path: 'spec.limits.max_steps', before: 3, after: 4 },
    { path: 'spec.tools', before: ['a'], after: ['a', 'b'] },
    { path: 'spec.roles', before: undefined, after: ['r'] },
  ]);
});

test('a group that is removed is one change', () => {
  expect(specChanges({ memory: { ref: 'm' } }, {})).toEqual([{ path: 'spec.memory', before: { ref: 'm' }, after: undefined }]);
});

test('keys that are not plain names are quoted in the path', () => {
  expect(specChanges({ graph: { 'a.b': 1 } }, { graph: { 'a.b': 2 } })[0]?.path).toBe('spec.graph["a.b"]');
});

test('a key with the name of a method is absent where it is not written', () => {
  const written = JSON.parse('{"constructor":{"a":1},"__proto__":"b"}') as unknown;
  expect(specChanges({}, written)).toEqual([
    { path: 'spec.constructor', before: undefined, after: { a: 1 } },
    { path: 'spec.__proto__', before: undefined, after: 'b' },
  ]);
});
