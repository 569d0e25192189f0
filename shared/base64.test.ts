import { expect, test } from 'vitest';
import fc from 'fast-check';
import { isBase64 } from './base64.ts';

test('accepts what an encoder writes', () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 64 });
  fc.assert(fc.property(bytes, (value) => isBase64(Buffer.from(value).toString('base64'))));
});

test.each([
  ['nothing', ''],
  ['missing padding', 'AAA'],
  ['the URL alphabet', 'AA-_'],
  ['padding inside', 'AA=A'],
  ['padding only', '===='],
  ['three paddings', 'A==='],
  ['a line break', 'AAA\n'],
  ['blanks', 'AA A'],
])('refuses %s', (_, text) => {
  expect(isBase64(text)).toBe(false);
});

test('takes linear time on megabytes', () => {
  expect(isBase64('A'.repeat(4_000_000))).toBe(true);
  expect(isBase64(`${'A'.repeat(4_000_000)}=AA=`)).toBe(false);
});
