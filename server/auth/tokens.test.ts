import { describe, expect, test } from 'vitest';
import { digestOf, findEnvToken, generateToken, readEnvTokens, shortTokenProblems } from './tokens.ts';

const identities = (apiTokens: string, apiKey?: string) => readEnvTokens({ apiTokens, apiKey }).map((token) => token.identity);

describe('readEnvTokens', () => {
  test('reads all forms', () => {
    expect(identities('ci:abc:writer, legacy:reader ,bot:xyz:a2a:team-a/sys|other')).toEqual([
      { method: 'bearer', name: 'ci', role: 'writer' },
      { method: 'bearer', name: 'token-2', role: 'reader' },
      { method: 'bearer', name: 'bot', role: 'a2a', a2aAgentSystems: ['team-a/sys', 'other'] },
    ]);
  });

  test('takes the single token as admin, and only when the list is empty', () => {
    expect(identities('', 'one')).toEqual([{ method: 'bearer', name: 'api-token', role: 'admin' }]);
    expect(identities('ci:abc:reader', 'one')).toEqual([{ method: 'bearer', name: 'ci', role: 'reader' }]);
    expect(readEnvTokens({})).toEqual([]);
  });

  test.each([
    'a:s3cret:reader,s3cret',
    'a:s3cret:reader,b:s3cret2:root',
    'a:s3cret:reader,b::reader',
    'a:s3cret:reader,',
    'a:s3cret:reader,b:s3cret2:a2a',
    'a:s3cret:reader,b:s3cret2:a2a:',
    'a:s3cret:reader,b:s3cret2:reader:sys',
    'a:s3cret:reader,b:s3cret2:a2a:x/y/z',
    'a:s3cret:reader,b:s3c ret:reader',
    'a:s3cret:reader,-b:s3cret2:reader',
    'a:s3cret:reader,a:s3cret2:reader',
    'a:s3cret:reader,b:s3cret:reader',
  ])('names the position and never the token of a malformed entry: %s', (list) => {
    expect(() => identities(list)).toThrow(/entry 2/);
    expect(() => identities(list)).not.toThrow(/s3c/);
  });
});

test('findEnvToken matches whole tokens only', () => {
  const tokens = readEnvTokens({ apiTokens: 'a:secret:reader,b:secret2:writer' });
  expect(findEnvToken(tokens, digestOf('secret2'))?.identity.name).toBe('b');
  expect(findEnvToken(tokens, digestOf('secre'))).toBeUndefined();
});

test('generateToken makes 256 random bits that a header can carry', () => {
  const token = generateToken();
  expect(token).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
  expect(generateToken()).not.toBe(token);
});

describe('shortTokenProblems', () => {
  const long = 'x'.repeat(20);

  test('names each entry with a token of fewer than 20 characters and shows no token', () => {
    const problems = shortTokenProblems({ apiTokens: `ops:${long}:admin, ci:${'s3cret'.repeat(3)}:writer,hush:reader`, apiKey: 'unused' });
    expect(problems).toEqual([
      expect.stringMatching(/^SVC_API_TOKENS: entry 2 \(ci\) has a token of fewer than 20 characters; make one with/),
      expect.stringMatching(/^SVC_API_TOKENS: entry 3 \(token-3\) has/),
    ]);
    expect(problems.join()).not.toMatch(/s3cret|hush/);
  });

  test.each([
    [{ apiKey: 'root' }, ['SVC_API_TOKEN has a token of fewer than 20 characters; make one with "openssl rand -hex 32"']],
    [{ apiKey: ` ${'x'.repeat(19)} ` }, [expect.stringContaining('SVC_API_TOKEN has')]],
    [{ apiKey: long }, []],
    [{ apiTokens: `${long}:admin` }, []],
    [{}, []],
  ])('judges %j', (config, problems) => expect(shortTokenProblems(config)).toEqual(problems));
});
