// Where in an input a schema is not met, as the model and the reviewer are told.
import { expect, test } from 'vitest';
import type { JsonObject } from '@svc/shared/json';
import { createInputCheck } from './input-check.ts';

const item = { type: 'object', required: ['sku'], properties: { sku: { type: 'string', minLength: 2 } } };
const input_schema = {
  type: 'object',
  properties: {
    items: { type: 'array', items: item },
    'a/b~c': { type: 'integer' },
    'of day': item,
    grid: { type: 'array', items: { type: 'array', items: item } },
  },
};

test.each<[string, JsonObject, string[]]>([
  ['an element of a list', { items: [{ sku: 'ok' }, { sku: 'x' }, {}] }, ['input.items[1].sku', 'input.items[2]']],
  ['a list in a list', { grid: [[], [{ sku: 3 }]] }, ['input.grid[1][0].sku']],
  ['a name that is no word', { 'a/b~c': 'x', 'of day': {} }, ['input["a/b~c"]', 'input["of day"]']],
])('%s is named as in the errors of the API', (_what, input, paths) => {
  const error = createInputCheck()({ namespace: 'default', name: 'order', spec: { input_schema } }, input);
  expect(error).toMatchObject({ code: 'invalid_input', reason: 'schema_mismatch' });
  expect(error?.problems?.map(({ path }) => path)).toEqual(paths);
});
