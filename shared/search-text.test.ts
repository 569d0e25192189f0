// Words of texts and searches, and the places where a search is found, in any script and for any text.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEARCHED_CHARS_MAX, SEARCHED_WORDS_MAX, searchProblem, searchWords, snippetOf, wordsOf } from './search-text.ts';

const found = (text: string, search: string): boolean => {
  const words = wordsOf(text);
  return searchWords(search).every(({ text: wanted, begins }) =>
    words.some((word) => (begins ? word.startsWith(wanted) : word === wanted)),
  );
};

const marked = (text: string, search: string): string[] =>
  (snippetOf({ text }, searchWords(search))?.parts ?? []).filter((part) => part.marked).map((part) => part.text);

describe('words', () => {
  it.each([
    ['Order-ID: a_b v1.2', ['order', 'id', 'a', 'b', 'v1', '2']],
    ['Crème BRÛLÉE naïve', ['creme', 'brulee', 'naive']],
    ['ＡＢＣ ½ ﬁne', ['abc', '1', '2', 'fine']],
    ['請求書 ok', ['請', '求', '書', '請求', '求書', 'ok']],
    ['กข', ['ก', 'ข', 'กข']],
    ['in\u00advoice\u200b, \u202ereversed', ['invoice', 'reversed']],
    ['İstanbul ΣΊΣΥΦΟΣ', ['istanbul', 'σισυφος']],
    ['\ud800 \0 "*()', []],
  ])('are taken from %j', (text, words) => expect(wordsOf(text)).toEqual(words));

  it('end with a bound of characters and of words', () => {
    expect(wordsOf(`${'x '.repeat(SEARCHED_CHARS_MAX / 2)}beyond`)).toEqual(['x']);
    expect(wordsOf(Array.from({ length: 5_000 }, (_, i) => i.toString(36)).join(' '))).toHaveLength(SEARCHED_WORDS_MAX);
    expect(wordsOf('ab'.repeat(8_000))).toEqual(['ab'.repeat(32)]);
  });

  it('are found by themselves, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const word of wordsOf(text)) expect(/^[\p{L}\p{N}\p{M}]+$/u.test(word)).toBe(true);
        if (searchProblem(text) === undefined) expect(found(text, text)).toBe(true);
      }),
    );
  });
});

describe('a search', () => {
  it.each([
    ['Pay the invoices of May', 'may PAY', true],
    ['Pay the invoices of May', 'invoice', true],
    ['Pay the invoices of May', 'invoice may', false],
    ['Résumé', 'resum', true],
    ['東京都の請求書', '請求', true],
    ['東京都の請求書', '京都', true],
    ['東京都の請求書', '東都', false],
  ])('in %j for %j: %s', (text, search, expected) => {
    expect(found(text, search)).toBe(expected);
    expect(marked(text, search).length > 0).toBe(expected || search === 'invoice may');
  });

  it.each([
    ['', 'must hold a letter or a digit'],
    ['"*" (-)', 'must hold a letter or a digit'],
    ['x'.repeat(257), 'must be at most 256 characters'],
    [Array.from({ length: 33 }, (_, i) => `w${i}`).join(' '), 'must be at most 32 words'],
    ['NEAR("a" b, 5) OR c*', undefined],
  ])('for %j has the problem %j', (text, problem) => expect(searchProblem(text)).toBe(problem));
});

describe('a snippet', () => {
  it('shows the text with most words, with whole words marked', () => {
    const words = searchWords('tax inv');
    expect(snippetOf({ error: 'no tax', input: 'the Invoice, with TAX' }, words)).toEqual({
      of: 'input',
      parts: [
        { text: 'the ', marked: false },
        { text: 'Invoice', marked: true },
        { text: ', with ', marked: false },
        { text: 'TAX', marked: true },
      ],
    });
    expect(snippetOf({ input: 'nothing' }, words)).toBeUndefined();
  });

  it('marks characters of scripts without spaces', () => expect(marked('東京都の請求書', '請求書').join('|')).toBe('請求|書'));

  it('divides no character and loses none, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.string({ unit: 'grapheme', maxLength: 10 }), (text, search) => {
        const snippet = snippetOf({ text }, searchWords(search));
        const shown = (snippet?.parts ?? []).map((part) => part.text).join('');
        expect(shown.isWellFormed()).toBe(true);
        expect(text).toContain(shown.replace(/^…|…$/g, ''));
      }),
    );
  });

  it('takes little time for the largest and most repetitive texts', () => {
    const began = process.cpuUsage();
    for (const text of [
      'a'.repeat(100_000),
      'a '.repeat(50_000),
      '請'.repeat(100_000),
      '\u0301'.repeat(100_000),
      '\u202e'.repeat(100_000),
      'ﷺ'.repeat(100_000),
    ])
      for (const search of ['a', 'a a a', '請求 請', 'ﷺ']) snippetOf({ text, other: text }, searchWords(search));
    expect(process.cpuUsage(began).user / 1_000).toBeLessThan(2_000);
  });
});
