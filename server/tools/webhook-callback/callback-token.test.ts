import { expect, test } from 'vitest';
import { isTokenOf, newCallbackToken, openTexts, sealTexts, tokenHash } from './callback-token.ts';

test('a token is 256 random bits, of which only the hash is stored', () => {
  const [one, two] = [newCallbackToken(), newCallbackToken()];
  expect(Buffer.from(one, 'base64url')).toHaveLength(32);
  expect(one).not.toBe(two);
  expect([isTokenOf(tokenHash(one), one), isTokenOf(tokenHash(one), two), isTokenOf(tokenHash(one), '')]).toEqual([true, false, false]);
  expect(isTokenOf('not a hash', one)).toBe(false);
});

test('texts open with their token only, and do not show in what is stored', () => {
  const token = newCallbackToken();
  const sealed = sealTexts(['tool-secret', 'ünïcode'], token);
  expect(openTexts(sealed, token)).toEqual(['tool-secret', 'ünïcode']);
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('tool-secret');
  expect(() => openTexts(sealed, newCallbackToken())).toThrow();
  expect(sealTexts(['tool-secret'], token)).not.toBe(sealTexts(['tool-secret'], token));
});
