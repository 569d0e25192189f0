// Suggestions for mistyped words.
import { expect, test } from 'vitest';
import { didYouMean, nearestWord } from './nearest-word.ts';

const FIELDS = ['model_ref', 'prompt', 'tools', 'limits', 'allowPrivate'];

test.each([
  ['promt', 'prompt'],
  ['pormpt', 'prompt'],
  ['modelref', 'model_ref'],
  ['Model-Ref', 'model_ref'],
  ['allowprivate', 'allowPrivate'],
  ['lim', 'limits'],
  ['colour', undefined],
  ['x', undefined],
  ['', undefined],
  ['p'.repeat(10_000), undefined],
])('a mistyped "%s" suggests %s', (word, near) => {
  expect(nearestWord(word, FIELDS)).toBe(near);
});

test('a suggestion ends a sentence, and is absent when nothing is near', () => {
  expect([didYouMean('promt', FIELDS), didYouMean('colour', FIELDS), didYouMean('prompt', FIELDS)]).toEqual([
    '; did you mean "prompt"?',
    '',
    '',
  ]);
});
