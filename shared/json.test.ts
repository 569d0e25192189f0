// Equality of JSON values against the definition by their canonical texts; external texts that may not be JSON, fields of another type.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, filledText, jsonEquals, objectsIn, readJson, readJsonObject, valueAtPath } from './json.ts';

/** Values with parts that JSON cannot hold: undefined fields, and numbers without a JSON form. */
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, undefined, true, false, 0, -0, 1, Number.NaN, Infinity, '', 'null', '0', 'é'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'), tie('any'), { maxKeys: 3 }),
  ),
})).any;

/** The definition of a canonical text, one list of parts for each object. */
function definition(of: unknown): string {
  if (typeof of !== 'object' || of === null) return JSON.stringify(of ?? null);
  if (Array.isArray(of)) return `[${Array.from(of, definition).join()}]`;
  const fields = Object.entries(of).filter(([, item]) => item !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${definition(item)}`).join()}}`;
}

test('a canonical text follows its definition, whatever the keys, their number and their order', () => {
  const keys = fc.oneof(fc.string({ unit: 'binary', maxLength: 4 }), fc.nat(20).map(String), fc.constant('__proto__'));
  const leaf = fc.constantFrom<unknown>(undefined, null, 0, 'é', [1, undefined], { b: 1, a: { d: undefined, c: 2 } });
  const wide = fc.uniqueArray(fc.tuple(keys, leaf), { maxLength: 40, size: 'max', selector: ([key]) => key });
  fc.assert(
    fc.property(value, wide, (a, entries) => {
      const object = Object.fromEntries(entries);
      return canonicalJson(a) === definition(a) && canonicalJson([object]) === definition([object]);
    }),
    { numRuns: 30 },
  );
});

const byText = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);

test('values are equal when their canonical texts are', () => {
  fc.assert(
    fc.property(value, value, (a, b) => jsonEquals(a, b) === byText(a, b)),
    { numRuns: 2_000 },
  );
});

test('a value equals its copy with other key order, and differs once a leaf does', () => {
  const reversed = (of: unknown): unknown => {
    if (Array.isArray(of)) return of.map(reversed);
    if (typeof of !== 'object' || of === null) return of;
    return Object.fromEntries(
      Object.entries(of)
        .reverse()
        .map(([key, item]) => [key, reversed(item)]),
    );
  };
  fc.assert(fc.property(value, (a) => jsonEquals(a, reversed(a)) && jsonEquals(a, JSON.parse(canonicalJson(a)))));
  expect(jsonEquals({ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] })).toBe(false);
});

test.each<[string, unknown, unknown]>([
  ['{"a":1}', { a: 1 }, { a: 1 }],
  ['[1]', [1], undefined],
  ['null', null, undefined],
  ['"text"', 'text', undefined],
  ['', undefined, undefined],
  ['{"a":', undefined, undefined],
  ['undefined', undefined, undefined],
])('reads %s', (text, value, object) => {
  expect(readJson(text)).toEqual(value);
  expect(readJsonObject(text)).toEqual(object);
});

test('fields of another type are absent', () => {
  expect(['a', '', 7, null, undefined, ['a']].map(filledText)).toEqual(['a', undefined, undefined, undefined, undefined, undefined]);
  expect([[{ a: 1 }, null, 'b', [2]], {}, 'c', undefined].map(objectsIn)).toEqual([[{ a: 1 }], [], [], []]);
});

test('a dotted path reads own fields only, and ends at a value', () => {
  const object = { status: { phase: 'Running', parts: [1] } };
  expect(valueAtPath(object, 'status.phase')).toBe('Running');
  for (const path of ['status.phase.length', 'status.parts.0', 'status.toString', '__proto__', ''])
    expect(valueAtPath(object, path)).toBeUndefined();
});
