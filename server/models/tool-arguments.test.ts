import { expect, test } from 'vitest';
import { argumentsObject, argumentsText } from './tool-arguments.ts';

const DEEP = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
const WIDE = `{"a":[${'1,'.repeat(100_000)}1]}`;

test.each(['{"a":1.0, "n":12345678901234567890}', '{}'])('%s goes back exactly as written', (text) => {
  expect(argumentsText(text)).toBe(text);
  expect(argumentsObject(text)).toEqual(JSON.parse(text));
});

test.each(['{"a":', '[1]', '"text"', 'null', '', DEEP, WIDE])('wraps arguments that are not an object of limited size', (text) => {
  const held = { unreadable_arguments: text };
  expect(argumentsObject(text)).toEqual(held);
  expect(JSON.parse(argumentsText(text))).toEqual(held);
});
