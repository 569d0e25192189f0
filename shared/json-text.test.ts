import { expect, test } from 'vitest';
import { passedLimit } from './json-text.ts';

const limits = { values: 10, depth: 3 };

test.each([
  ['', undefined],
  ['[1,2,3,4,5,6,7,8]', undefined],
  ['[1,2,3,4,5,6,7,8,9,10]', 'values'],
  ['{"a":1,"b":2,"c":[1,2,3],"d":{},"e":{}}', 'values'],
  ['[[[1]]]', undefined],
  ['[[[[1]]]]', 'depth'],
  ['"[[[[[[[[[[[[,,,,,,,,,,,,"', undefined],
  ['"\\"[[[[[[[[[[[[,,,,,,,,,,,,"', undefined],
  ['"\\\\",[[[[', 'depth'],
  ['[],[],[],[]', undefined],
  ['[[[[', 'depth'],
])('%s passes the limit: %s', (text, limit) => expect(passedLimit(text, limits)).toBe(limit));

test('a text of 4 MiB is measured at once', () => {
  const began = process.cpuUsage();
  expect(passedLimit(`"${'\\"'.repeat(2_000_000)}"`, limits)).toBeUndefined();
  expect(passedLimit('['.repeat(4_000_000), limits)).toBe('depth');
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(500);
});
