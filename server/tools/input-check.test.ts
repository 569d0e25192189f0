// Where in an input a schema is not met, and that neither schema nor input can hold the event loop.
import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '@svc/shared/json';
import { OutsideFirst, outsideFirst } from '../store/outside-first.ts';
import { loopDelay, RESPONSIVE_MS } from '../testing/loop-delay.ts';
import { createInputChecks, isInline } from './input-check.ts';

const DEADLINE_MS = 400;
const checks = createInputChecks();
const hasty = createInputChecks({ deadlineMs: DEADLINE_MS });
afterAll(() => Promise.all([checks.close(), hasty.close()]));

const toolOf = (input_schema: JsonObject) => ({ namespace: 'default', name: 'order', spec: { input_schema } });
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

const cases: [string, JsonObject, string[]][] = [
  ['an element of a list', { items: [{ sku: 'ok' }, { sku: 'x' }, {}] }, ['input.items[1].sku', 'input.items[2]']],
  ['an element of a list in a list', { grid: [[], [{ sku: 3 }]] }, ['input.grid[1][0].sku']],
  ['a name that is no word', { 'a/b~c': 'x', 'of day': {} }, ['input["a/b~c"]', 'input["of day"]']],
];

test.each(cases)('an error names %s as the API does', async (_what, input, paths) => {
  const error = await checks.check(toolOf(input_schema), input);
  expect(error).toMatchObject({ code: 'invalid_input', reason: 'schema_mismatch' });
  expect(error?.problems?.map(({ path }) => path)).toEqual(paths);
});

test.each(cases)('a check in a thread names %s alike', async (_what, input, paths) => {
  const error = await checks.check(toolOf({ ...input_schema, propertyNames: { maxLength: 50 } }), input);
  expect(error?.problems?.map(({ path }) => path)).toEqual(paths);
});

const doubling = (levels: number): JsonObject => ({
  definitions: Object.fromEntries(
    Array.from({ length: levels }, (_, n) => {
      const next = { $ref: `#/definitions/d${n + 1}` };
      return [`d${n}`, n + 1 === levels ? { type: 'object' } : { allOf: [next, next] }];
    }),
  ),
  $ref: '#/definitions/d0',
});
const anchored = (levels: number): JsonObject => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, n) => {
      const next = { $ref: `#a${n + 1}` };
      return [`d${n}`, { $anchor: `a${n}`, ...(n + 1 === levels ? { type: 'object' } : { anyOf: [next, next], not: next }) }];
    }),
  ),
  $ref: '#a0',
});
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { a: nested(depth - 1) });
const integers = (count: number) => Array.from({ length: count }, (_, n) => n);
const objects = (count: number) => Array.from({ length: count }, (_, id) => ({ id, tags: ['a', 'b'] }));
const list = (items: JsonObject): JsonObject => ({ type: 'object', properties: { list: { type: 'array', ...items } } });
const text = (pattern: string): JsonObject => ({ type: 'object', properties: { text: { type: 'string', pattern } } });
const halves = { properties: { a: { allOf: [{ $ref: '#' }, { $ref: '#' }] } } };

test.each<[string, JsonObject, JsonObject, string | undefined]>([
  ['references that double at 45 levels', doubling(45), {}, 'runtime_policy_invalid'],
  ['references that double by anchor', anchored(45), {}, 'runtime_policy_invalid'],
  ['a pattern of 5,000 stars', text('a*'.repeat(5_000)), { text: 'b'.repeat(100_000) }, 'runtime_policy_invalid'],
  ['a pattern with nested repetitions', text('((a{0,30}){0,30}){0,30}'), { text: 'a'.repeat(100_000) }, 'runtime_policy_invalid'],
  ['recursion that doubles with the depth of the input', halves, nested(60), 'runtime_policy_invalid'],
  ['a slow pattern against much text', text('(a|b)*a(a|b){500}[cd]'), { text: 'ab'.repeat(400_000) }, 'runtime_policy_invalid'],
  ['unique items in a long list', list({ uniqueItems: true }), { list: integers(120_000) }, undefined],
  [
    'objects of an enum against many items',
    list({ items: { enum: objects(1_000) } }),
    { list: Array(10).fill(objects(1_000)).flat() as JsonObject[] },
    undefined,
  ],
  ['a wrong item at each place', list({ items: { type: 'string' } }), { list: integers(200_000) }, 'invalid_input'],
])('%s does not block the event loop', async (_what, schema, input, code) => {
  const { value, longestMs } = await loopDelay(() => hasty.check(toolOf(schema), input).then((error) => error));
  expect(longestMs).toBeLessThan(RESPONSIVE_MS);
  // On a busy machine the check may reach its deadline, which leaves the loop free too.
  if (code !== 'runtime_policy_invalid' && value?.code === 'runtime_policy_invalid') expect(value.message).toContain(`${DEADLINE_MS} ms`);
  else expect(value?.code).toBe(code);
});

test('a check past its deadline names the tool and the limit', async () => {
  const error = await hasty.check(toolOf(halves), nested(60));
  expect(error).toMatchObject({ code: 'runtime_policy_invalid', retryable: false });
  expect(error?.message).toContain(`Tool "default/order" spec.input_schema cannot be checked against this input within ${DEADLINE_MS} ms`);
});

test('a check after an overdue one gets a new thread', async () => {
  await hasty.check(toolOf(halves), nested(50));
  const { value } = await loopDelay(() => checks.check(toolOf(text('^a+$')), { text: 'b' }));
  expect(value?.code).toBe('invalid_input');
});

test.each<[string, JsonObject, JsonObject]>([
  [
    'equal items',
    list({ uniqueItems: true }),
    {
      list: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
  ],
  ['a value outside of an enum', list({ items: { enum: [{ a: 1 }, 'x'] } }), { list: [{ a: 1 }, 'y'] }],
  ['a broken pattern', text('^a+$'), { text: 'b' }],
])('%s do not fit', async (_what, schema, input) => {
  expect(await checks.check(toolOf(schema), input)).toMatchObject({ code: 'invalid_input' });
});

test.each<[string, JsonObject]>([
  ['is no JSON Schema', { type: 'strnig' }],
  ['refers to a part it does not have', { $ref: '#/definitions/missing' }],
])('a schema that %s is refused', async (_what, schema) => {
  expect(await checks.check(toolOf(schema), {})).toMatchObject({ code: 'runtime_policy_invalid' });
});

test('a slow check inside a transaction is made outside of it, once', async () => {
  const schema = toolOf(text('^b+$'));
  const input = { text: 'a' };
  expect(() => checks.checkNow(schema, input)).toThrow(OutsideFirst);
  let attempts = 0;
  const error = await outsideFirst(() => {
    attempts += 1;
    return Promise.resolve().then(() => checks.checkNow(schema, input));
  });
  expect([attempts, error?.code]).toEqual([2, 'invalid_input']);
  expect(checks.checkNow(schema, input)?.code).toBe('invalid_input');
});

test.each([
  ['a small input and a cheap schema', true, 10, 100, true],
  ['a large input', true, 10, 100_000, false],
  ['a schema that is not cheap', false, 1, 10, false],
])('the event loop checks %s: %s', (_what, cheap, size, inputChars, expected) => {
  expect(isInline({ cheap, size, text: '{}' }, inputChars)).toBe(expected);
});
