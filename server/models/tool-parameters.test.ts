import { expect, test } from 'vitest';
import { toolParameters } from './tool-parameters.ts';

test.each([
  ['no schema', undefined, { type: 'object', properties: {} }],
  ['an empty schema', {}, { type: 'object', properties: {} }],
  [
    'a tool without parameters',
    { type: 'object', additionalProperties: false },
    { type: 'object', properties: {}, additionalProperties: false },
  ],
  ['a schema without its type', { properties: { a: { type: 'string' } } }, { type: 'object', properties: { a: { type: 'string' } } }],
  [
    'a whole schema',
    { type: 'object', properties: { a: {} }, required: ['a'] },
    { type: 'object', properties: { a: {} }, required: ['a'] },
  ],
])('%s has a type and properties for the model', (_, inputSchema, expected) => {
  expect(toolParameters({ name: 't', ...(inputSchema && { inputSchema }) })).toEqual(expected);
});
