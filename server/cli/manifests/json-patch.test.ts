// JSON patches: the examples of RFC 6902 that apply here, their failures, and merge patches between values.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mergePatch } from '@svc/shared/json';
import { EXIT } from '../program/exit-codes.ts';
import { applyJsonPatch, patchBetween, patchConflicts } from './json-patch.ts';

describe('applyJsonPatch', () => {
  test.each<[string, unknown, unknown[], unknown]>([
    ['adds a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { foo: 'bar', baz: 'qux' }],
    ['adds an element', { a: [1, 3] }, [{ op: 'add', path: '/a/1', value: 2 }], { a: [1, 2, 3] }],
    ['adds at the end of a list', { a: [1] }, [{ op: 'add', path: '/a/-', value: 2 }], { a: [1, 2] }],
    ['removes a member', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['removes an element', { a: [1, 2, 3] }, [{ op: 'remove', path: '/a/1' }], { a: [1, 3] }],
    ['replaces a value', { a: 1 }, [{ op: 'replace', path: '/a', value: null }], { a: null }],
    ['moves a value', { a: { x: 1 }, b: {} }, [{ op: 'move', from: '/a/x', path: '/b/y' }], { a: {}, b: { y: 1 } }],
    ['moves an element', { a: [1, 2, 3] }, [{ op: 'move', from: '/a/0', path: '/a/2' }], { a: [2, 3, 1] }],
    ['copies a value', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    ['tests a value', { a: { x: [1], y: 2 } }, [{ op: 'test', path: '/a', value: { y: 2, x: [1] } }], { a: { x: [1], y: 2 } }],
    [
      'reads escaped keys',
      { 'a/b': 1, 'm~n': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/m~0n' },
      ],
      {},
    ],
    ['replaces the whole', { a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }], { b: 2 }],
  ])('%s', (_title, value, patch, result) => {
    const before = structuredClone(value);
    expect(applyJsonPatch(value, patch)).toEqual(result);
    expect(value).toEqual(before);
  });

  test.each<[unknown, RegExp]>([
    [{ spec: {} }, /is a list of operations/],
    [[{ path: '/a' }], /operation 1 .*no "op"/],
    [[{ op: 'add', path: '/x' }], /has no "value"/],
    [[{ op: 'remove', path: '/absent' }], /which does not exist/],
    [[{ op: 'replace', path: '/list/9', value: 1 }], /which does not exist/],
    [[{ op: 'add', path: '/list/5', value: 1 }], /which does not exist/],
    [[{ op: 'add', path: '/list/01', value: 1 }], /which does not exist/],
    [[{ op: 'add', path: '/a/b/c', value: 1 }], /which does not exist/],
    [[{ op: 'test', path: '/a', value: 2 }], /failed: the value at "\/a" is 1, not 2$/],
    [[{ op: 'test', path: '/a', value: 'x'.repeat(5_000) }], /is 1, not "x{198}…$/],
    [[{ op: 'frob', path: '/a' }], /there are add, remove/],
    [[{ op: 'move', from: '/list', path: '/list/0' }], /into itself/],
    [[{ op: 'add', path: 'a', value: 1 }], /does not begin with/],
    [[{ op: 'add', path: '/__proto__/x', value: 1 }], /__proto__/],
    [Array.from({ length: 40 }, () => ({ op: 'copy', from: '', path: '/list/-' })), /too large/],
    [Array.from({ length: 1_001 }, () => ({ op: 'remove', path: '/a' })), /at most 1000/],
  ])('refuses %#', (patch, message) => {
    expect(() => applyJsonPatch({ a: 1, list: [1] }, patch)).toThrow(message);
  });

  test('names no value of a secret', () => {
    const patch = [{ op: 'test', path: '/a', value: 'hush' }];
    expect(() => applyJsonPatch({ a: '***' }, patch, { secret: true })).toThrow(/the value at "\/a" is not the given one$/);
  });
});

/** Values without null members, which a merge patch cannot set. */
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.boolean(), fc.array(tie('value')), tie('object')),
  object: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), tie('value')),
}));

describe('patchBetween', () => {
  test('leads from any value to any other', () => {
    fc.assert(
      fc.property(json.object, json.object, (before, after) => {
        const patch = patchBetween(before, after);
        expect(mergePatch(before, patch ?? {})).toEqual(after);
      }),
    );
  });

  test('is undefined for equal values and names only what changed', () => {
    expect(patchBetween({ a: { x: [1], y: 2 } }, { a: { y: 2, x: [1] } })).toBeUndefined();
    expect(patchBetween({ a: { x: 1, y: 2 }, b: 3 }, { a: { x: 1, z: 4 }, b: 3 })).toEqual({ a: { y: null, z: 4 } });
  });
});

test('patchConflicts names the paths that two patches set differently', () => {
  const mine = { spec: { a: 1, b: 2, deep: { x: 1 } }, metadata: { labels: { k: 'v' } } };
  expect(patchConflicts(mine, { spec: { a: 1, c: 9, deep: { y: 2 } } })).toEqual([]);
  expect(patchConflicts(mine, { spec: { b: null, deep: { x: 2 } } })).toEqual([
    { path: 'spec.b', theirs: null },
    { path: 'spec.deep.x', theirs: 2 },
  ]);
  expect(patchConflicts(mine, { spec: { deep: 'flat' } })).toEqual([{ path: 'spec.deep', theirs: 'flat' }]);
});

test.each([
  ['a test that fails', [{ op: 'test', path: '/a', value: 2 }], EXIT.failed],
  ['a path that does not exist', [{ op: 'remove', path: '/b' }], EXIT.failed],
  ['an operation without a value', [{ op: 'add', path: '/b' }], EXIT.usage],
])('ends with the exit code of %s', (_what, patch, exitCode) => {
  expect(() => applyJsonPatch({ a: 1 }, patch)).toThrow(expect.objectContaining({ exitCode }) as Error);
});
