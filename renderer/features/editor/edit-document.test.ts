import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { editValue, editYaml, type DocumentEdit } from './edit-document.ts';
import { toYaml } from './serialise.ts';

const SYSTEM = `# The support desk.
apiVersion: svc.dev/v1
kind: AgentSystem
metadata:
  name: desk   # do not rename
  labels: {team: support}

spec:
  # Who takes part.
  agents:
    - triage
    # The one that writes.
    - writer

  graph:
    triage:
      edges:
        - to: writer # always
          labels: {}
`;

const edited = (text: string, ...edits: DocumentEdit[]) => editYaml(text, edits);

describe('an edit leaves all other text as it is', () => {
  test('a plain value', () => {
    expect(edited(SYSTEM, { op: 'set', path: ['metadata', 'name'], value: 'help-desk' })).toBe(SYSTEM.replace('desk   #', 'help-desk   #'));
  });
  test('a new key at the end of a map', () => {
    expect(edited(SYSTEM, { op: 'set', path: ['spec', 'graph', 'triage', 'edges', 0, 'policy'], value: { condition: 'always' } })).toBe(
      `${SYSTEM}          policy:\n            condition: always\n`,
    );
  });
  test('a new key of the whole document', () => {
    expect(edited('a: 1\n\n# end\n', { op: 'set', path: ['b'], value: [1] })).toBe('a: 1\nb:\n  - 1\n\n# end\n');
  });
  test('a deep path is made', () => {
    expect(edited('spec:\n  a: 1\n', { op: 'set', path: ['spec', 'limits', 'max_steps'], value: 3 })).toBe(
      'spec:\n  a: 1\n  limits:\n    max_steps: 3\n',
    );
  });
  test('an entry behind the others, before one, and out again', () => {
    const more = edited(SYSTEM, { op: 'insert', path: ['spec', 'agents'], index: 9, value: 'reviewer' });
    expect(more).toBe(SYSTEM.replace('    - writer\n', '    - writer\n    - reviewer\n'));
    const before = edited(SYSTEM, { op: 'insert', path: ['spec', 'agents'], index: 1, value: 'reviewer' });
    expect(before).toBe(SYSTEM.replace('    # The one', '    - reviewer\n    # The one'));
    expect(edited(more ?? '', { op: 'delete', path: ['spec', 'agents', 2] })).toBe(SYSTEM);
  });
  test('a removed entry takes the comment right above it along', () => {
    expect(edited(SYSTEM, { op: 'delete', path: ['spec', 'agents', 1] })).toBe(
      SYSTEM.replace('    # The one that writes.\n    - writer\n', ''),
    );
  });
  test('another name for a key', () => {
    expect(edited(SYSTEM, { op: 'rename', path: ['spec', 'graph', 'triage'], key: 'front desk' })).toBe(
      SYSTEM.replace('    triage:', '    front desk:'),
    );
  });
  test('a whole map changes only where it differs', () => {
    const value = { agents: ['triage', 'writer', 'judge'], graph: { triage: { edges: [{ to: 'judge', labels: {} }] } } };
    expect(edited(SYSTEM, { op: 'set', path: ['spec'], value })).toBe(
      SYSTEM.replace('    - writer\n', '    - writer\n    - judge\n').replace('to: writer # always', 'to: judge # always'),
    );
  });
  test('quotes stay', () => {
    expect(edited(`a: "x" # c\nb: 'y'\n`, { op: 'set', path: ['a'], value: 'z' }, { op: 'set', path: ['b'], value: "it's" })).toBe(
      `a: "z" # c\nb: 'it''s'\n`,
    );
  });
  test('an empty value becomes a map', () => {
    expect(
      edited(
        'spec:\n  x: {}\n  y:\nend: 1\n',
        { op: 'set', path: ['spec', 'x', 'a'], value: 1 },
        { op: 'set', path: ['spec', 'y', 'b'], value: 2 },
      ),
    ).toBe('spec:\n  x:\n    a: 1\n  y:\n    b: 2\nend: 1\n');
  });
  test('list entries in the column of their key', () => {
    expect(edited('tools:\n- a\n- b # x\nnext: 1\n', { op: 'insert', path: ['tools'], index: 2, value: { c: 1, d: 2 } })).toBe(
      'tools:\n- a\n- b # x\n- c: 1\n  d: 2\nnext: 1\n',
    );
  });
});

describe('where text alone will not do, comments stay', () => {
  test('a key in a flow map', () => {
    expect(edited('a: {b: 1} # c\n', { op: 'set', path: ['a', 'd'], value: 2 })).toContain('# c');
    expect(edited('a: {b: 1} # c\n', { op: 'set', path: ['a', 'd'], value: 2 })).toContain('{b: 1, d: 2}');
  });
  test('a block text', () => {
    const text = 'prompt: |\n  one\n  two\n# after\nend: 1\n';
    const next = edited(text, { op: 'set', path: ['prompt'], value: 'one\nthree\n' });
    expect(next).toBe('prompt: |\n  one\n  three\n# after\nend: 1\n');
  });
  test('the last key of a map leaves an empty map', () => {
    expect(edited('a:\n  b: 1\nc: 2 # x\n', { op: 'delete', path: ['a', 'b'] })).toBe('a: {}\nc: 2 # x\n');
  });
});

describe('anchors', () => {
  const text = 'base: &b\n  x: 1 # one\nother: *b\n';
  test('an edit under an alias does not change the anchor', () => {
    const next = edited(text, { op: 'set', path: ['other', 'x'], value: 2 }) ?? '';
    expect(parseAllDocuments(next)[0]?.toJS()).toEqual({ base: { x: 1 }, other: { x: 2 } });
    expect(next).toContain('# one');
  });
  test('what refers to something deleted keeps the value', () => {
    const next = edited(text, { op: 'delete', path: ['base'] }) ?? '';
    expect(parseAllDocuments(next)[0]?.toJS()).toEqual({ other: { x: 1 } });
  });
  test('an edit of an anchor that others refer to stays with the one that is meant', () => {
    const next = edited(text, { op: 'set', path: ['base', 'x'], value: 5 }) ?? '';
    expect(parseAllDocuments(next)[0]?.toJS()).toEqual({ base: { x: 5 }, other: { x: 1 } });
  });
});

describe('which document', () => {
  const text = '# first\na: 1\n---\n# second\nb: 2\n---\nc: 3\n';
  test('only the one that is named', () => {
    expect(editYaml(text, [{ op: 'set', path: ['b'], value: { d: 4 } }], { document: 1 })).toBe(
      '# first\na: 1\n---\n# second\nb:\n  d: 4\n---\nc: 3\n',
    );
  });
  test('also when it has to be written anew', () => {
    expect(editYaml('a: 1\n---\n{b: 2}\n---\nc: 3\n', [{ op: 'set', path: ['d'], value: 4 }], { document: 1 })).toMatch(
      /^a: 1\n---\n\{ ?b: 2, d: 4 ?\}\n---\nc: 3\n$/,
    );
  });
  test('none that is not there', () => {
    expect(editYaml(text, [{ op: 'delete', path: ['a'] }], { document: 7 })).toBeUndefined();
  });
});

describe('texts without content', () => {
  test.each(['', '\n', '# only a comment\n', '---\n', 'null\n', '{}\n'])('%j takes a first key', (text) => {
    const next = edited(text, { op: 'set', path: ['spec', 'a'], value: 1 }) ?? '';
    expect(parseAllDocuments(next)[0]?.toJS()).toEqual({ spec: { a: 1 } });
    if (text.startsWith('#')) expect(next).toContain('# only a comment');
  });
});

test.each([
  ['syntax errors', 'a: [1\n', { op: 'set', path: ['b'], value: 1 }],
  ['a path through a plain value', 'a: 1\n', { op: 'set', path: ['a', 'b'], value: 1 }],
  ['a name that is taken', 'a: 1\nb: 2\n', { op: 'rename', path: ['a'], key: 'b' }],
  ['an index past the end', 'a: [1]\n', { op: 'set', path: ['a', 3], value: 1 }],
] as const)('nothing is done with %s', (_, text, edit) => {
  expect(edited(text, edit)).toBeUndefined();
});

const scalar = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('true', '- x', 'a: b', '#', '', 'line\ntwo', '1e3'),
);
const key = fc.constantFrom('a', 'b', 'c', 'model_ref', 'with space', '1', 'x.y', 'true');
const tree = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, fc.dictionary(key, tie('value'), { maxKeys: 4 }), fc.array(tie('value'), { maxLength: 4 })),
})).value;
const root = fc.dictionary(key, tree, { maxKeys: 5 }).map((value) => ({ ...value }));

function pathsOf(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (Array.isArray(value)) return [path, ...value.flatMap((each, index) => pathsOf(each, [...path, index]))];
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, each]) => pathsOf(each, [...path, name]))];
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

test('any edit of any text gives the text of the edited value', () => {
  fc.assert(
    fc.property(root, tree, fc.nat(), fc.constantFrom('set', 'delete', 'insert', 'rename'), (value, next, at, op) => {
      const text = toYaml(value);
      const paths = pathsOf(value).filter((path) => path.length > 0);
      const path = paths[at % Math.max(1, paths.length)] ?? ['a'];
      const edit = (
        op === 'rename'
          ? { op, path, key: 'renamed' }
          : op === 'insert'
            ? { op, path, index: at % 3, value: next }
            : { op, path, value: next }
      ) as DocumentEdit;
      const expected = typeof path.at(-1) === 'number' && op === 'rename' ? undefined : editValue(value, edit);
      const result = editYaml(text, [edit]);
      if (!expected) {
        expect(result).toBeUndefined();
        return;
      }
      expect(plain(parseAllDocuments(result ?? '')[0]?.toJS())).toEqual(plain(expected.value));
    }),
    { numRuns: 400 },
  );
});

test('a comment on every line survives any edit of another line', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('x', 'y', 'z'), { minLength: 2, maxLength: 5 }), fc.nat(), tree, (names, at, value) => {
      const keys = names.map((name, index) => `${name}${index}`);
      const text = keys.map((name) => `${name}: old # about ${name}\n`).join('');
      const target = keys[at % keys.length] ?? '';
      const result = editYaml(text, [{ op: 'set', path: [target], value }]) ?? '';
      for (const name of keys) if (name !== target) expect(result).toContain(`${name}: old # about ${name}\n`);
    }),
  );
});
