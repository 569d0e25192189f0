import { expect, test } from 'vitest';
import { boundedMemo } from './bounded-memo.ts';

function setup(max: number) {
  const computed: string[] = [];
  const lengthOf = boundedMemo(max, (text) => {
    computed.push(text);
    if (text === 'bad') throw new Error('no value');
    return text === '' ? undefined : text.length;
  });
  return { computed, lengthOf };
}

test('a remembered text is computed once, even where its value is undefined', () => {
  const { computed, lengthOf } = setup(2);
  expect(['', 'abc', '', 'abc'].map(lengthOf)).toEqual([undefined, 3, undefined, 3]);
  expect(computed).toEqual(['', 'abc']);
});

test('a text above the bound replaces the least recently used one alone', () => {
  const { computed, lengthOf } = setup(2);
  ['a', 'b', 'a', 'c', 'a', 'b'].forEach(lengthOf);
  expect(computed).toEqual(['a', 'b', 'c', 'b']);
});

test('a text whose computation throws is computed again', () => {
  const { computed, lengthOf } = setup(2);
  for (const _ of [1, 2]) expect(() => lengthOf('bad')).toThrow('no value');
  expect(computed).toEqual(['bad', 'bad']);
});
