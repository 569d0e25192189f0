// Field selectors as text and against resources.
import { expect, test } from 'vitest';
import { matchesFields, parseFieldSelector } from './field-selector.ts';

test('parses equality and inequality with spaces around them', () => {
  expect(parseFieldSelector(' status.phase = Running , spec.system!=a,x==')).toEqual([
    { path: 'status.phase', op: 'eq', value: 'Running' },
    { path: 'spec.system', op: 'neq', value: 'a' },
    { path: 'x', op: 'eq', value: '' },
  ]);
});

test.each(['', 'status.phase', 'a=b,', '=b', 'a b=c'])('refuses the selector %j by the name of its parameter', (text) => {
  expect(() => parseFieldSelector(text)).toThrow('fieldSelector must be requirements such as status.phase=Running');
});

test('takes no longer for spaces within a long value', () => {
  const value = `b${' '.repeat(200_000)}c`;
  const began = process.cpuUsage();
  expect(parseFieldSelector(`a = ${value} `)).toEqual([{ path: 'a', op: 'eq', value }]);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
});

test.each([
  ['status.phase=Running', true],
  ['status.phase!=Running', false],
  ['status.phase=Failed', false],
  ['status.reason!=x', true],
  ['status.reason=x', false],
  ['status.phase.deeper=x', false],
  ['status.phase=Running,spec.system=b', false],
])('selector %s selects the resource: %s', (selector, selected) => {
  const resource = { status: { phase: 'Running' }, spec: { system: 'a' } };
  expect(matchesFields(parseFieldSelector(selector), resource)).toBe(selected);
});
