import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSystem } from '../../../graph/read-system.ts';
import { systemGraph } from '../../../graph/system-graph.ts';
import {
  addAgent,
  addLike,
  connect,
  convertNext,
  copyOf,
  disconnect,
  insertOnEdge,
  mayConnect,
  moveEdge,
  paste,
  removeAgents,
  setEdgeCondition,
  setEdgeLabels,
  setJoin,
  setReview,
  specOf,
} from './commands.ts';
import type { Placement } from '../../../graph/layout.ts';
import { NO_DRAFTS } from './drafts.ts';
import { amend, change, redo, startHistory, undo } from './history.ts';

const TEXT = `# the desk
apiVersion: svc.dev/v1
kind: AgentSystem
metadata:
  name: desk # its name
spec:
  agents: [triage, billing, answers]
  graph:
    triage:
      edges:
        # money first
        - { to: billing, labels: { route: billing } }
        - { to: answers, labels: { route: answers } } # the rest
    billing:
      next: answers
  completion_review: { checkpoint_id: end }
`;
const graphOf = (text: string) => (specOf(text) as { graph: unknown }).graph;
const LIST = 'spec:\n  agents: [a, b, c]\n';

describe('a command', () => {
  test('adds an agent once', () => {
    expect(addAgent(addAgent(TEXT, 'new'), 'new')).toBe(TEXT.replace('answers]', 'answers, new]'));
    expect(addAgent('spec: {}\n', 'a')).toBe('spec:\n  agents:\n    - a\n');
  });
  test('connects, and first writes the list order down', () => {
    expect(graphOf(connect(LIST, 'a', 'c'))).toEqual({ a: { edges: [{ to: 'b' }, { to: 'c' }] }, b: { edges: [{ to: 'c' }] }, c: {} });
    expect(connect(TEXT, 'answers', 'triage')).toBe(
      TEXT.replace('      next: answers\n', '      next: answers\n    answers:\n      edges:\n        - to: triage\n'),
    );
  });
  test('removes a route wherever it is declared', () => {
    expect(graphOf(disconnect(TEXT, { source: 'billing', target: 'answers', field: 'next' }))).toMatchObject({ billing: {} });
    expect(disconnect(TEXT, { source: 'triage', target: 'answers', field: 1 })).toBe(
      TEXT.replace('        - { to: answers, labels: { route: answers } } # the rest\n', ''),
    );
    expect(graphOf(disconnect(LIST, { source: 'a', target: 'b', field: 'implied' }))).toEqual({
      a: {},
      b: { edges: [{ to: 'c' }] },
      c: {},
    });
  });
  test('removes an agent with its routes', () => {
    const left = removeAgents(TEXT, ['billing']);
    expect(specOf(left)).toEqual({
      agents: ['triage', 'answers'],
      graph: { triage: { edges: [{ to: 'answers', labels: { route: 'answers' } }] } },
      completion_review: { checkpoint_id: 'end' },
    });
    expect(left).toContain('# the rest');
    expect(specOf(removeAgents(LIST, ['b']))).toEqual({ agents: ['a', 'c'] });
    expect(specOf(removeAgents('spec: { agents: [1, a], graph: { 1: { next: a } } }\n', ['1']))).toEqual({ agents: ['a'], graph: {} });
    expect(specOf(removeAgents(TEXT, ['triage', 'billing', 'answers']))).toEqual({
      agents: [],
      completion_review: { checkpoint_id: 'end' },
    });
  });
  test('removes several agents like one after the other', () => {
    const pairs = [
      ['triage', 'billing'],
      ['billing', 'answers'],
      ['answers', 'triage', 'billing'],
    ];
    for (const names of pairs) {
      const inTurn = names.reduce((text, each) => removeAgents(text, [each]), TEXT);
      expect(specOf(removeAgents(TEXT, names))).toEqual(specOf(inTurn));
    }
  });
  test('leaves a text with a duplicate key alone', () => {
    const text = `${LIST}  agents: [d]\n`;
    expect([specOf(text), addAgent(text, 'x'), connect(text, 'a', 'c'), removeAgents(text, ['a'])]).toEqual([undefined, text, text, text]);
  });
  test('inserts an agent between two', () => {
    const text = insertOnEdge(TEXT, { source: 'triage', target: 'billing', field: 0 }, 'check');
    expect(graphOf(text)).toMatchObject({
      triage: { edges: [{ to: 'check', labels: { route: 'billing' } }, {}] },
      check: { edges: [{ to: 'billing' }] },
    });
    expect(graphOf(insertOnEdge(TEXT, { source: 'billing', target: 'answers', field: 'next' }, 'check'))).toMatchObject({
      billing: { next: 'check' },
      check: { edges: [{ to: 'answers' }] },
    });
    expect(graphOf(insertOnEdge(LIST, { source: 'a', target: 'b', field: 'implied' }, 'x'))).toEqual({
      a: { edges: [{ to: 'x' }] },
      b: { edges: [{ to: 'c' }] },
      c: {},
      x: { edges: [{ to: 'b' }] },
    });
  });
  test('changes the condition of a route', () => {
    const route = { source: 'triage', target: 'billing', field: 0 } as const;
    expect(setEdgeLabels(TEXT, route, { route: 'money' })).toBe(TEXT.replace('{ route: billing }', '{ route: money }'));
    expect(setEdgeLabels(TEXT, route, { desk: 'billing' })).toBe(TEXT.replace('{ route: billing }', '{ desk: billing }'));
    const two = 'spec:\n  graph:\n    a:\n      edges:\n        - to: b\n          labels:\n            k: x # first\n            l: y\n';
    expect(setEdgeLabels(two, { source: 'a', target: 'b', field: 0 }, { m: 'x', l: 'y' })).toBe(two.replace('k: x', 'm: x'));
    expect(setEdgeLabels(TEXT, route, {})).toBe(TEXT.replace('{ to: billing, labels: { route: billing } }', '{ to: billing }'));
    const conditional = setEdgeCondition(TEXT, route, 'on_error');
    expect(conditional).toContain('labels: { route: billing }, policy: { condition: on_error }');
    expect(setEdgeCondition(conditional, route, '')).toBe(TEXT);
    expect(setEdgeLabels(TEXT, { source: 'billing', target: 'answers', field: 'next' }, { a: 'b' })).toContain('labels:\n            a: b');
  });
  test('turns the old next into an edge completely or not at all', () => {
    const inGraph = (node: string) => `spec:\n  agents: [a, b, c]\n  graph:\n    a: ${node}\n    b: {}\n`;
    expect(graphOf(convertNext(inGraph('{ next: b }'), 'a'))).toEqual({ a: { edges: [{ to: 'b' }] }, b: {} });
    expect(graphOf(convertNext(inGraph('{ next: b, edges: [{ to: c }] }'), 'a'))).toMatchObject({
      a: { edges: [{ to: 'b' }, { to: 'c' }] },
    });
    expect(graphOf(convertNext(inGraph('\n      edges: # others\n        - to: c\n      next: b'), 'a'))).toMatchObject({
      a: { edges: [{ to: 'b' }, { to: 'c' }] },
    });
    const unreadable = inGraph('{ next: b, edges: x }');
    expect(convertNext(unreadable, 'a')).toBe(unreadable);
    expect(setEdgeLabels(unreadable, { source: 'a', target: 'b', field: 'next' }, { k: 'v' })).toBe(unreadable);
  });
  test('turns the old next into an edge, and changes the order of edges', () => {
    expect(graphOf(convertNext(TEXT, 'billing'))).toMatchObject({ billing: { edges: [{ to: 'answers' }] } });
    expect(graphOf(moveEdge(TEXT, { source: 'triage', target: 'answers', field: 1 }, 0))).toMatchObject({
      triage: { edges: [{ to: 'answers' }, { to: 'billing' }] },
    });
  });
  test('sets joins and reviews', () => {
    const join = { mode: 'quorum', quorum_count: 2, quorum_percent: 0, on_failure: 'skip' } as const;
    const joined = setJoin(TEXT, 'answers', join);
    expect(graphOf(joined)).toMatchObject({ answers: { join: { mode: 'quorum', quorum_count: 2, on_failure: 'skip' } } });
    expect(graphOf(setJoin(joined, 'answers', undefined))).toMatchObject({ answers: {} });
    expect(setReview(TEXT, undefined, { checkpoint_id: 'last' })).toBe(TEXT.replace('checkpoint_id: end', 'checkpoint_id: last'));
    expect(specOf(setReview(TEXT, undefined, undefined))).not.toHaveProperty('completion_review');
  });
  test('copies the routes to another agent', () => {
    expect(graphOf(addLike(TEXT, 'second', 'billing'))).toMatchObject({
      triage: { edges: [{ to: 'billing' }, { to: 'answers' }, { to: 'second', labels: { route: 'billing' } }] },
      second: { next: 'answers' },
    });
  });
  test('copies a part, and pastes it into another system', () => {
    const clip = copyOf(TEXT, ['triage', 'answers']);
    expect(specOf(clip)).toEqual({
      agents: ['triage', 'answers'],
      graph: { triage: { edges: [{ to: 'answers', labels: { route: 'answers' } }] } },
    });
    expect(specOf(paste(LIST, clip))).toMatchObject({
      agents: ['a', 'b', 'c', 'triage', 'answers'],
      graph: { a: { edges: [{ to: 'b' }] }, triage: {} },
    });
    expect(paste(LIST, 'just words')).toBe(LIST);
    const without = removeAgents(TEXT, ['answers']);
    expect(readSystem(specOf(paste(without, clip))).graph?.['triage']?.edges).toMatchObject([
      { to: 'billing' },
      { to: 'answers', labels: { route: 'answers' } },
    ]);
  });
});

test('an agent called constructor is pasted and copied like any other', () => {
  const clip = copyOf('spec:\n  agents: [constructor, b]\n  graph:\n    b:\n      edges: [{ to: constructor }]\n', ['constructor', 'b']);
  const pasted = readSystem(specOf(paste('spec:\n  agents: [a]\n', clip)));
  expect(pasted.agents).toEqual(['a', 'constructor', 'b']);
  expect(pasted.graph?.['b']?.edges).toMatchObject([{ to: 'constructor' }]);
  expect(readSystem(specOf(addLike('spec:\n  agents: [constructor]\n  graph:\n    a: {}\n', 'x', 'constructor'))).agents).toEqual([
    'constructor',
    'x',
  ]);
});

test('equal plain routes are not offered twice', () => {
  const system = readSystem(specOf(TEXT));
  expect([
    mayConnect(system, 'billing', 'answers'),
    mayConnect(system, 'triage', 'billing'),
    mayConnect(readSystem(specOf(LIST)), 'a', 'b'),
  ]).toEqual([false, true, false]);
});

const NAMES = ['triage', 'billing', 'answers', 'x', 'y'];
const name = fc.constantFrom(...NAMES);
type Command = (text: string) => string;

/** Any command, on the state that it finds. */
const command: fc.Arbitrary<Command> = fc.oneof(
  name.map(
    (agent): Command =>
      (text) =>
        addAgent(text, agent),
  ),
  name.map(
    (agent): Command =>
      (text) =>
        removeAgents(text, [agent]),
  ),
  fc.tuple(name, name).map(
    ([a, b]): Command =>
      (text) =>
        mayConnect(readSystem(specOf(text)), a, b) ? connect(text, a, b) : text,
  ),
  fc.tuple(fc.nat(9), name, fc.nat(3)).map(([at, agent, what]): Command => (text) => {
    const { edges } = systemGraph(readSystem(specOf(text)));
    const edge = edges[at % Math.max(1, edges.length)];
    if (!edge) return text;
    if (what === 0) return disconnect(text, edge);
    if (what === 1) return setEdgeLabels(text, edge, { k: agent });
    if (what === 2) return setEdgeCondition(text, edge, 'on_error');
    return edge.source === agent || edge.target === agent ? text : insertOnEdge(text, edge, agent);
  }),
  name.map(
    (agent): Command =>
      (text) =>
        readSystem(specOf(text)).agents.includes(agent) ? setReview(text, agent, { checkpoint_id: agent }) : text,
  ),
);

test('any sequence of commands can be undone to the identical text and redone, and keeps every comment outside of removed parts', () => {
  const property = fc.property(fc.array(command, { maxLength: 7 }), (commands) => {
    const history = commands.reduce(
      (now, each, index) => change(now, { text: each(now.text), label: 'x', now: index }),
      startHistory({ text: TEXT, placement: { direction: 'LR', positions: new Map() }, drafts: NO_DRAFTS }),
    );
    const undone = history.past.reduce(undo, history);
    expect(undone.text).toBe(TEXT);
    expect(undone.future.reduce(redo, undone).text).toBe(history.text);
    for (const comment of ['# the desk', '# its name']) expect(history.text).toContain(comment);
    const system = readSystem(specOf(history.text));
    for (const { listed } of systemGraph(system).nodes) expect(listed).toBe(true);
  });
  fc.assert(property, { numRuns: 60 });
});

test('positions are undone and redone like texts, and those of added nodes are removed with them', () => {
  const at = (x: number): Placement => ({ direction: 'LR', positions: new Map([['a', { x, y: 0 }]]) });
  const [none, one, two] = [at(0), at(1), at(2)];
  const begun = startHistory({ text: 'x', placement: none, drafts: NO_DRAFTS });
  const added = amend(change(begun, { text: 'xa', label: 'Add a', now: 0 }), one);
  const nudged = change(change(added, { placement: at(3), label: 'Move a', group: 'move a', now: 1 }), {
    placement: two,
    label: 'Move a',
    group: 'move a',
    now: 2,
  });
  expect(nudged.past.map(({ label }) => label)).toEqual(['Add a', 'Move a']);
  const back = undo(nudged);
  expect([back.text, back.placement]).toEqual(['xa', one]);
  expect([undo(back).text, undo(back).placement]).toEqual(['x', none]);
  expect(redo(redo(undo(back))).placement).toBe(two);
});
