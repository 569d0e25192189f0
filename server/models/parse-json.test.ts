// Answers of hostile model servers are refused before they are parsed.
import { expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

const MIB = 1024 * 1024;
const list = (item: string, count: number) => `{"choices":[${Array.from({ length: count }, () => item).join(',')}]}`;

test.each([
  ['8 million nested lists', `{"a":${'['.repeat(8 * MIB)}`],
  ['5 million empty objects', list('{}', 5 * MIB)],
  ['101,000 keys', `{${Array.from({ length: 101_000 }, (_, n) => `"${n}":0`).join(',')}}`],
  ['101,000 levels', `${'{"a":'.repeat(101_000)}1${'}'.repeat(101_000)}`],
])('an answer with %s is refused', (_title, text) => {
  expect(parseJson(text)).toBeUndefined();
});

test.each([
  ['90,000 values', list('1', 90_000)],
  ['a text of 15 MiB with brackets', JSON.stringify({ content: '['.repeat(15 * MIB) })],
])('an answer with %s is read', (_title, text) => {
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

test('an answer with more values is read when the caller expects them', () => {
  expect(parseJson(list('0.25', 200_000), 2_000_000)).toBeDefined();
});
