import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { editedText, editYaml } from './edit-document.ts';
import { editValue, type DocumentEdit } from './edit-value.ts';
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

describe('an edit leaves all other text unchanged', () => {
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
  test('a deep path is created', () => {
    expect(edited('spec:\n  a: 1\n', { op: 'set', path: ['spec', 'limits', 'max_steps'], value: 3 })).toBe(
      'spec:\n  a: 1\n  limits:\n    max_steps: 3\n',
    );
  });
  test('an entry behind the others, before one, and removed again', () => {
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
  test('a renamed key', () => {
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

describe('comments stay where the text must be rewritten', () => {
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
  test('an alias to a deleted anchor keeps the value', () => {
    const next = edited(text, { op: 'delete', path: ['base'] }) ?? '';
    expect(parseAllDocuments(next)[0]?.toJS()).toEqual({ other: { x: 1 } });
  });
  test('an edit of an anchor that others refer to affects the edited one only', () => {
    const next = edited(text, { op: 'set', path: ['base', 'x'], value: 5 }) ?? '';
    expect(parseAllDocuments(next)[0]?.toJS()).toEqual({ base: { x: 5 }, other: { x: 1 } });
  });
});

describe('an edit inside aliased content writes that out, and rewrites nothing else', () => {
  const text = [
    '# top',
    'agents: [a, b] # flow',
    'graph:',
    '  a:',
    '    edges: &r # shared',
    '      - to: c # first',
    '  b:',
    '    edges: *r # as a',
    '  c: { join: *j, edges: [*e] }',
    '',
  ].join('\n');
  const defs = 'x: { j: &j { mode: quorum }, e: &e { to: a } }\n';
  test('in the shared list', () => {
    const next = edited(defs + text, { op: 'insert', path: ['graph', 'a', 'edges'], index: 1, value: { to: 'd' } });
    expect(next).toBe(
      defs +
        text.replace('- to: c # first\n', '- to: c # first\n      - to: d\n').replace('edges: *r # as a', 'edges:\n      - to: c # as a'),
    );
  });
  test('under the alias', () => {
    const next = edited(defs + text, { op: 'insert', path: ['graph', 'b', 'edges'], index: 1, value: { to: 'd' } });
    expect(next).toBe(defs + text.replace('edges: *r # as a', 'edges:\n      - to: c # as a\n      - to: d'));
  });
  test('between brackets', () => {
    const next = edited(defs + text, { op: 'set', path: ['x', 'j', 'mode'], value: 'wait_for_all' });
    expect(next).toBe(defs.replace('quorum', 'wait_for_all') + text.replace('*j', '{ mode: quorum }'));
  });
  test('as the only entry of another list', () => {
    const next = edited(defs + text, { op: 'delete', path: ['x', 'e'] });
    expect(next).toBe(defs.replace(', e: &e { to: a }', '') + text.replace('*e', '{ to: a }'));
  });
});

test('numeric keys are rewritten like others', () => {
  const next = edited('2: { edges: [{ to: 1, labels: { k: "a # b" } }] }\n', { op: 'delete', path: ['2', 'edges', 0] }) ?? '';
  expect(parseAllDocuments(next)[0]?.toJS()).toEqual({ 2: { edges: [] } });
});

describe('the edited document', () => {
  const text = '# first\na: 1\n---\n# second\nb: 2\n---\nc: 3\n';
  test('is the named one only', () => {
    expect(editYaml(text, [{ op: 'set', path: ['b'], value: { d: 4 } }], { document: 1 })).toBe(
      '# first\na: 1\n---\n# second\nb:\n  d: 4\n---\nc: 3\n',
    );
  });
  test('is edited also when it has to be rewritten', () => {
    expect(editYaml('a: 1\n---\n{b: 2}\n---\nc: 3\n', [{ op: 'set', path: ['d'], value: 4 }], { document: 1 })).toMatch(
      /^a: 1\n---\n\{ ?b: 2, d: 4 ?\}\n---\nc: 3\n$/,
    );
  });
  test('must exist', () => {
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
  ['no edits', '', []],
  ['the edit of what is not there', '# hi\n', [{ op: 'delete', path: ['a'] }]],
] as const)('a text without a document stays as it is with %s', (_, text, edits) => {
  expect(edited(text, ...edits)).toBe(text);
});

test.each([
  ['syntax errors', 'a: [1\n', { op: 'set', path: ['b'], value: 1 }],
  ['a key that is there twice', 'a: 1\na: 2\n', { op: 'set', path: ['b'], value: 1 }],
  ['a path through a plain value', 'a: 1\n', { op: 'set', path: ['a', 'b'], value: 1 }],
  ['a name that is taken', 'a: 1\nb: 2\n', { op: 'rename', path: ['a'], key: 'b' }],
  ['an index past the end', 'a: [1]\n', { op: 'set', path: ['a', 3], value: 1 }],
] as const)('nothing is done with %s', (_, text, edit) => {
  expect(edited(text, edit)).toBeUndefined();
  expect(editedText(text, edit)).toBe(text);
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

const HAND_WRITTEN = `# a system
apiVersion: svc.dev/v1
kind: AgentSystem
metadata: { name: desk, labels: { team: "a" } } # inline
spec:
  agents: [a, b] # who
  graph:
    a: { edges: [{ to: b }] } # flow
    # before b
    b:
      edges:
        - to: c   # first
          labels:
            route: x

        # second
        - to: d
      unknown: 'kept'
    c: {}
    d:
`;

const set = (path: (string | number)[], value: unknown): DocumentEdit => ({ op: 'set', path, value });
const remove = (...path: (string | number)[]): DocumentEdit => ({ op: 'delete', path });
const insert = (path: (string | number)[], value: unknown, index = 99): DocumentEdit => ({ op: 'insert', path, index, value });

/** Removed lines of `before`, and new lines of `after`. */
function difference(before: string, after: string): { gone: string[]; added: string[] } {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return { gone: a.slice(start, a.length - end), added: b.slice(start, b.length - end) };
}

describe('an edit of a text by hand touches only its own lines', () => {
  test.each<[string, DocumentEdit, string[], string[]]>([
    ['appends to a flow list', insert(['spec', 'agents'], 'c'), ['  agents: [a, b] # who'], ['  agents: [a, b, c] # who']],
    ['inserts into a flow list', insert(['spec', 'agents'], 'x', 1), ['  agents: [a, b] # who'], ['  agents: [a, x, b] # who']],
    ['appends to a block list', insert(['spec', 'graph', 'b', 'edges'], { to: 'e' }), [], ['        - to: e']],
    ['inserts into a block list', insert(['spec', 'graph', 'b', 'edges'], { to: 'e' }, 0), [], ['        - to: e']],
    [
      'fills an empty map',
      insert(['spec', 'graph', 'c', 'edges'], { to: 'e' }),
      ['    c: {}'],
      ['    c:', '      edges:', '        - to: e'],
    ],
    ['fills an empty value', insert(['spec', 'graph', 'd', 'edges'], { to: 'e' }), [], ['      edges:', '        - to: e']],
    ['adds a node', set(['spec', 'graph', 'e'], { edges: [{ to: 'a' }] }), [], ['    e:', '      edges:', '        - to: a']],
    [
      'adds in a flow map',
      set(['spec', 'graph', 'a', 'edges', 0, 'labels'], { k: 'v' }),
      ['    a: { edges: [{ to: b }] } # flow'],
      ['    a: { edges: [{ to: b, labels: { k: v } }] } # flow'],
    ],
    ['changes a value', set(['spec', 'graph', 'b', 'edges', 0, 'to'], 'z'), ['        - to: c   # first'], ['        - to: z   # first']],
    ['adds a missing map', set(['spec', 'graph', 'b', 'join', 'mode'], 'quorum'), [], ['      join:', '        mode: quorum']],
    [
      'removes a list entry with the comment right above it',
      remove('spec', 'graph', 'b', 'edges', 1),
      ['        # second', '        - to: d'],
      [],
    ],
    ['removes a node', remove('spec', 'graph', 'c'), ['    c: {}'], []],
    ['removes from a flow list', remove('spec', 'agents', 0), ['  agents: [a, b] # who'], ['  agents: [b] # who']],
    [
      'empties a flow list',
      remove('spec', 'graph', 'a', 'edges', 0),
      ['    a: { edges: [{ to: b }] } # flow'],
      ['    a: { edges: [] } # flow'],
    ],
    [
      'empties a block map',
      remove('spec', 'graph', 'b', 'edges', 0, 'labels', 'route'),
      ['          labels:', '            route: x'],
      ['          labels: {}'],
    ],
    ['quotes what needs it', set(['spec', 'graph', 'b', 'unknown'], 'true'), ["      unknown: 'kept'"], ["      unknown: 'true'"]],
    ['quotes a comma in a flow list', insert(['spec', 'agents'], 'x, y'), ['  agents: [a, b] # who'], ['  agents: [a, b, "x, y"] # who']],
    [
      'replaces a list entry',
      set(['spec', 'graph', 'b', 'edges', 0], 'c'),
      ['        - to: c   # first', '          labels:', '            route: x'],
      ['        - c'],
    ],
    [
      'removes the key behind a dash',
      remove('spec', 'graph', 'b', 'edges', 0, 'to'),
      ['        - to: c   # first', '          labels:'],
      ['        - labels:'],
    ],
    [
      'replaces a flow value',
      set(['metadata', 'labels'], 1),
      ['metadata: { name: desk, labels: { team: "a" } } # inline'],
      ['metadata: { name: desk, labels: 1 } # inline'],
    ],
  ])('%s', (_, edit, gone, added) => {
    expect(difference(HAND_WRITTEN, edited(HAND_WRITTEN, edit) ?? '')).toEqual({ gone, added });
  });

  test('at the end of a text without a last line break', () => {
    expect(edited('spec:\n  a: 1', set(['spec', 'b'], 2))).toBe('spec:\n  a: 1\n  b: 2');
    expect(edited('spec:\n  a: 1\n  b: 2', remove('spec', 'b'))).toBe('spec:\n  a: 1');
  });
});

test('a comment stays on the line of a key that is filled and emptied', () => {
  const empty = 'a: {} # one\nb: # two\nc: 1\n';
  const filled = edited(empty, set(['a', 'x'], 1), set(['b', 'y'], [2]));
  expect(filled).toBe('a: # one\n  x: 1\nb: # two\n  y:\n    - 2\nc: 1\n');
  expect(edited(filled ?? '', remove('a', 'x'), remove('b', 'y'))).toBe('a: {} # one\nb: {} # two\nc: 1\n');
  expect(edited('a:\n  # about\n  - 1\nb: 2\n', remove('a', 0))).toBe('a: []\n  # about\nb: 2\n');
});

test('flow collections over several lines, and without spaces', () => {
  const text = 'a: [\n  one,\n  two,\n]\nb: [{c: 1}]\n';
  expect(edited(text, insert(['a'], 'three'))).toBe(text.replace('two,', 'two,\n  three,'));
  expect(edited(text, remove('a', 0))).toBe(text.replace('one,\n  ', ''));
  expect(edited(text, insert(['b'], { d: { e: 2 } }))).toBe(text.replace('{c: 1}', '{c: 1}, {d: {e: 2}}'));
  expect(edited('a: {b, c: }\n', set(['a', 'b'], 1), set(['a', 'c'], 'x: y'))).toBe('a: {b: 1, c: "x: y"}\n');
});

test('any sequence of edits leaves readable text, with every comment of the remaining parts', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const value = fc.oneof(
    fc.string({ maxLength: 8 }),
    fc.integer(),
    fc.record({ to: key }),
    fc.constant({}),
    fc.array(key, { maxLength: 2 }),
  );
  const node = fc.tuple(fc.constant('spec'), fc.constant('graph'), key);
  const agent = fc.tuple(fc.constant('spec'), fc.constant('agents'), fc.nat(3));
  const edit: fc.Arbitrary<DocumentEdit> = fc.oneof(
    fc.record({ op: fc.constant('set' as const), path: node, value }),
    fc.record({ op: fc.constant('insert' as const), path: fc.constant(['spec', 'agents']), index: fc.nat(3), value: key }),
    fc.record({ op: fc.constant('delete' as const), path: fc.oneof(node, agent) }),
  );
  const property = fc.property(fc.array(edit, { maxLength: 6 }), (edits) => {
    const result = editedText(HAND_WRITTEN, ...edits);
    const value = edits.reduce<unknown>(
      (now, each) => editValue(now, each)?.value ?? now,
      plain(parseAllDocuments(HAND_WRITTEN)[0]?.toJS()),
    );
    expect(plain(parseAllDocuments(result)[0]?.toJS())).toEqual(plain(value));
    for (const comment of ['# a system', '# who', '# inline']) expect(result).toContain(comment);
  });
  fc.assert(property, { numRuns: 100 });
});
