import { describe, expect, test } from 'vitest';
import { describeRoutes } from './http/route-table.ts';
import { basePathProblem, OWN_SEGMENTS, withoutBasePath } from './base-path.ts';

describe('a path prefix', () => {
  test.each(['', '/svc', '/tools/agents', '/a.b/c-d_e~f'])('%j is good', (path) => {
    expect(basePathProblem(path)).toBeUndefined();
  });

  test.each([
    'svc',
    '/',
    '/svc/',
    '//svc',
    '/a//b',
    '/..',
    '/a/../b',
    '/.',
    '/.hidden',
    '/a b',
    '/%2e%2e',
    '/a?b',
    '/a#b',
    '/ä',
    '/a"b',
    '/a;b',
  ])('%j is refused for its form', (path) => {
    expect(basePathProblem(path)).toMatch(/^be a path such as \/svc/);
  });

  test('longer than 200 characters is refused', () => {
    expect(basePathProblem(`/${'x'.repeat(200)}`)).toMatch(/at most 200/);
  });

  test('begins with no path of the server itself', () => {
    const segments = new Set(describeRoutes().map(({ path }) => path.split('/', 2)[1] ?? ''));
    expect([...segments].filter((segment) => !OWN_SEGMENTS.has(segment))).toEqual([]);
    expect(basePathProblem('/v1/svc')).toBe('not begin with /v1, which is a path of the server itself');
  });
});

describe('a request target', () => {
  test.each([
    ['/svc/v1/agents?limit=1', '/v1/agents?limit=1'],
    ['/svc/', '/'],
    ['/svc', '/'],
    ['/svc?a=/svc', '/?a=/svc'],
    ['/svc/svc/x', '/svc/x'],
    ['http://host:8080/svc/v1/agents', 'http://host:8080/v1/agents'],
    ['HTTPS://host/svc', 'HTTPS://host/'],
  ])('%s loses its prefix', (url, rest) => {
    expect(withoutBasePath(url, '/svc')).toBe(rest);
  });

  test.each(['/v1/agents', '/', '/svcx', '/SVC/v1', '//svc/v1', '/x/svc/v1', '/%73vc/v1', '/./svc/v1', '*', 'host:443', 'http://host/v1'])(
    '%s stays as it is',
    (url) => {
      expect(withoutBasePath(url, '/svc')).toBe(url);
    },
  );

  test('stays as it is without a prefix', () => {
    expect(withoutBasePath('/svc/x', '')).toBe('/svc/x');
  });
});
