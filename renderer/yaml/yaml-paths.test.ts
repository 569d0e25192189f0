import { expect, test } from 'vitest';
import { pathText } from '@svc/shared/path-text';
import { parsePath } from '@svc/shared/path-text';
import { documentAt, duplicateKeys, markOfPath, parseYaml, pathAtOffset, rangeOfPath, valueOf } from './yaml-paths.ts';

test.each([
  ['spec.edges[0].to', ['spec', 'edges', 0, 'to']],
  ['spec.data["tls.crt"]', ['spec', 'data', 'tls.crt']],
  ['spec.graph["a \\"b\\""].next', ['spec', 'graph', 'a "b"', 'next']],
  ['metadata.labels.app.svc.dev/name', ['metadata', 'labels', 'app.svc.dev/name']],
  ['', []],
])('the path %s', (text, path) => {
  expect(parsePath(text)).toEqual(path);
  if (!text.startsWith('metadata')) expect(pathText(path)).toBe(text);
});

const TEXT = `kind: Agent
spec:
  tools:
    - search   # first
    - {name: "x y", n: 1}
  base: &b
    deep: 1
  other: *b
  empty:
---
kind: Tool
`;
const documents = parseYaml(TEXT);
const [first, second] = documents;
if (!first || !second) throw new Error('two documents');
const at = (range: { from: number; to: number } | undefined) => range && TEXT.slice(range.from, range.to);

test.each([
  [['kind'], 'kind', 'Agent'],
  [['spec', 'tools', 0], undefined, 'search'],
  [['spec', 'tools', 1, 'name'], 'name', '"x y"'],
  [['spec', 'base', 'deep'], 'deep', '1'],
  [['spec', 'other', 'deep'], 'other', '*b'],
  [['spec', 'empty'], 'empty', ''],
] as const)('%j is found at its place', (path, key, value) => {
  const range = rangeOfPath(first, path);
  expect([at(range.key), at(range.value), range.found]).toEqual([key, value, path]);
});

test('the nearest ancestor stands for a missing path', () => {
  const range = rangeOfPath(first, ['spec', 'graph', 'a']);
  expect([at(range.key), range.found]).toEqual(['spec', ['spec']]);
});

test.each([
  [['spec', 'model_ref'], 'spec'],
  [['spec', 'tools'], 'tools'],
  [['spec', 'tools', 0], 'search'],
  [['spec', 'tools', 1], 'name'],
  [['spec', 'empty'], 'empty'],
  [[], 'kind'],
] as const)('a problem at %j marks %s', (path, marked) => {
  expect(at(markOfPath(first, path))).toBe(marked);
});

test.each([
  ['kind: A', 2, ['kind'], 'key'],
  ['Agent', 1, ['kind'], 'value'],
  ['search', 3, ['spec', 'tools', 0], 'value'],
  ['x y', 1, ['spec', 'tools', 1, 'name'], 'value'],
  ['deep', 0, ['spec', 'base', 'deep'], 'key'],
])('at %s + %i finds %j', (near, plus, path, on) => {
  expect(pathAtOffset(first, TEXT.indexOf(near) + plus)).toMatchObject({ path, on });
});

test('each offset belongs to one document', () => {
  expect(documentAt(documents, 0)?.index).toBe(0);
  expect(documentAt(documents, TEXT.indexOf('Tool'))?.index).toBe(1);
  expect(at(rangeOfPath(second, ['kind']).value)).toBe('Tool');
});

test('duplicate keys are found once, however many there are', () => {
  const text = Array.from({ length: 20_000 }, (_, index) => `k${index}: 1\n`).join('') + 'k7: 2\n';
  const [document] = parseYaml(text);
  expect(document && duplicateKeys(document).map(({ key }) => key)).toEqual(['k7']);
});

test('aliases that expand too far have no value', () => {
  const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefg'.replace(/./g, (name, index: number) => `${name}: &${name} [${Array(9).fill(`*${'abcdef'[index]}`).join(',')}]\n`)}`;
  const [document] = parseYaml(bomb);
  expect(document && valueOf(document)).toBeUndefined();
});

test.each([
  ['itself', 'spec: &a\n  x: *a\n', false],
  ['itself in a list', 'spec: &a\n  - { x: [*a] }\n', false],
  ['another part', 'base: &a { x: 1 }\nspec: { y: *a, z: *a }\n', true],
])('an alias that refers to %s has a value: %s', (_, text, readable) => {
  const [document] = parseYaml(text);
  expect(document && valueOf(document) !== undefined).toBe(readable);
});

test.each([
  ['flow lists', '['.repeat(50_000)],
  ['closed flow lists', `${'['.repeat(500)}${']'.repeat(500)}`],
  ['lists on one line', `${'- '.repeat(20_000)}a`],
  ['maps', Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
])('endless %s are one unreadable document', (_, text) => {
  const documents = parseYaml(text);
  expect(documents.map(({ document }) => document.errors.length)).toEqual([1]);
  expect(documents.map(valueOf)).toEqual([undefined]);
});

test('brackets and dashes in strings are not nesting', () => {
  const text = `a: |\n${'  - [ [ { - - -\n'.repeat(300)}b: "${'['.repeat(500)}"\nc: x${' [a'.repeat(300)}\n`;
  expect(parseYaml(text).flatMap(({ document }) => document.errors)).toEqual([]);
});
