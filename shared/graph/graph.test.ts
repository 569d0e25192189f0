import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  effectiveGraph,
  entrypointsOf,
  findCycle,
  nodesOf,
  reachableFrom,
  type RoutingGraph,
  sourcesNeeded,
  sourcesOf,
  systemProblems,
  targetsOf,
} from './graph.ts';

const to = (...names: string[]) => ({ edges: names.map((name) => ({ to: name })) });
const NAMES = ['a', 'b', 'c', 'd', 'e', 'constructor'];

/** Any graph over a few names. */
const anyGraph: fc.Arbitrary<RoutingGraph> = fc.dictionary(
  fc.constantFrom(...NAMES),
  fc.record(
    { next: fc.constantFrom(...NAMES, ''), edges: fc.array(fc.record({ to: fc.constantFrom(...NAMES) }), { maxLength: 3 }) },
    { requiredKeys: [] },
  ),
);

/** Whether a walk along routes from `start` comes back to it. */
function returns(graph: RoutingGraph, start: string): boolean {
  const node = Object.hasOwn(graph, start) ? graph[start] : undefined;
  return node !== undefined && reachableFrom(graph, targetsOf(node)).has(start);
}

describe('routes', () => {
  test('lead to next first, then to edges, each target once and blanks nowhere', () => {
    expect(targetsOf({ next: 'b', ...to('c', 'b', '', 'c') })).toEqual(['b', 'c']);
  });

  test('in a system without a graph lead from each agent to the next', () => {
    expect(effectiveGraph({ agents: ['a', 'b'] })).toEqual({ a: { next: 'b' }, b: { next: undefined } });
    expect(effectiveGraph({ agents: ['a', 'b'], graph: { b: to('a') } })).toEqual({ b: to('a') });
  });

  test('are the same seen from either end', () => {
    const property = fc.property(anyGraph, (graph) => {
      const forward = Object.entries(graph).flatMap(([name, node]) => targetsOf(node).map((target) => `${name}>${target}`));
      const backward = [...sourcesOf(graph)].flatMap(([target, sources]) => sources.map((source) => `${source}>${target}`));
      expect(backward.sort()).toEqual(forward.sort());
    });
    fc.assert(property);
  });
});

describe('entrypoints', () => {
  test('are the nodes nothing leads to', () => {
    expect(entrypointsOf({ agents: ['a', 'b', 'c', 'd'], graph: { b: to('c'), a: to('c'), c: to('d') } })).toEqual(['b', 'a']);
  });

  test('in a pure cycle are its first agent', () => {
    expect(entrypointsOf({ agents: ['b', 'a'], graph: { a: to('b'), b: to('a') } })).toEqual(['b']);
  });

  test('in a pure cycle exclude agents outside of it', () => {
    expect(entrypointsOf({ agents: ['x', 'b', 'a'], graph: { a: to('b'), b: to('a') } })).toEqual(['b']);
  });

  test('in a graph without a cycle lead to every node', () => {
    const property = fc.property(anyGraph, (graph) => {
      fc.pre(Object.keys(graph).length > 0 && findCycle(graph) === undefined);
      const entries = entrypointsOf({ agents: NAMES, graph });
      expect([...reachableFrom(graph, entries)].sort()).toEqual(nodesOf(graph).sort());
    });
    fc.assert(property);
  });
});

describe('a cycle', () => {
  test('is found with the nodes along it', () => {
    expect(findCycle({ a: to('b'), b: to('c'), c: to('b') })).toEqual(['b', 'c']);
    expect(findCycle({ a: to('a') })).toEqual(['a']);
  });

  test('is not a path that forks and meets again', () => {
    expect(findCycle({ a: to('b', 'c'), b: to('d'), c: to('d') })).toBeUndefined();
  });

  test('is found exactly when some node leads back to itself, and is one', () => {
    const property = fc.property(anyGraph, (graph) => {
      const cycle = findCycle(graph);
      expect(cycle !== undefined).toBe(Object.keys(graph).some((name) => returns(graph, name)));
      cycle?.forEach((name, index) => expect(targetsOf(graph[name] ?? {})).toContain(cycle[(index + 1) % cycle.length]));
    });
    fc.assert(property);
  });

  test('is found at the end of a chain of 100,000 nodes', () => {
    const chain = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`n${index}`, to(`n${index + 1}`)]));
    expect(findCycle(chain)).toBeUndefined();
    expect(findCycle({ ...chain, n100000: to('n99999') })).toEqual(['n99999', 'n100000']);
  });
});

describe('a join', () => {
  test.each([
    ['all without a policy', undefined, 3, 3],
    ['all', { mode: 'wait_for_all', quorum_count: 1 }, 3, 3],
    ['a count', { mode: 'quorum', quorum_count: 2 }, 3, 2],
    ['no more than there are', { mode: 'quorum', quorum_count: 9 }, 3, 3],
    ['a share, rounded up', { mode: 'quorum', quorum_percent: 50 }, 3, 2],
    ['the count where both are given', { mode: 'quorum', quorum_count: 1, quorum_percent: 100 }, 3, 1],
    ['all when the quorum says nothing', { mode: 'quorum', quorum_count: 0, quorum_percent: 0 }, 3, 3],
    ['nothing when nothing can come', { mode: 'quorum', quorum_count: 2 }, 0, 0],
  ])('needs %s', (_, policy, expected, needed) => {
    expect(sourcesNeeded(policy, expected)).toBe(needed);
  });

  test('needs at least one and at most all of its sources', () => {
    const policy = fc.record({ mode: fc.constantFrom('wait_for_all', 'quorum'), quorum_count: fc.nat(9), quorum_percent: fc.nat(100) });
    const property = fc.property(policy, fc.integer({ min: 1, max: 9 }), (join, expected) => {
      const needed = sourcesNeeded(join, expected);
      return needed >= 1 && needed <= expected;
    });
    fc.assert(property);
  });
});

describe('a system', () => {
  test('runs without problems', () => {
    expect(systemProblems({ agents: ['a', 'b'], graph: { a: to('b') } }, 0)).toEqual([]);
    expect(systemProblems({ agents: ['a'] }, 0)).toEqual([]);
    expect(systemProblems({ agents: ['a', 'b'], graph: { a: to('b'), b: to('a') } }, 3)).toEqual([]);
  });

  test('needs an agent', () => {
    expect(systemProblems({}, 0)).toEqual([{ path: 'spec.agents', message: 'must list at least one agent' }]);
  });

  test('names every unknown agent and the cycle at once', () => {
    const graph = { a: { next: 'x', ...to('b', 'y') }, 'odd.node': {}, b: to('a') };
    expect(systemProblems({ agents: ['a', 'b'], graph }, 0)).toEqual([
      { path: 'spec.graph.a.next', message: 'leads to "x", which is not in spec.agents' },
      { path: 'spec.graph.a.edges[1].to', message: 'leads to "y", which is not in spec.agents' },
      { path: 'spec.graph["odd.node"]', message: 'is a node named "odd.node", which is not in spec.agents' },
      { path: 'spec.max_turns', message: 'must be above 0, because the graph has a cycle: a → b → a' },
    ]);
  });

  test('is judged whatever its graph is', () => {
    const property = fc.property(anyGraph, fc.nat(2), (graph, maxTurns) => {
      const problems = systemProblems({ agents: NAMES, graph }, maxTurns);
      expect(problems.length).toBe(maxTurns === 0 && findCycle(graph) !== undefined ? 1 : 0);
    });
    fc.assert(property);
  });
});
