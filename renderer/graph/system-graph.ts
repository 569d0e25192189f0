// An AgentSystem as a picture: nodes and routes with their drawn properties. Pure; uses shared/graph, so that it agrees with the engine.
import {
  effectiveGraph,
  entrypointsOf,
  findCycle,
  nodesOf,
  reachableFrom,
  sourcesNeeded,
  sourcesOf,
  targetsOf,
} from '@svc/shared/graph/graph';
import { routeKey } from './overlay.ts';
import type { JoinFailure, NodeRead, ReviewRead, RouteRead, SystemRead } from './read-system.ts';

/** Style of a route. A back route is a loop whatever its condition; a condition overrides a fan-out. */
type EdgeKind = 'next' | 'fan-out' | 'conditional' | 'loop-back';

export interface SystemEdge {
  /** `a→b#next`, `a→b#0`: the pair and its route. Stable while other pairs change. */
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The pair, the key of a run's overlay. */
  readonly route: string;
  readonly kind: EdgeKind;
  readonly self: boolean;
  /** Its place in the spec: the node's `next`, its index in `edges`, or nowhere: it follows from the order of the agents. */
  readonly field: 'next' | 'implied' | number;
  readonly labels: Readonly<Record<string, string>>;
  /** `always`, `on_error`, `output_matches:…`, or nothing: on success. */
  readonly condition: string;
  /** Short labels on the route. */
  readonly chips: readonly string[];
  /** Its index among the routes of the pair, and their number. */
  readonly parallel: { readonly index: number; readonly count: number };
}

export interface JoinView {
  /** `ALL`, `2/3`, `60 %`. */
  readonly badge: string;
  readonly needed: number;
  readonly expected: number;
  readonly quorum: boolean;
  readonly onFailure: JoinFailure;
  /** Whether the node sets it; otherwise these are the defaults of every node with several sources. */
  readonly declared: boolean;
}

export interface SystemNode {
  readonly id: string;
  /** Listed in spec.agents. An unlisted node cannot run. */
  readonly listed: boolean;
  readonly entry: boolean;
  readonly terminal: boolean;
  /** Whether a run can reach it. */
  readonly reachable: boolean;
  readonly sources: readonly string[];
  readonly targets: readonly string[];
  readonly join?: JoinView;
  readonly review?: ReviewRead;
  /** The final output is reviewed after this terminal. */
  readonly finalReview: boolean;
}

export interface SystemGraphModel {
  readonly nodes: readonly SystemNode[];
  readonly edges: readonly SystemEdge[];
  readonly byName: ReadonlyMap<string, SystemNode>;
  /** One cycle, as the nodes along it. */
  readonly cycle?: readonly string[];
  /** Nodes and routes that determine the layout: equal for equal structure. */
  readonly structure: string;
}

const MATCHES = 'output_matches:';

function chipsOf({ labels, condition }: Pick<RouteRead, 'labels' | 'condition'>): string[] {
  const words = Object.entries(labels).map(([key, value]) => `if ${key} is ${value}`);
  if (condition === 'on_error') return ['on error', ...words];
  if (condition === 'always') return ['always', ...words];
  if (condition.startsWith(MATCHES)) return [`if it matches /${condition.slice(MATCHES.length)}/`, ...words];
  return condition === '' ? words : [condition, ...words];
}

/** Routes that close a cycle: those that lead back to an ancestor. Iterative, in order of mention. */
function backRoutes(graph: Readonly<Record<string, NodeRead>>, starts: readonly string[]): ReadonlySet<string> {
  const back = new Set<string>();
  const done = new Set<string>();
  for (const start of starts) {
    const path: { readonly name: string; readonly rest: string[] }[] = [];
    const onPath = new Set<string>();
    const enter = (name: string) => {
      path.push({ name, rest: targetsOf((Object.hasOwn(graph, name) && graph[name]) || { edges: [] }) });
      onPath.add(name);
    };
    if (!done.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const to = top.rest.shift();
      if (to === undefined) {
        done.add(top.name);
        onPath.delete(top.name);
        path.pop();
      } else if (onPath.has(to)) back.add(routeKey(top.name, to));
      else if (!done.has(to)) enter(to);
    }
  }
  return back;
}

interface DrawnRoute extends Pick<RouteRead, 'to' | 'labels' | 'condition'> {
  readonly field: SystemEdge['field'];
}

function drawnRoutes(node: NodeRead, implied: boolean): DrawnRoute[] {
  const next: DrawnRoute[] =
    node.next === undefined ? [] : [{ to: node.next, labels: {}, condition: '', field: implied ? 'implied' : 'next' }];
  return [...next, ...node.edges.map(({ index, ...route }) => ({ ...route, field: index }))];
}

function edgesOf(source: string, routes: readonly DrawnRoute[], back: ReadonlySet<string>): SystemEdge[] {
  const plain = routes.filter(({ labels, condition }) => Object.keys(labels).length === 0 && condition === '');
  const fansOut = new Set(plain.map(({ to }) => to)).size > 1;
  const seen = new Map<string, number>();
  const total = (to: string) => routes.filter((route) => route.to === to).length;
  return routes.map(({ to, labels, condition, field }) => {
    const index = seen.get(to) ?? 0;
    seen.set(to, index + 1);
    const route = routeKey(source, to);
    const conditional = Object.keys(labels).length > 0 || (condition !== '' && condition !== 'always');
    const kind = back.has(route) ? 'loop-back' : conditional ? 'conditional' : fansOut ? 'fan-out' : 'next';
    return {
      id: `${route}#${field === 'next' || field === 'implied' ? 'next' : index}`,
      source,
      target: to,
      route,
      kind,
      self: source === to,
      field,
      labels,
      condition,
      chips: chipsOf({ labels, condition }),
      parallel: { index, count: total(to) },
    };
  });
}

/** View of a join of this many sources; undefined when messages are not collected there. */
export function joinView(join: NodeRead['join'], expected: number): JoinView | undefined {
  if (expected === 0 || (expected === 1 && join === undefined)) return undefined;
  const needed = sourcesNeeded(join, expected);
  const quorum = join?.mode === 'quorum' && (join.quorum_count > 0 || join.quorum_percent > 0);
  const share = quorum && join.quorum_count === 0;
  const badge = !quorum ? 'ALL' : share ? `${join.quorum_percent} %` : `${join.quorum_count}/${expected}`;
  return { badge, needed, expected, quorum, onFailure: join?.on_failure ?? 'deadletter', declared: join !== undefined };
}

/** Total: a system of any shape has a picture. */
export function systemGraph(system: SystemRead): SystemGraphModel {
  const implied = system.graph === undefined;
  const graph = effectiveGraph(system) as Readonly<Record<string, NodeRead>>;
  const own = (name: string): NodeRead => {
    const node = Object.hasOwn(graph, name) ? graph[name] : undefined;
    return node === undefined ? { edges: [] } : { ...node, edges: node.edges ?? [] };
  };
  const names = [...new Set([...nodesOf(graph), ...system.agents])];
  const entries = system.agents.length === 0 && names.length === 0 ? [] : entrypointsOf(system);
  const sources = sourcesOf(graph);
  const reachable = reachableFrom(graph, entries);
  const listed = new Set(system.agents);
  const back = backRoutes(graph, [...entries, ...names]);
  const nodes = names.map((id): SystemNode => {
    const node = own(id);
    const from = sources.get(id) ?? [];
    const targets = targetsOf(node);
    const terminal = targets.length === 0 && reachable.has(id);
    const join = joinView(node.join, from.length);
    return {
      id,
      listed: listed.has(id),
      entry: entries.includes(id),
      terminal,
      reachable: reachable.has(id),
      sources: from,
      targets,
      ...(join && { join }),
      ...(node.review && { review: node.review }),
      finalReview: terminal && system.completionReview !== undefined,
    };
  });
  const edges = names.flatMap((name) => edgesOf(name, drawnRoutes(own(name), implied), back));
  const cycle = findCycle(graph);
  const structure = `${names.join(' ')}|${edges.map(({ route }) => route).join(' ')}`;
  return { nodes, edges, byName: new Map(nodes.map((node) => [node.id, node])), ...(cycle && { cycle }), structure };
}
