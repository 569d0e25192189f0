// Changes of the tool filter.
import { expect, test } from 'vitest';
import { withoutTool, withTool } from './filter-change.ts';

const discovered = ['find', 'fetch', 'drop'];

test('leaving a tool out of a server without a filter names all others', () => {
  expect(withoutTool({ include: undefined, discovered, name: 'drop' })).toEqual(['find', 'fetch']);
  expect(withoutTool({ include: [], discovered, name: 'drop' })).toEqual(['find', 'fetch']);
});

test('leaving a tool out of a filter keeps names that the server does not list now', () => {
  expect(withoutTool({ include: ['find', 'later'], discovered, name: 'find' })).toEqual(['later']);
});

test('the last tool cannot be left out', () => {
  expect(withoutTool({ include: ['find'], discovered, name: 'find' })).toBeUndefined();
});

test('a tool is added once', () => {
  expect(withTool({ include: ['find'], discovered, name: 'drop' })).toEqual(['find', 'drop']);
  expect(withTool({ include: ['find', 'drop'], discovered, name: 'drop' })).toEqual(['find', 'drop']);
});
