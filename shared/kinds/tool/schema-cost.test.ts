import { expect, test } from 'vitest';
import { normalizeTool } from './normalize.ts';
import { validateTool } from './rules.ts';
import { SCHEMA_SIZE_MAX, schemaCost } from './schema-cost.ts';

const doubling = (levels: number, keyword: string) => ({
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, n) => [
      `d${n}`,
      n + 1 === levels ? {} : { [keyword]: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  ),
  $ref: '#/$defs/d0',
});

test.each([
  ['an empty schema', {}, 1, true],
  ['properties', { properties: { a: { type: 'string' }, b: { items: { type: 'integer' } } }, required: ['a', 'b'] }, 6, true],
  [
    'a reference that is used twice',
    { $defs: { x: { type: 'string' } }, properties: { a: { $ref: '#/$defs/x' }, b: { $ref: '#/$defs/x' } } },
    5,
    true,
  ],
  ['a pattern', { pattern: 'a' }, 1, false],
  ['unique items', { uniqueItems: true }, 1, false],
  ['an enum of objects', { enum: [{}] }, 1, false],
  ['an enum of texts', { enum: ['a', 'b'] }, 1, true],
  ['a format of one expression', { format: 'email' }, 1, false],
  ['a date', { format: 'date-time' }, 1, true],
  ['an unknown keyword', { 'x-note': 1 }, 1, false],
  ['a schema that refers to itself', { properties: { next: { $ref: '#' } } }, 3, false],
  ['a reference that leads nowhere', { $ref: '#/$defs/none' }, 1, false],
])('%s has its size, and may be cheap', (_what, schema, size, cheap) => {
  expect(schemaCost(schema)).toEqual({ size, cheap, problems: [] });
});

test.each(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'])(
  'references that double in %s are measured at once and refused',
  (keyword) => {
    const { size, problems } = schemaCost(doubling(45, keyword));
    expect(size).toBe(SCHEMA_SIZE_MAX + 1);
    expect(problems).toMatchObject([{ path: '', message: expect.stringContaining('10000 subschemas') as string }]);
  },
);

test.each([
  ['past 512 characters', 'a*'.repeat(5_000), 'at most 512 characters'],
  ['with nested repetitions', '(a{1000}){1000}', 'repeats too much'],
  ['with repetitions of a class', '([a-z]{0,100}\\d{9}){30}', 'repeats too much'],
  ['with repetitions side by side', 'a{1000}b{1000}c{1000}', 'repeats too much'],
])('a pattern %s is refused wherever it stands', (_what, pattern, message) => {
  const found = (schema: Record<string, unknown>) => schemaCost(schema).problems;
  expect(found({ properties: { a: { pattern } } })).toMatchObject([
    { path: '.properties.a.pattern', message: expect.stringContaining(message) as string },
  ]);
  expect(found({ patternProperties: { [pattern]: {} } })).toHaveLength(1);
  expect(found({ definitions: { unused: { not: { propertyNames: { pattern } } } } })).toHaveLength(1);
});

test.each(['^[a-z]{1,256}$', '^([a-z0-9-]{1,63}\\.){1,10}[a-z]+$', '^\\d{4}-\\d{2}-\\d{2}$', 'a{'])(
  'a usual pattern is taken: %s',
  (pattern) => {
    expect(schemaCost({ pattern }).problems).toEqual([]);
  },
);

test('a schema that is nested too deeply is refused', () => {
  let schema: Record<string, unknown> = {};
  for (let depth = 0; depth < 100; depth += 1) schema = { not: schema };
  expect(schemaCost(schema).problems).toMatchObject([{ message: 'is nested deeper than 64 levels' }]);
});

test('a Tool names the place of a schema that is too costly', () => {
  const errors = validateTool(
    normalizeTool({
      type: 'http',
      endpoint: 'https://a.example',
      input_schema: { properties: { a: { pattern: 'x'.repeat(513) } } },
    }),
  );
  expect(errors).toEqual([{ path: 'spec.input_schema.properties.a.pattern', message: 'must be at most 512 characters, not 513' }]);
});

test('a schema with too many characters is not measured', () => {
  const properties = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`property${index}`, { pattern: '(' }]));
  const errors = validateTool(normalizeTool({ type: 'http', endpoint: 'https://a.example', input_schema: { properties } }));
  expect(errors).toEqual([{ path: 'spec.input_schema', message: expect.stringContaining('must be at most 262144 characters') as string }]);
});
