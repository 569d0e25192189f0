import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ServiceError } from './errors.ts';
import { matchesLabels, parseLabelSelector } from './labels.ts';

describe('a selector', () => {
  test.each([
    ['', []],
    ['  ', []],
    ['a=b', [{ op: 'eq', key: 'a', value: 'b' }]],
    ['a==b', [{ op: 'eq', key: 'a', value: 'b' }]],
    ['a = b', [{ op: 'eq', key: 'a', value: 'b' }]],
    ['a=', [{ op: 'eq', key: 'a', value: '' }]],
    ['a!=b', [{ op: 'neq', key: 'a', value: 'b' }]],
    ['a', [{ op: 'exists', key: 'a' }]],
    ['!a', [{ op: 'missing', key: 'a' }]],
    ['! a', [{ op: 'missing', key: 'a' }]],
    ['in', [{ op: 'exists', key: 'in' }]],
    ['a in (x)', [{ op: 'in', key: 'a', values: ['x'] }]],
    ['a in (x, y,x)', [{ op: 'in', key: 'a', values: ['x', 'y'] }]],
    ['a notin (x,y)', [{ op: 'notin', key: 'a', values: ['x', 'y'] }]],
    ['svc.dev/tier=one-2.3', [{ op: 'eq', key: 'svc.dev/tier', value: 'one-2.3' }]],
  ])('%j is read', (text, requirements) => {
    expect(parseLabelSelector(text)).toEqual(requirements);
  });

  test('has several requirements, with commas inside and between them', () => {
    expect(parseLabelSelector('a=b, c in (d,e), !f').map(({ op }) => op)).toEqual(['eq', 'in', 'missing']);
  });

  test.each([
    ['a comma too many', 'a=b,', '""'],
    ['only a comma', ',', '""'],
    ['no key', '=b', '"=b"'],
    ['two operators', 'a=b=c', '"a=b=c"'],
    ['an open list', 'a in (b', '"a in (b"'],
    ['an empty list', 'a in ()', '"a"'],
    ['an unknown operator', 'a>b', '"a>b"'],
    ['a negated comparison', '!a=b', '"!a=b"'],
    ['a list without operator', 'a (b)', '"a (b)"'],
    ['quotes', 'a="b"', '"a=\\"b\\""'],
    ['a key with a space', 'a b', '"a b"'],
  ])('with %s is refused, and the message shows where', (_, text, shown) => {
    expect(() => parseLabelSelector(text)).toThrow(ServiceError);
    expect(() => parseLabelSelector(text)).toThrow(shown.replaceAll('\\"', '"'));
  });

  test('takes lists of at most 100 values', () => {
    const list = (length: number) => Array.from({ length }, (_, i) => `v${i}`).join(',');
    expect(parseLabelSelector(`a in (${list(100)})`)).toMatchObject([{ op: 'in', key: 'a' }]);
    for (const op of ['in', 'notin'])
      expect(() => parseLabelSelector(`a ${op} (${list(101)})`)).toThrow('lists more than 100 values for "a"');
  });

  test('is refused in time linear in its length when it is far too long', () => {
    expect(() => parseLabelSelector('a=b,'.repeat(100_000))).toThrow('longer than');
    expect(() => parseLabelSelector(`${'('.repeat(2_000)}${','.repeat(2_000)}`)).toThrow(ServiceError);
  });

  test('never fails with another error', () => {
    const pieces = fc.array(fc.constantFrom('a', 'b.c/d', '=', '==', '!=', '!', ' in ', ' notin ', '(', ')', ',', ' ', '"', '__proto__'));
    const property = fc.property(pieces, (parts) => {
      try {
        parseLabelSelector(parts.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
      }
    });
    fc.assert(property);
  });
});

describe('matching', () => {
  const labels = { tier: 'gold', region: 'eu' };

  test.each([
    ['', true],
    ['tier=gold', true],
    ['tier=silver', false],
    ['owner=me', false],
    ['tier!=silver', true],
    ['tier!=gold', false],
    ['owner!=me', true],
    ['tier', true],
    ['owner', false],
    ['!owner', true],
    ['!tier', false],
    ['tier in (silver,gold)', true],
    ['owner in (me)', false],
    ['tier notin (silver)', true],
    ['tier notin (gold)', false],
    ['owner notin (me)', true],
    ['tier=gold,region=eu', true],
    ['tier=gold,region=us', false],
    ['constructor', false],
    ['!toString', true],
  ])('%j gives %s', (text, matches) => {
    expect(matchesLabels(parseLabelSelector(text), labels)).toBe(matches);
  });

  test('a requirement and its negation never agree', () => {
    const key = fc.constantFrom('a', 'b');
    const value = fc.constantFrom('x', 'y');
    const anyLabels = fc.dictionary(key, value);
    const property = fc.property(key, value, anyLabels, (k, v, set) => {
      const holds = (text: string) => matchesLabels(parseLabelSelector(text), set);
      return (
        holds(`${k}=${v}`) !== holds(`${k}!=${v}`) && holds(`${k} in (${v})`) !== holds(`${k} notin (${v})`) && holds(k) !== holds(`!${k}`)
      );
    });
    fc.assert(property);
  });
});
