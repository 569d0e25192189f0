// Rules of Secrets that no fixture can hold.
import { expect, test } from 'vitest';
import { normalizeSecret, validateSecret } from './rules.ts';

const problems = (value: string) => validateSecret(normalizeSecret({ stringData: { key: value } }));

test('refuses a text that UTF-8 cannot hold', () => {
  expect(problems('a\ud800b')).toEqual([
    { path: 'spec.stringData.key', message: 'must not hold an unpaired surrogate; use data for other bytes than text' },
  ]);
  expect(problems('😀')).toEqual([]);
});
