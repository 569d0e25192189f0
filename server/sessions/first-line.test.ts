import { expect, test } from 'vitest';
import { firstLine } from './first-line.ts';

test.each([
  ['the first line that is not blank', '\n  \n Where is my order?  \nThanks', 'Where is my order?'],
  ['no half of a character', '😀'.repeat(100), `${'😀'.repeat(79)}…`],
  ['no half of a character behind blanks', `${' '.repeat(4_095)}😀`, undefined],
  ['a line of 80 characters whole', 'a'.repeat(80), 'a'.repeat(80)],
  ['nothing of a blank message', ' \r\n\u2028', undefined],
])('gives %s', (_title, content, line) => {
  expect(firstLine(content)).toBe(line);
});
