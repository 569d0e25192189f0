// Routing graph of an AgentSystem: routes of a node, entry nodes, cycles, sources of a join.
// Pure; used at Task validation, by the engine and by editors. docs/systems.md states the rules.
import type { FieldError } from '../errors.ts';
import { atKey } from '../path-text.ts';

/** Fields of a node that these functions read; a normalised GraphNode fits. */
export interface RoutingNode {
  readonly next?: string | undefined;
  readonly edges?: readonly { readonly to: string }[] | undefined;
}

export type RoutingGraph = Readonly<Record<string, RoutingNode>>;

export interface RoutingSystem {
  readonly agents?: readonly string[] | undefined;
  readonly graph?: RoutingGraph | undefined;
}

interface Target {
  readonly to: string;
  /** Its path in the node: `next`, `edges[1].to`. */
  readonly field: string;
}

function targetFields(node: RoutingNode): Target[] {
  const next = node.next ? [{ to: node.next, field: 'next' }] : [];
  const edges = (node.edges ?? []).map(({ to }, index) => ({ to, field: `edges[${index}].to` }));
  return [...next, ...edges].filter(({ to }) => to !== '');
}

function nodeOf(graph: RoutingGraph, name: string): RoutingNode {
  return (Object.hasOwn(graph, name) && graph[name]) || {};
}

/** The nodes a node leads to: `next` first, then edges in order, each once. */
export function targetsOf(node: RoutingNode): string[] {
  return [...new Set(targetFields(node).map(({ to }) => to))];
}

/** The graph a system runs: its own, or, when it has none, its agents one after the other. */
export function effectiveGraph({ agents = [], graph = {} }: RoutingSystem): RoutingGraph {
  if (Object.keys(graph).length > 0) return graph;
  return Object.fromEntries(agents.map((agent, index) => [agent, { next: agents[index + 1] }]));
}

/** Every node, named as a key or as a target, in order of first mention. */
export function nodesOf(graph: RoutingGraph): string[] {
  return [...new Set(Object.entries(graph).flatMap(([name, node]) => [name, ...targetsOf(node)]))];
}

/** For each node that something leads to, the nodes with a route to it, in order of mention. */
export function sourcesOf(graph: RoutingGraph): ReadonlyMap<string, readonly string[]> {
  const sources = new Map<string, string[]>();
  for (const [name, node] of Object.entries(graph)) {
    for (const to of targetsOf(node)) {
      const known = sources.get(to);
      if (known) known.push(name);
      else sources.set(to, [name]);
    }
  }
  return sources;
}

/** Where a run begins: the nodes nothing leads to; in a pure cycle the first agent that is a node of it. */
export function entrypointsOf(system: RoutingSystem): string[] {
  const { agents = [] } = system;
  const graph = effectiveGraph(system);
  const sources = sourcesOf(graph);
  const nodes = nodesOf(graph);
  const entries = nodes.filter((name) => !sources.has(name));
  if (entries.length > 0) return entries;
  return [agents.find((name) => nodes.includes(name)) ?? agents[0]].filter((name) => name !== undefined);
}

/** Every node a run that starts at `starts` can come to, the starts included. */
export function reachableFrom(graph: RoutingGraph, starts: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...starts];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    open.push(...targetsOf(nodeOf(graph, name)));
  }
  return found;
}

/** Agents that no run comes to, in order. */
export function unreachedAgents(system: RoutingSystem): string[] {
  const reached = reachableFrom(effectiveGraph(system), entrypointsOf(system));
  return (system.agents ?? []).filter((name) => !reached.has(name));
}

/** One cycle as the nodes along it, or undefined when there is none. Iterative: a long chain cannot exhaust the stack. */
export function findCycle(graph: RoutingGraph): string[] | undefined {
  const done = new Set<string>();
  for (const start of Object.keys(graph)) {
    const path: { readonly name: string; readonly rest: string[] }[] = [];
    const onPath = new Set<string>();
    const enter = (name: string) => {
      path.push({ name, rest: targetsOf(nodeOf(graph, name)) });
      onPath.add(name);
    };
    if (!done.has(start)) enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const to = top.rest.shift();
      if (to === undefined) {
        done.add(top.name);
        onPath.delete(top.name);
        path.pop();
      } else if (onPath.has(to)) {
        const names = path.map(({ name }) => name);
        return names.slice(names.indexOf(to));
      } else if (!done.has(to)) enter(to);
    }
  }
  return undefined;
}

/** Turns at most for a run of a loop where nobody states them: in forms at first, and for runs that a message starts. */
export const LOOP_TURNS = 10;

/** Limit of a Task that a message starts: a graph with a cycle needs one, and a message states none. */
export function turnsForMessage({ graph = {} }: RoutingSystem): { readonly max_turns?: number } {
  return findCycle(graph) ? { max_turns: LOOP_TURNS } : {};
}

export interface JoinPolicy {
  readonly mode?: string | undefined;
  readonly quorum_count?: number | undefined;
  readonly quorum_percent?: number | undefined;
}

/** How many of `expected` sources a join needs: all, or its quorum, where a count goes before a share. A quorum that names neither needs all. */
export function sourcesNeeded(join: JoinPolicy | undefined, expected: number): number {
  const { mode, quorum_count: count = 0, quorum_percent: percent = 0 } = join ?? {};
  if (mode !== 'quorum' || (count <= 0 && percent <= 0)) return expected;
  return Math.min(expected, count > 0 ? count : Math.ceil((expected * percent) / 100));
}

/**
 * Problems that keep a Task from running the system, checked when the Task starts. Paths are of the AgentSystem, but for
 * `spec.max_turns`, which is the Task's.
 */
export function systemProblems(system: RoutingSystem, maxTurns: number): FieldError[] {
  const agents = new Set(system.agents ?? []);
  if (agents.size === 0) return [{ path: 'spec.agents', message: 'must list at least one agent' }];
  const graph = system.graph ?? {};
  const strangers = Object.entries(graph).flatMap(([name, node]) => {
    const path = atKey('spec.graph', name);
    const own = agents.has(name) ? [] : [{ path, message: `is a node named "${name}", which is not in spec.agents` }];
    const targets = targetFields(node).filter(({ to }) => !agents.has(to));
    return [
      ...own,
      ...targets.map(({ to, field }) => ({ path: `${path}.${field}`, message: `leads to "${to}", which is not in spec.agents` })),
    ];
  });
  const cycle = maxTurns > 0 ? undefined : findCycle(graph);
  if (cycle === undefined) return strangers;
  const round = [...cycle, cycle[0]].join(' → ');
  return [...strangers, { path: 'spec.max_turns', message: `must be above 0, because the graph has a cycle: ${round}` }];
}
