import type { Json } from '@svc/shared/json';
import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { describe, expect, test, vi } from 'vitest';
import { validateValue } from './validate-value.ts';
import { SchemaForm } from './SchemaForm.tsx';

function Form({ schema, value, original, onValue }: { schema: unknown; value: Json; original?: Json; onValue: (value: Json) => void }) {
  const [now, setNow] = useState(value);
  const change = (next: Json) => {
    setNow(next);
    onValue(next);
  };
  return <SchemaForm label="Input" schema={schema} value={now} onChange={change} {...(original !== undefined && { original })} />;
}

function show(schema: unknown, value: Json, original?: Json) {
  const onValue = vi.fn();
  render(<Form schema={schema} value={value} onValue={onValue} {...(original !== undefined && { original })} />);
  return { last: () => onValue.mock.lastCall?.[0] as Json, user: userEvent.setup() };
}

const SCHEMA = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: { type: 'string', minLength: 3, description: 'Why.' },
    limit: { type: 'integer', maximum: 10 },
    mode: { enum: ['soft', 'hard'] },
    ids: { type: 'array', items: { type: 'string' } },
  },
};

test('each field has its label, hint and mark, and its own message', async () => {
  const { last, user } = show(SCHEMA, { reason: 'because' });
  const reason = screen.getByRole('textbox', { name: /reason/ });
  expect(reason.getAttribute('aria-required')).toBe('true');
  await user.clear(reason);
  expect(last()).toEqual({ reason: '' });
  expect(screen.getByText('must have at least 3 characters')).toBeTruthy();
  await user.type(screen.getByRole('textbox', { name: /limit/ }), '12');
  expect(screen.getByText('must be at most 10')).toBeTruthy();
});

test('an entry of several lines keeps them where it moves to the place of a short one', async () => {
  const { last, user } = show(SCHEMA, { reason: 'because', ids: ['one', 'two\nlines'] });
  await user.click(screen.getByRole('button', { name: 'Move ids 2 up' }));
  await user.type(screen.getByRole('textbox', { name: /ids 1/ }), '!');
  expect(last()).toEqual({ reason: 'because', ids: ['two\nlines!', 'one'] });
});

test('an emptied optional field is omitted', async () => {
  const { last, user } = show(SCHEMA, { reason: 'because', limit: 4 });
  await user.clear(screen.getByRole('textbox', { name: /limit/ }));
  expect(last()).toEqual({ reason: 'because' });
});

test('edits are marked against the original and can be reverted one by one', async () => {
  const { last, user } = show(SCHEMA, { reason: 'because', limit: 4 }, { reason: 'because', limit: 3 });
  expect(screen.getAllByText('edited')).toHaveLength(1);
  await user.click(screen.getByRole('button', { name: 'Reset limit' }));
  expect(last()).toEqual({ reason: 'because', limit: 3 });
  expect(screen.queryByText('edited')).toBeNull();
});

test('entries of a list are added, moved and removed', async () => {
  const { last, user } = show(SCHEMA, { reason: 'because', ids: ['a'] });
  const list = screen.getByRole('group', { name: /ids/ });
  await user.click(within(list).getByRole('button', { name: 'Add an entry' }));
  await user.type(screen.getByRole('textbox', { name: 'ids 2' }), 'b');
  await user.click(screen.getByRole('button', { name: 'Move ids 2 up' }));
  expect(last()).toEqual({ reason: 'because', ids: ['b', 'a'] });
  await user.click(screen.getByRole('button', { name: 'Remove ids 1' }));
  expect(last()).toEqual({ reason: 'because', ids: ['a'] });
});

test('the focus goes to what a button adds', async () => {
  const { last, user } = show({ ...SCHEMA, additionalProperties: { type: 'string' } }, { reason: 'because' });
  await user.click(screen.getByRole('button', { name: 'Add ids' }));
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Add an entry' }));
  await user.keyboard('{Enter}a');
  await user.click(screen.getByRole('button', { name: 'Add a field' }));
  await user.keyboard('note{Enter}b');
  expect(last()).toEqual({ reason: 'because', ids: ['a'], note: 'b' });
});

test('fields outside the schema are shown', () => {
  show(SCHEMA, { reason: 'because', hidden: { deep: true } });
  expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'hidden' }).value).toContain('"deep": true');
});

test('keeps invalid JSON in the field without taking it as the value', async () => {
  const { last, user } = show({ type: 'object', properties: { any: {} } }, { any: [1] });
  const field = screen.getByRole('textbox', { name: 'any' });
  await user.clear(field);
  await user.type(field, '[[2');
  expect(screen.getByText(/Not valid JSON yet/)).toBeTruthy();
  expect(last()).toBeUndefined();
  await user.type(field, ']');
  expect(last()).toEqual({ any: [2] });
  await user.click(screen.getByRole('button', { name: 'Remove any' }));
  expect(last()).toEqual({});
});

test('a reset of a value of several forms shows the form of the original', async () => {
  const schema = { type: 'object', properties: { limit: { oneOf: [{ type: 'integer' }, { type: 'string' }] } } };
  const { last, user } = show(schema, { limit: 3 }, { limit: 3 });
  const form = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Form of limit' });
  await user.selectOptions(form, '1');
  expect(last()).not.toEqual({ limit: 3 });
  expect(form.value).toBe('1');
  await user.click(screen.getAllByRole('button', { name: 'Reset limit' })[1]!);
  expect(last()).toEqual({ limit: 3 });
  expect(form.value).toBe('0');
});

test.each([
  undefined,
  null,
  true,
  'x',
  [],
  { $ref: '#' },
  { $ref: '#/a', a: { $ref: '#/a' } },
  { type: 'object', properties: 7 },
  { oneOf: [] },
  { enum: [] },
])('the schema %j does not make the form fail', (schema) => {
  show(schema, { a: 1 });
  expect(screen.getByRole('group', { name: 'Input' })).toBeTruthy();
});

describe('validation', () => {
  test.each<[unknown, unknown, string[]]>([
    [{ type: 'object', required: ['a'], properties: { a: {} } }, {}, ['a is required']],
    [{ type: ['string', 'null'] }, null, []],
    [{ anyOf: [{ type: 'null' }, { type: 'integer' }] }, null, []],
    [{ type: 'integer' }, 1.5, [' must be a whole number, not 1.5']],
    [{ type: 'integer' }, 2 ** 60, [expect.stringContaining('too large')]] as never,
    [{ type: 'object', additionalProperties: false }, { x: 1 }, ['x is not an accepted field']],
    [{ type: 'array', items: { type: 'number', minimum: 1 } }, [1, 0], ['[1] must be at least 1']],
    [{ oneOf: [{ type: 'string' }, { type: 'number' }] }, true, [' matches none of the accepted forms']],
    [{ allOf: [{ properties: { a: { type: 'string' } } }, { required: ['a'] }], type: 'object', required: [] }, {}, ['a is required']],
    [{ const: { a: 1 } }, { a: 1 }, []],
    [{ type: 'string', format: 'date-time' }, 'soon', [expect.stringContaining('a date and time')]] as never,
  ])('%j with %j', (schema, value, messages) => {
    expect(validateValue(schema as never, value).map(({ path, message }) => `${path} ${message}`)).toEqual(messages);
  });

  test('choices within choices are resolved in bounded time', () => {
    const schema = {
      $defs: { t: { oneOf: Array.from({ length: 8 }, () => ({ type: 'object', properties: { a: { $ref: '#/$defs/t' } } })) } },
      $ref: '#/$defs/t',
    };
    const value: unknown = JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40));
    const started = process.cpuUsage();
    validateValue(schema, value);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(3_000);
  });
});
