// Escaping: text of any kind stays text, a table stays a table.
import { expect, test } from 'vitest';
import { anchor, prose, table } from './markdown.ts';

test('prose keeps code spans and escapes markup outside of them', () => {
  expect(prose('shown as ***, `a*<b>`, <name> [x]')).toBe('shown as \\*\\*\\*, `a*<b>`, \\<name\\> \\[x\\]');
});

test('a table escapes bars, in code too, keeps cells on one line and leaves empty columns out', () => {
  const rows = [
    ['`a|b`', '', 'one\n  two'],
    ['c', '', ''],
  ];
  expect(table(['X', 'Y', 'Z'], rows)).toBe('| X | Z |\n| --- | --- |\n| `a\\|b` | one two |\n| c |  |');
});

test('a table without rows gives an empty text', () => {
  expect(table(['X'], [])).toBe('');
});

test('anchors are those of rendered headings', () => {
  expect(anchor('GET /v1/agents/{name}')).toBe('get-v1agentsname');
  expect(anchor('config set-profile')).toBe('config-set-profile');
});
