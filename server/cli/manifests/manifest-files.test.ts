// Documents and the positions of their fields, from text in every shape people write.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { parseManifests, problemLine, readManifests } from './manifest-files.ts';

const AGENTS = `# two agents
kind: Agent
metadata: { name: a }
spec:
  model_ref: m
  tools:
    - one
    - two
  labels: { a.b: c }
---
kind: Agent
metadata:
  name: b
`;

describe('parseManifests', () => {
  const { documents } = parseManifests('agents.yaml', AGENTS);
  const [first, second] = documents;

  it('reads every document of a file', () => {
    expect(documents.map((document) => document.value)).toEqual([
      { kind: 'Agent', metadata: { name: 'a' }, spec: { model_ref: 'm', tools: ['one', 'two'], labels: { 'a.b': 'c' } } },
      { kind: 'Agent', metadata: { name: 'b' } },
    ]);
  });

  it.each([
    ['kind', { line: 2, column: 7 }],
    ['metadata.name', { line: 3, column: 19 }],
    ['spec', { line: 4, column: 1 }],
    ['spec.tools[1]', { line: 8, column: 7 }],
    ['spec.labels.a.b', { line: 9, column: 18 }],
  ])('finds the position of %s', (path, position) => {
    expect(first?.locate(path)).toEqual(position);
  });

  it('points at the field around one that is missing', () => {
    expect(first?.locate('spec.limits.max_steps')).toEqual({ line: 4, column: 1 });
    expect(second?.locate('spec.model_ref')).toEqual({ line: 11, column: 1 });
  });

  it('takes the items of a JSON array as documents', () => {
    const { documents: items } = parseManifests('list.json', '[\n  {"kind": "A"},\n  {"kind": "B"}\n]');
    expect(items.map((item) => item.locate('kind'))).toEqual([
      { line: 2, column: 12 },
      { line: 3, column: 12 },
    ]);
  });

  it('takes the items of a List as documents', () => {
    const { documents: items } = parseManifests('list.yaml', 'kind: List\nitems:\n  - kind: A\n  - kind: B\n---\nkind: C\n');
    expect(items.map((item) => [item.value, item.locate('kind').line])).toEqual([
      [{ kind: 'A' }, 3],
      [{ kind: 'B' }, 4],
      [{ kind: 'C' }, 6],
    ]);
  });

  it('leaves out empty documents', () => {
    expect(parseManifests('f', '---\n---\n# nothing\n').documents).toEqual([]);
  });

  it.each([
    ['a key given twice', 'a: 1\na: 2\n', 2],
    ['broken syntax', 'a: 1\nb: [1, 2\n', 3],
    ['a tag of another language', 'a: 1\nb: !!js/function "x"\n', 2],
    [
      'an alias bomb',
      `a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [${'*a,'.repeat(9)}*a]\nc: &c [${'*b,'.repeat(9)}*b]\nd: [${'*c,'.repeat(9)}*c]\n`,
      1,
    ],
    ['a key that reaches a prototype', 'a: 1\n__proto__: { x: 1 }\n', 1],
  ])('refuses %s at its line', (_what, text, line) => {
    const { documents: none, problems } = parseManifests('bad.yaml', text);
    expect(none).toEqual([]);
    expect(problems[0]?.line).toBe(line);
    expect(problemLine(problems[0]!)).toMatch(/^bad\.yaml:\d+:\d+: \S/);
  });
});

describe('readManifests', () => {
  const directories: string[] = [];
  afterEach(async () => {
    for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
  });

  async function setup(files: Record<string, string>, stdin = '') {
    const cwd = await mkdtemp(join(tmpdir(), 'svcctl-manifests-'));
    directories.push(cwd);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(cwd, name, '..'), { recursive: true });
      await writeFile(join(cwd, name), text);
    }
    const source = { stdin: Readable.from([stdin]), cwd };
    return (paths: string[]) => readManifests(paths, source);
  }

  it('reads a directory recursively in name order and skips other files', async () => {
    const read = await setup({
      'd/b.yaml': 'n: b',
      'd/a/x.yml': 'n: x',
      'd/c.json': '{"n":"c"}',
      'd/README.md': '# no',
      'd/.hidden.yaml': 'n: h',
    });
    const { documents } = await read(['d']);
    expect(documents.map((document) => [document.file, document.value])).toEqual([
      ['d/a/x.yml', { n: 'x' }],
      ['d/b.yaml', { n: 'b' }],
      ['d/c.json', { n: 'c' }],
    ]);
  });

  it('reads standard input for -', async () => {
    const read = await setup({}, 'n: 1\n---\nn: 2\n');
    expect((await read(['-'])).documents.map((document) => document.file)).toEqual(['stdin', 'stdin']);
  });

  it('names a file that is missing, a directory without manifests, and refuses URLs', async () => {
    const read = await setup({ 'empty/x.txt': '' });
    await expect(read(['nowhere.yaml'])).rejects.toMatchObject({
      message: 'cannot read nowhere.yaml: no such file or directory',
      exitCode: 2,
    });
    await expect(read(['empty'])).rejects.toThrow('empty holds no .yaml, .yml or .json file');
    await expect(read(['https://example.test/a.yaml'])).rejects.toThrow('-f does not read URLs');
  });
});
