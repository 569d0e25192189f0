import { describe, expect, test } from 'vitest';
import { redact, redactLines } from './redact.ts';

const SECRET = 'pä$$ "w/rd"\\+7';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const lower = (text: string) => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());

describe('no writing of a secret is left', () => {
  test.each<[string, string]>([
    ['plain', `a ${SECRET} b`],
    ['JSON', JSON.stringify({ a: SECRET })],
    ['JSON in JSON', JSON.stringify({ a: JSON.stringify({ b: SECRET }) })],
    ['JSON in ASCII', '"p\\u00e4$$ \\"w/rd\\"\\\\+7"'],
    ['JSON with escaped slashes', JSON.stringify(SECRET).replaceAll('/', '\\/')],
    ['a path', encodeURIComponent(SECRET)],
    ['a path, lower case', lower(encodeURIComponent(SECRET))],
    ['a form', new URLSearchParams({ a: SECRET }).toString()],
    ['a form, lower case', lower(new URLSearchParams({ a: SECRET }).toString())],
    ['base64', base64(SECRET)],
    ['base64 without padding', base64(SECRET).replace(/=+$/, '')],
    ['base64url', Buffer.from(SECRET).toString('base64url')],
  ])('%s', (_, text) => expect(redact(text, [SECRET])).toMatch(/^[^pä$w%/+]*\*\*\*[^pä$w%/+]*$/u));

  test.each(['', 'x', 'xy', 'xyz', 'Bearer ', 'user:'])('base64 behind "%s"', (before) => {
    for (const after of ['', '!', '!!', ' and more']) {
      const text = redact(base64(`${before}${SECRET}${after}`), [SECRET]);
      expect(text).toContain('***');
      // At most the edges of the secret are left.
      const left = Buffer.from(text.replace('***', ''), 'base64').toString('latin1');
      expect(left).not.toMatch(/\$\$|rd|w\//);
    }
  });
});

test('removes the longest of nested secrets first, and changes nothing else', () => {
  expect(redact('token-1234 and token-1234-long', ['token-1234', 'token-1234-long'])).toBe('*** and ***');
  expect(redact('nothing here', ['token-1234'])).toBe('nothing here');
});

test('removes the long lines of a secret, with a prefix and in JSON', () => {
  const [first, second] = ['MIIEvQIBADANBgkqhkiG', '"quoted": "line of a key"'];
  const secret = `-----BEGIN PRIVATE KEY-----\n${first}\n${second}\nenabled: true\n`;
  expect(redact(`1| ${first}\n2| ${second}\n${JSON.stringify(second)}\nenabled: true`, [secret])).toBe(
    '1| ***\n2| ***\n"***"\nenabled: true',
  );
});

test('removes the lines of a secret from the output of a program, including a secret added to the set later', () => {
  const secrets = new Set(['-----BEGIN-----\r\nline-one-1234\n  line-two-5678\n==\n-----END-----']);
  expect(redactLines('1| line-one-1234\n2| line-two-5678\n3| ==', secrets)).toBe('1| ***\n2| ***\n3| ==');
  expect(redactLines('token-1234', secrets)).toBe('token-1234');
  secrets.add('token-1234');
  expect(redactLines(`token-1234 ${encodeURIComponent('line-one-1234')}`, secrets)).toBe('*** ***');
});

test('values too short to be secrets stay: they would match by chance', () => {
  expect(redact('a b1 abc', ['b1', 'a', ''])).toBe('a b1 abc');
});

test('a megabyte is quickly searched', () => {
  const text = 'token-123'.repeat(120_000);
  const began = process.cpuUsage();
  expect(redact(text, ['token-1234', 'another-secret', 'and-one-more'])).toBe(text);
  expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
});
