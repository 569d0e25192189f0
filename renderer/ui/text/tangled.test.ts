// Texts that the Markdown parser would take seconds or minutes for, and real documents.
import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isTangled } from './tangled.ts';

const marks = '*a_ '.repeat(2_000);
const code = `${'a[i] = *b_ & c;\n'.repeat(5_000)}`;

test.each([
  ['emphasis that never ends', marks],
  ['emphasis over many lines', marks.replaceAll(' ', '\n')],
  ['emphasis after carriage returns', marks.replaceAll(' ', '\r')],
  ['emphasis in many paragraphs', `${'*a_ '.repeat(300)}\n\n`.repeat(30)],
  ['links', '[a]('.repeat(2_000)],
  ['strikethrough', '~~a~'.repeat(2_000)],
  ['lines that only look like items', '2. *a_ *a_\n'.repeat(1_000)],
  ['lines that only look like rows', '|*a_ *a_\n'.repeat(1_000)],
  ['lines that only look like headings', '#*a_ *a_\n'.repeat(1_000)],
  ['marks after a closed fence', `\`\`\`\n   \`\`\`\n${marks}`],
  ['marks after a fence that is text', `\`\`\` a\`\n${marks}`],
  ['marks after a fence in HTML', `<div>\n\`\`\`\n\n${marks}`],
  ['marks after a fence in a list', `- a\n  \`\`\`\n\n${marks}`],
])('%s are tangled', (_, text) => {
  expect(isTangled(text)).toBe(true);
});

test.each([
  ['fenced code', `\`\`\`c\n${code}\`\`\`\n`],
  ['fenced HTML', `~~~html\n${'<b>*a_</b>\n'.repeat(2_000)}~~~\n`],
  ['a long list', '- **a**: [b](c), `d`\n'.repeat(5_000)],
  ['a large table', `|a|b|\n|-|-|\n${'|**a**|b|\n'.repeat(400)}`],
  ['long text', 'Some words with **one** mark.\n\n'.repeat(3_000)],
])('%s is not tangled', (_, text) => {
  expect(isTangled(text)).toBe(false);
});

test('no document of this repository is tangled', () => {
  const files = ['docs', 'docs/reference'].flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`));
  const documents = [...files, 'README.md', 'CHANGELOG.md', 'ARCHITECTURE.md'].filter((file) => file.endsWith('.md'));
  expect(documents.filter((file) => isTangled(readFileSync(file, 'utf8')))).toEqual([]);
});

// A pattern that tries all ways to match would take longer than a test may.
test.each([
  ['backticks', '`', false],
  ['tildes', '~', false],
  ['spaces', ' ', false],
  ['line ends', '\n', false],
  ['quotes', '> ', true],
])('100,000 %s are judged', (_, text, tangled) => expect(isTangled(text.repeat(100_000))).toBe(tangled));
