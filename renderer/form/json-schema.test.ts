// Initial values of parts by hostile schemas.
import { expect, test } from 'vitest';
import { startValue, type JsonSchema } from './json-schema.ts';

test('a schema that requires itself several times has a start value of bounded size', () => {
  const properties = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { $ref: '#' }]));
  const root: JsonSchema = { type: 'object', properties, required: ['a', 'b', 'c'] };
  expect(JSON.stringify(startValue(root, root)).length).toBeLessThan(20_000);
});

test('a schema that holds itself once is followed', () => {
  const root: JsonSchema = { type: 'object', properties: { next: { $ref: '#' }, size: { type: 'number' } }, required: ['next', 'size'] };
  expect(startValue(root, root)).toMatchObject({ size: 0, next: { size: 0, next: { size: 0 } } });
});
