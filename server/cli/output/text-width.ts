// Columns a text takes on a terminal, and cutting a text to them.
import { escapeHidden } from './hidden-text.ts';
import { OWN_STYLE } from './style.ts';

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const ZERO = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** Display columns of one line as a Screen prints it, styles aside; wide East Asian characters and emoji count two. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of escapeHidden(text.replace(OWN_STYLE, ''))) {
    if (!ZERO.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

const TAB = 8;

/** Lines by which a terminal of this width moves down while it prints the text from the start of a line. */
export function lineAdvances(text: string, columns: number): number {
  let rows = 0;
  let column = 0;
  for (const character of escapeHidden(text.replace(OWN_STYLE, ''))) {
    const width = character === '\t' ? TAB - (column % TAB) : textWidth(character);
    const breaks = character === '\n' || column + width > columns;
    if (breaks) rows += 1;
    if (character === '\t') column = Math.min(column + width, columns - 1);
    else column = character === '\n' ? 0 : breaks ? width : column + width;
  }
  return rows;
}

/** One line of at most `max` columns: line breaks become spaces, hidden characters are written out, and a cut ends in `…`, or keeps the end of the text behind it. */
export function oneLine(text: string, max: number, keepsEnd = false): string {
  const flat = escapeHidden(text.replace(/[ \t\r\n]+/g, ' ').trim());
  if (textWidth(flat) <= max) return flat;
  const tail = keepsEnd ? [...flat].slice(-Math.floor(max / 3)).join('') : '';
  const room = max - 1 - textWidth(tail);
  let cut = '';
  let width = 0;
  for (const character of flat) {
    width += textWidth(character);
    if (width > room) break;
    cut += character;
  }
  return `${cut.trimEnd()}…${tail}`;
}

export function padRight(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Lines of at most `width` columns, broken at spaces. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let used = Number.NaN;
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const wide = textWidth(word);
    const fits = used + 1 + wide <= width;
    lines.push(fits ? `${lines.pop() ?? ''} ${word}` : word);
    used = fits ? used + 1 + wide : wide;
  }
  return lines;
}
