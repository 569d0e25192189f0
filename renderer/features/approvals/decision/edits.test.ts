import { expect, test } from 'vitest';
import { editsBetween } from './edits.ts';
import { countHiddenIn } from './hidden-in-json.ts';
import { hexLines, readInput } from '../model/input-text.ts';

test('edits are the deepest places that differ', () => {
  const before = { ids: [1, 2], why: 'x', deep: { a: 1, 'odd key': 2 } };
  expect(editsBetween(before, { ids: [1, 3, 4], deep: { a: 1, 'odd key': null } })).toEqual([
    { path: 'ids[1]', before: '2', after: '3' },
    { path: 'ids[2]', before: undefined, after: '4' },
    { path: 'why', before: '"x"', after: undefined },
    { path: 'deep["odd key"]', before: '2', after: 'null' },
  ]);
});

test('keys that every object inherits are edits like any other', () => {
  const edited = JSON.parse('{"__proto__": {}, "constructor": 1}') as unknown;
  expect(editsBetween({}, edited)).toEqual([
    { path: '__proto__', before: undefined, after: '{}' },
    { path: 'constructor', before: undefined, after: '1' },
  ]);
});

test('a reordered value is not an edit, and a value of another type is one edit of the whole', () => {
  expect(editsBetween({ a: 1, b: 2 }, { b: 2, a: 1 })).toEqual([]);
  expect(editsBetween({ a: 1 }, [1])).toEqual([{ path: '', before: '{"a":1}', after: '[1]' }]);
});

test('an input is an object, another value, invalid JSON, or empty', () => {
  expect([readInput('{"a":1}').kind, readInput('[1]').kind, readInput('{').kind, readInput('').kind]).toEqual([
    'object',
    'other',
    'invalid',
    'empty',
  ]);
  expect(readInput('"'.repeat(5_000_000))).toMatchObject({ kind: 'invalid' });
});

test('bytes are shown 16 a line, non-ASCII ones as a dot', () => {
  const bytes = new TextEncoder().encode('{"a":"ä\u202e"}  0123');
  const hex = '7b 22 61 22 3a 22 c3 a4 e2 80 ae 22 7d 20 20 30';
  expect(hexLines(bytes, 0, 1)).toEqual([{ offset: '00000000', hex, ascii: '{"a":"....."}  0' }]);
  expect(hexLines(bytes, 16, 9)).toHaveLength(1);
});

test('hidden characters are counted in keys and texts, escaped ones too', () => {
  expect(countHiddenIn(JSON.parse('{"a\\u200b":["\\u001b[31m","plain",3,null,{"b":"\\u202e"}]}'))).toBe(3);
});
