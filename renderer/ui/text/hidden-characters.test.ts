import { describe, expect, test } from 'vitest';
import { countHidden, piecesOf } from './hidden-characters.ts';

const shown = (text: string) =>
  piecesOf(text)
    .map((piece) => (piece.hidden === undefined ? piece.text : `‹${piece.label}›`))
    .join('');

describe('hidden characters are shown by their label', () => {
  test.each([
    ['a right-to-left override', 'rm \u202egpj.exe', 'rm ‹RLO›gpj.exe'],
    ['an isolate', '\u2066x\u2069', '‹LRI›x‹PDI›'],
    ['a zero-width space', 'pay\u200bpal', 'pay‹ZWSP›pal'],
    ['a byte order mark', '\ufeffx', '‹BOM›x'],
    ['colours of a terminal', '\u001b[31mred\u001b[0m', '‹ESC[31m›red‹ESC[0m›'],
    ['the title of a terminal', '\u001b]0;owned\u0007x', '‹ESC]0;ownedU+0007›x'],
    ['an escape on its own', 'a\u001b', 'a‹ESC›'],
    ['a backspace', 'safe\b\b', 'safe‹BS›‹BS›'],
    ['a lone carriage return, which overwrites a line', 'bad\rgood', 'bad‹CR›good'],
    ['a control of the second block', 'x\u0085', 'x‹U+0085›'],
    ['a no-break space', 'a\u00a0b', 'a‹NBSP›b'],
    ['text in tag characters', `a${String.fromCodePoint(0xe0041)}`, 'a‹TAG A›'],
    ['a filler that looks like nothing', 'x\u3164', 'x‹HF›'],
    ['a pattern of no dots', 'x\u2800', 'x‹BRBL›'],
    ['a selector after a letter', 'a\ufe0f', 'a‹VS16›'],
  ])('%s', (_, text, expected) => expect(shown(text)).toBe(expected));
});

test.each([
  ['new lines and tabs', 'a\n\tb\r\nc'],
  ['other scripts', 'שלום مرحبا 你好 ñ'],
  ['emoji that are written with joiners', '👩‍👩‍👧 ❤️ 👍🏽 1️⃣'],
])('%s hide nothing', (_, text) => expect(countHidden(text)).toBe(0));

test('the joined pieces equal the text', () => {
  const text = 'a\u202eb\u001b[1mc\u200b\u200dd\u0000';
  expect(
    piecesOf(text)
      .map((piece) => piece.text)
      .join(''),
  ).toBe(text);
});

test('an endless escape costs no more than its length', () => {
  const text = '\u001b]'.repeat(20_000);
  const started = process.cpuUsage();
  expect(countHidden(text)).toBeGreaterThan(0);
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
});
