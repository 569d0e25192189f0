// Tables as text: alignment with wide characters and colours, cut cells, wrapped prose.
import { describe, expect, it } from 'vitest';
import { fieldLines, fittedLines } from './table.ts';
import { escapeHidden } from './hidden-text.ts';
import { safeText } from './screen.ts';
import { createStyle } from './style.ts';
import { oneLine, textWidth, wrapped } from './text-width.ts';

const tableLines = (header: readonly string[], rows: readonly (readonly string[])[]) =>
  fittedLines(header, rows, { columns: undefined, drop: [], style: { header: (text) => text } }).lines;

describe('a whole table', () => {
  it('aligns columns on the widest cell and pads no last column', () => {
    expect(
      tableLines(
        ['NAME', 'PHASE', 'AGE'],
        [
          ['a', 'Running', '5m'],
          ['long-name', 'Ok', '12s'],
        ],
      ),
    ).toEqual(['NAME        PHASE     AGE', 'a           Running   5m', 'long-name   Ok        12s']);
  });

  it('stays aligned over wide characters and colour sequences', () => {
    const lines = tableLines(
      ['A', 'B'],
      [
        ['日本', 'x'],
        [createStyle(true).good('ab'), 'y'],
      ],
    );
    expect(lines.map(safeText)).toEqual(['A      B', '日本   x', '\u001b[32mab\u001b[39m     y']);
  });

  it('prints the header alone when there are no rows', () => {
    expect(tableLines(['NAME', 'AGE'], [])).toEqual(['NAME   AGE']);
  });
});

describe('a fitted table', () => {
  const header = ['NAME', 'MODEL', 'ADDRESS', 'AGE'];
  const row = ['a-name-that-stays-whole', 'm'.repeat(40), 'a'.repeat(20), '5m'];
  const fitted = (columns: number | undefined, drop: readonly string[] = []) =>
    fittedLines(header, [row], { columns, drop, style: { header: (text) => text } });

  it('cuts the widest column until the table fits', () => {
    const { lines, dropped } = fitted(80);
    expect([lines[1], dropped]).toEqual([`${row[0]}   ${'m'.repeat(24)}…   ${row[2]}   5m`, []]);
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(80);
  });

  it('is left whole where it fits, and without a terminal', () => {
    for (const columns of [200, undefined]) expect(fitted(columns).lines[1]).toBe(row.join('   '));
  });

  it('leaves columns out in their order and names them before it cuts the name', () => {
    expect(fitted(48, ['ADDRESS', 'MODEL'])).toMatchObject({
      lines: ['NAME                      MODEL              AGE', `${row[0]}   mmmmmmmmmmmmmmm…   5m`],
      dropped: ['ADDRESS'],
    });
    expect(fitted(20, ['ADDRESS', 'MODEL'])).toMatchObject({
      lines: [expect.any(String), 'a-name-th…hole   5m'],
      dropped: ['MODEL', 'ADDRESS'],
    });
  });

  it('cuts a cell whose stored text looks like a style', () => {
    const { lines } = fittedLines(['A', 'B'], [['a', '\u001b[31m'.repeat(10)]], {
      columns: 30,
      drop: [],
      style: { header: (text) => text },
    });
    expect(textWidth(lines[1] ?? '')).toBeLessThanOrEqual(30);
  });
});

describe('fieldLines', () => {
  it('puts values in one column', () => {
    expect(
      fieldLines([
        ['Name', 'a'],
        ['Namespace', 'b'],
      ]),
    ).toEqual(['Name:        a', 'Namespace:   b']);
  });
});

describe('text', () => {
  it('counts display columns, not code units', () => {
    expect([textWidth('abc'), textWidth('日本'), textWidth('é'), textWidth('e\u0301'), textWidth('👍')]).toEqual([3, 4, 1, 1, 2]);
  });

  it('becomes one line with hidden characters written out, cut with an ellipsis', () => {
    expect(oneLine('a\n b\t\u001b[31mc', 20)).toBe('a b \\u001b[31mc');
    expect(oneLine('abcdefgh', 5)).toBe('abcd…');
    expect(oneLine('abcde', 5)).toBe('abcde');
    expect(textWidth(oneLine('日本日本日本', 6))).toBeLessThanOrEqual(6);
  });

  it('counts hidden characters by the width of their escapes', () => {
    expect([textWidth('\u202e'), textWidth('\u001b[31m'), textWidth(createStyle(true).bad('ab'))]).toEqual([6, 10, 2]);
  });

  it('makes invisible and reordering characters visible', () => {
    expect(escapeHidden('pay \u202eeno\u202c, to\u200bday\ufeff')).toBe('pay \\u202eeno\\u202c, to\\u200bday\\ufeff');
    expect(escapeHidden('\u001b[2J\u009b1m a\u{e0041}')).toBe('\\u001b[2J\\u009b1m a\\udb40\\udc41');
    expect(escapeHidden('a\tb\r\nc\rd\u2028e\u00adf')).toBe('a\tb\nc\\u000dd\\u2028e\\u00adf');
  });

  it('leaves joiners where emoji and scripts need them and shows them elsewhere', () => {
    for (const plain of ['👨\u200d👩', '❤\ufe0f', '1\ufe0f\u20e3', 'می\u200cخواهم', 'क्\u200dष', 'naïve שלום'])
      expect(escapeHidden(plain)).toBe(plain);
    expect(escapeHidden('pay\u200dpal a\ufe00 👨\u200d\u200d')).toBe('pay\\u200dpal a\\ufe00 👨\u200d\\u200d');
  });

  it('keeps a style sequence that only stored text holds from the terminal', () => {
    expect(safeText(`${createStyle(true).good('\u001b[31mx')}\u001b[1;31my`)).toBe('\u001b[32m\\u001b[31mx\u001b[39m\\u001b[1;31my');
  });

  it('wraps at spaces and leaves long words whole', () => {
    expect(wrapped('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapped('incomprehensible', 5)).toEqual(['incomprehensible']);
    expect(wrapped('', 5)).toEqual([]);
    const long = 'word '.repeat(50_000).trim();
    expect(wrapped(long, Number.POSITIVE_INFINITY)).toEqual([long]);
  });
});
