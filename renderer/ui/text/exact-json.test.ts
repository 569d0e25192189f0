import { expect, test } from 'vitest';
import { fieldTexts, readExactJson } from './exact-json.ts';

test('fields are texts with numbers as they are written', () => {
  const text = '{"a":1.10,"b":[12345678901234567890,"#1"],"c":"#2","d":"say \\"3\\"","e":{"4":-1e-7},"f":null}';
  expect(fieldTexts(text)).toEqual({
    ...{ a: '1.10', b: '[12345678901234567890,"#1"]', c: '#2', d: 'say "3"', e: '{"4":-1e-7}', f: 'null' },
  });
  expect(['5', '[1]'].map(fieldTexts)).toEqual([undefined, undefined]);
  expect(() => fieldTexts('{')).toThrow();
});

test('a text whose number would change has no value', () => {
  expect(readExactJson('{"id":12345678901234567890}')).toBeUndefined();
  expect(readExactJson('{"id":"12345678901234567890","n":1.50}')).toEqual({ id: '12345678901234567890', n: 1.5 });
  expect(readExactJson('{')).toBeUndefined();
});
