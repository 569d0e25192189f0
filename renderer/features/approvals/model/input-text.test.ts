// Inputs as agents write them, broken and hostile ones too.
import { expect, test } from 'vitest';
import { countHiddenIn } from '../decision/hidden-in-json.ts';
import { readInput } from './input-text.ts';

test('an endlessly nested input is unreadable, and breaks no page', () => {
  const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
  expect(readInput(deep)).toEqual({ kind: 'invalid', problem: 'It is nested deeper than 200 levels.' });
});

test('brackets in strings are not nesting', () => {
  const read = readInput(JSON.stringify({ a: `\\"${'[{'.repeat(500)}` }));
  expect(read.kind).toBe('object');
  expect('value' in read && countHiddenIn(read.value)).toBe(0);
});

test.each([
  ['', 'empty'],
  ['[1]', 'other'],
  ['{"a":1', 'invalid'],
  ['{"__proto__":{"a":1}}', 'object'],
])('%j is %s', (text, kind) => expect(readInput(text).kind).toBe(kind));
