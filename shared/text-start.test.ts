// Starts of texts that end at a pair of surrogates.
import { expect, test } from 'vitest';
import { textStart } from './text-start.ts';

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'longe'],
  ['ab😀', 4, 'ab😀'],
  ['ab😀', 3, 'ab'],
  ['😀', 1, ''],
  ['', 3, ''],
])('the start of %j with %i characters is %j', (text, max, start) => {
  expect(textStart(text, max)).toBe(start);
});
