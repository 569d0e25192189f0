// Where a redirect leads, with which method, and what of the first request goes with it.
import { expect, it } from 'vitest';
import { nextHop, type Hop } from './redirects.ts';

const first: Hop = {
  method: 'POST',
  url: new URL('https://api.example/v1/pay?a=1'),
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer of the caller', 'X-Trace': '1' },
  credentials: { authorization: 'Bearer secret' },
  body: '{}',
};

it.each([
  [301, 'GET', undefined],
  [302, 'GET', undefined],
  [303, 'GET', undefined],
  [307, 'POST', '{}'],
  [308, 'POST', '{}'],
] as const)('a POST answered with %i becomes a %s with the body %s', (status, method, body) => {
  const next = nextHop(first, status, '/v2/pay');
  const headers = body === undefined ? { Authorization: 'Bearer of the caller', 'X-Trace': '1' } : first.headers;
  expect(next).toEqual({
    kind: 'hop',
    hop: { method, url: new URL('https://api.example/v2/pay'), headers, credentials: first.credentials, body },
  });
});

it('a GET keeps its headers', () => {
  const hop: Hop = { ...first, method: 'GET', body: undefined };
  expect(nextHop(hop, 302, '?a=2')).toEqual({ kind: 'hop', hop: { ...hop, url: new URL('https://api.example/v1/pay?a=2') } });
});

it.each(['https://other.example/v1/pay', 'https://api.example:8443/v1/pay', '//api.example.evil.example/'])(
  'credentials do not go to %s',
  (location) => {
    const next = nextHop(first, 307, location);
    expect(next).toMatchObject({ kind: 'hop', hop: { credentials: {}, body: '{}' } });
    expect(JSON.stringify(next)).not.toMatch(/secret|of the caller/);
  },
);

it.each([
  ['http://api.example/', 'from https to http'],
  ['ftp://api.example/', 'its scheme is ftp'],
  ['https://user:pass@api.example/', 'it carries credentials'],
  ['https://user@api.example/', 'it carries credentials'],
  ['https://[', 'is not a URL'],
])('a redirect to %s is refused', (location, why) => {
  expect(nextHop(first, 302, location)).toEqual({ kind: 'refused', why: expect.stringContaining(why) as string });
});

it.each([
  [200, '/elsewhere'],
  [304, '/elsewhere'],
  [302, undefined],
])('an answer with status %i and the location %s is no redirect', (status, location) => {
  expect(nextHop(first, status, location)).toEqual({ kind: 'none' });
});
