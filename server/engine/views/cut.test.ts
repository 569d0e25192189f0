// Texts of records around their limit, and far beyond it.
import { expect, onTestFinished, test, vi } from 'vitest';
import { RECORD_TEXT_MAX_BYTES } from '../core/limits.ts';
import { cutText } from './cut.ts';

const MAX = RECORD_TEXT_MAX_BYTES;

test.each<[string, string, string]>([
  ['a text of the limit', 'x'.repeat(MAX), 'x'.repeat(MAX)],
  ['one character more', 'x'.repeat(MAX + 1), 'x'.repeat(MAX)],
  ['characters of two bytes', 'ä'.repeat(MAX), 'ä'.repeat(MAX / 2)],
  ['a character across the limit', `${'x'.repeat(MAX - 1)}🌊`, 'x'.repeat(MAX - 1)],
  ['a surrogate pair across the limit in characters', `${'x'.repeat(MAX - 1)}🌊🌊`, 'x'.repeat(MAX - 1)],
  ['an accent across the limit', `${'ä'.repeat(MAX / 2 - 1)}x€`, `${'ä'.repeat(MAX / 2 - 1)}x`],
])('keeps 64 KiB of whole characters of %s', (_, text, kept) => {
  expect(cutText(text)).toEqual({ text: kept, truncated: kept !== text });
});

test('encodes no more of a long text than it keeps', () => {
  const encoded = [vi.spyOn(Buffer, 'from'), vi.spyOn(Buffer, 'byteLength')];
  onTestFinished(() => encoded.forEach((each) => each.mockRestore()));
  cutText('x'.repeat(16 * MAX));
  expect(encoded.flatMap(({ mock }) => mock.calls.map(([given]) => String(given).length))).toEqual([MAX]);
});

test('takes no longer for a text of replacement characters', () => {
  const began = process.cpuUsage();
  for (let n = 0; n < 20; n += 1) cutText(`${'\uFFFD'.repeat(MAX / 3 - 1)}x${'y'.repeat(MAX)}`);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
});
