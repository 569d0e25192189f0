import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editAll, editYaml, parseText, type Edit } from './yaml-edit.ts';

const TEXT = `# a system
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

const set = (path: (string | number)[], value: unknown): Edit => ({ op: 'set', path, value });
const remove = (...path: (string | number)[]): Edit => ({ op: 'remove', path });
const insert = (path: (string | number)[], value: unknown, index = 99): Edit => ({ op: 'insert', path, index, value });

/** Lines of `before` that are gone, and lines of `after` that are new. */
function difference(before: string, after: string): { gone: string[]; added: string[] } {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return { gone: a.slice(start, a.length - end), added: b.slice(start, b.length - end) };
}

describe('an edit touches only its own lines', () => {
  test.each<[string, Edit, string[], string[]]>([
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
    ['removes a list entry', remove('spec', 'graph', 'b', 'edges', 1), ['        - to: d'], []],
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
    ['quotes what needs it', set(['spec', 'graph', 'b', 'unknown'], 'true'), ["      unknown: 'kept'"], ['      unknown: "true"']],
  ])('%s', (_, edit, gone, added) => {
    expect(difference(TEXT, editYaml(TEXT, edit))).toEqual({ gone, added });
  });

  test('at the end of a text without a last line break', () => {
    expect(editYaml('spec:\n  a: 1', set(['spec', 'b'], 2))).toBe('spec:\n  a: 1\n  b: 2');
    expect(editYaml('spec:\n  a: 1\n  b: 2', remove('spec', 'b'))).toBe('spec:\n  a: 1');
  });
});

test('text with an error stays as it is', () => expect(editYaml('a: [', set(['b'], 1))).toBe('a: ['));

test('what cannot be cut is written anew and says the same', () => {
  const text = 'x: &one { a: 1 } # kept\ny: *one\n';
  expect(editYaml(text, set(['y'], { b: 2 }))).toContain('# kept');
  expect(parseText(editYaml(text, set(['x', 'b'], 2))).toJS()).toEqual({ x: { a: 1, b: 2 }, y: { a: 1, b: 2 } });
});

test('any edits leave text that can be read, with every comment of what stays', () => {
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
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc.record({ op: fc.constant('set' as const), path: node, value }),
    fc.record({ op: fc.constant('insert' as const), path: fc.constant(['spec', 'agents']), index: fc.nat(3), value: key }),
    fc.record({ op: fc.constant('remove' as const), path: fc.oneof(node, agent) }),
  );
  const property = fc.property(fc.array(edit, { maxLength: 6 }), (edits) => {
    const result = editAll(TEXT, edits);
    expect(parseText(result).errors).toEqual([]);
    for (const comment of ['# a system', '# who', '# inline']) expect(result).toContain(comment);
  });
  fc.assert(property, { numRuns: 100 });
});

test('a text nested without end cannot be read, and ends no page', () => {
  expect(parseText(`spec: ${'['.repeat(50_000)}`).errors).toHaveLength(1);
});
