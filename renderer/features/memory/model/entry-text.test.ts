import { expect, test } from 'vitest';
import { jsonOf, scoreText } from './entry-text.ts';

test.each([
  ['{"a":1}', { value: { a: 1 } }],
  [' [1]', { value: [1] }],
  ['{"a":', undefined],
  ['42', undefined],
  ['plain', undefined],
])('%s is read as JSON where it is an object or a list', (text, expected) => {
  expect(jsonOf(text)).toEqual(expected);
});

test('scores have three significant digits', () => {
  expect([0.123456, 12.3456, 1, 0].map(scoreText)).toEqual(['0.123', '12.3', '1', '0']);
});
