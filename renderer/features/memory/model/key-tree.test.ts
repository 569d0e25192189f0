import { expect, test } from 'vitest';
import { keyRows, type KeyRow } from './key-tree.ts';

const KEYS = ['readme', 'docs/a', 'docs/b/1', 'docs/b/2', 'user:ana', 'user:bo', 'single/deep/key'];
const drawn = (rows: readonly KeyRow[]) =>
  rows.map((row) => `${'  '.repeat(row.depth)}${row.label}${row.type === 'folder' ? ` (${row.count})${row.open ? '' : ' closed'}` : ''}`);

test('keys are grouped by their parts, and a folder of one key is left out', () => {
  expect(drawn(keyRows(KEYS, { toggled: new Map(), open: true }))).toEqual([
    'docs/ (3)',
    '  a',
    '  b/ (2)',
    '    1',
    '    2',
    'readme',
    'single/deep/key',
    'user: (2)',
    '  ana',
    '  bo',
  ]);
});

test('a closed folder hides its keys, and each folder is closed by itself', () => {
  const toggled = new Map([['docs/b/', false]]);
  expect(drawn(keyRows(KEYS, { toggled, open: true })).slice(0, 4)).toEqual(['docs/ (3)', '  a', '  b/ (2) closed', 'readme']);
  expect(drawn(keyRows(KEYS, { toggled: new Map([['docs/', true]]), open: false }))).toEqual([
    'docs/ (3)',
    '  a',
    '  b/ (2) closed',
    'readme',
    'single/deep/key',
    'user: (2) closed',
  ]);
});

test('labels leave out the prefix of all keys', () => {
  const rows = keyRows(['docs/a', 'docs/b/1', 'docs/b/2'], { toggled: new Map(), open: false, base: 'docs/' });
  expect(drawn(rows)).toEqual(['a', 'b/ (2) closed']);
  expect(rows[1]).toMatchObject({ prefix: 'docs/b/' });
});

test('a key that ends with a separator, one that is only separators and one beside its folder are entries', () => {
  expect(drawn(keyRows(['docs', 'docs/', 'docs/a', '//'], { toggled: new Map(), open: true }))).toEqual([
    '//',
    'docs',
    'docs/ (2)',
    '  ',
    '  a',
  ]);
});

test('a key of 512 separators does not exhaust the stack', () => {
  const deep = '/'.repeat(511);
  expect(keyRows([`${deep}a`, `${deep}b`], { toggled: new Map(), open: true })).toHaveLength(513);
});
