// Columns a text takes on a terminal, and cutting a text to them.

// eslint-disable-next-line no-control-regex -- the escape character begins every terminal colour sequence
const ANSI = /\u001b\[[0-9;]*m/g;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const ZERO = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** Display columns of one line, colour sequences aside; wide East Asian characters and emoji count two. */
export function textWidth(text: string): number {
  let width = 0;
  for (const character of text.replace(ANSI, '')) {
    if (!ZERO.test(character)) width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}

/** One line of at most `max` columns: line breaks become spaces, control characters go, and a cut ends in `…`. */
export function oneLine(text: string, max: number): string {
  const flat = text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim();
  if (textWidth(flat) <= max) return flat;
  let cut = '';
  let width = 0;
  for (const character of flat) {
    width += textWidth(character);
    if (width > max - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

/** Text from outside as it may go to a terminal: control characters other than line breaks and tabs are left out. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]/gu, '');
}

/** Control characters, those that turn the direction of a text, and those that take no room; but for the joiners that scripts and emoji need. */
const HIDDEN = /[^\P{Cc}\n\r\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Text that a person decides on: what hides in it is written out. */
export function revealed(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  });
}

export function padRight(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Lines of at most `width` columns, broken at spaces. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(last) + 1 + textWidth(word) <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
