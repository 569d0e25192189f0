// The text that decisions are signed over is RFC 8785's: another implementation of it gets the same bytes.
import { expect, test } from 'vitest';
import { decisionText } from './decision-record.ts';
import { canonicalJson } from './json.ts';

test.each<[string, string]>([
  ['333333333.33333329', '333333333.3333333'],
  ['1E30', '1e+30'],
  ['4.50', '4.5'],
  ['2e-3', '0.002'],
  ['0.000000000000000000000000001', '1e-27'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['5e-324', '5e-324'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ['9007199254740992', '9007199254740992'],
  ['295147905179352830000', '295147905179352830000'],
  ['9.999999999999997e22', '9.999999999999997e+22'],
  ['1e23', '1e+23'],
  ['999999999999999700000', '999999999999999700000'],
  ['1e21', '1e+21'],
  ['0.000001', '0.000001'],
])('the number %s is written as RFC 8785 says', (given, written) => {
  expect(canonicalJson(JSON.parse(given))).toBe(written);
});

test('texts are escaped as little as RFC 8785 allows', () => {
  expect(canonicalJson('\u20ac$\u000f\nA\'B"\\"/\u2028\u007f')).toBe('"\u20ac$\\u000f\\nA\'B\\"\\\\\\"/\u2028\u007f"');
});

test('members are ordered by their UTF-16 code units, at every depth', () => {
  const given = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': { b: 1, a: [{ d: 0, c: 0 }] } };
  expect(canonicalJson(given)).toBe(
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":{"a":[{"c":0,"d":0}],"b":1},"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
  );
});

test('the signed text is the whole record but its hash and signature', () => {
  expect(decisionText({ signature: 's', seq: 1, hash: 'h', input: { hash: 'kept' } })).toBe('{"input":{"hash":"kept"},"seq":1}');
});
