import type { BundleReview } from '@svc/shared/api/bundles';
import { expect, test } from 'vitest';
import { isBundleName } from './bundle-file.ts';
import { importBlock, importQuery } from './bundle-import.ts';

const review = (standing: 'own' | 'unknown', action: 'created' | 'unchanged' = 'created') =>
  ({ signer: { keyId: 'sha256:0123456789abcdef', standing }, objects: [{ action }] }) as unknown as BundleReview;

test.each([
  [review('own'), '', undefined],
  [review('unknown'), '', 'Enter the key'],
  [review('unknown'), 'sha256:ffffffffffffffff', 'another key'],
  [review('unknown'), ' sha256:0123456789abcdef ', undefined],
  [review('own', 'unchanged'), '', 'Nothing to import'],
])('an import of %o with key %j is blocked: %s', (given, keyId, expected) => {
  const block = importBlock(given, keyId);
  if (expected === undefined) expect(block).toBeUndefined();
  else expect(block).toContain(expected);
});

test('only renamed Secrets are part of the query', () => {
  expect(importQuery({ namespace: 'a', secrets: { same: 'same', theirs: 'ours', empty: '' } }).toString()).toBe(
    'namespace=a&secrets=theirs%3Dours',
  );
  expect(importQuery({ namespace: 'a', secrets: {} }).toString()).toBe('namespace=a');
});

test('a bundle is recognized by its file extension', () => {
  expect(['a.svcbundle', 'A.SVCBUNDLE', 'a.yaml', 'svcbundle'].map(isBundleName)).toEqual([true, true, false, false]);
});
