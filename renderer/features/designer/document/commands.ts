// Edits of a system on the canvas, in the outline and in the inspector: each a pure edit of its YAML text, independent of the screen.
import { isObject } from '@svc/shared/json';
import { editedText } from '../../../yaml/edit-document.ts';
import { memberAt, type DocumentEdit } from '../../../yaml/edit-value.ts';
import type { YamlPath } from '../../../yaml/path-text.ts';
import { toYaml } from '../../../yaml/serialise.ts';
import { onlyValueOf } from '../../../yaml/yaml-paths.ts';
import { readSystem, type JoinRead, type SystemRead } from '../../../graph/read-system.ts';
import type { SystemEdge } from '../../../graph/system-graph.ts';

/** A route: its agent, and its index there. */
export type RouteRef = Pick<SystemEdge, 'source' | 'target' | 'field'>;

export interface ReviewSettings {
  readonly checkpoint_id: string;
  readonly reason?: string;
  readonly ttl?: string;
  readonly allow_request_changes?: boolean;
  readonly max_review_cycles?: number;
}

const GRAPH: YamlPath = ['spec', 'graph'];
const AGENTS: YamlPath = ['spec', 'agents'];

/** The current spec; undefined when the text cannot be read. */
export function specOf(text: string): unknown {
  const value = onlyValueOf(text)?.value;
  return isObject(value) ? value['spec'] : undefined;
}

const read = (text: string): SystemRead => readSystem(specOf(text));

function valueAt(text: string, path: YamlPath): unknown {
  return memberAt(onlyValueOf(text)?.value, path);
}

/** Raw names, in the indexes of the text. */
function listOf(text: string, path: YamlPath): readonly unknown[] {
  const value = valueAt(text, path);
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function hasKey(text: string, path: YamlPath): boolean {
  return valueAt(text, path) !== undefined;
}

/** A system without a graph runs its agents in the listed order; drawing begins with writing that order down. */
function written(text: string): string {
  const { graph, agents } = read(text);
  if (graph !== undefined || agents.length === 0) return text;
  const nodes = agents.map((agent, index) => [agent, agents[index + 1] === undefined ? {} : { edges: [{ to: agents[index + 1] }] }]);
  return editedText(text, { op: 'set', path: GRAPH, value: Object.fromEntries(nodes) as unknown });
}

export function addAgent(text: string, agent: string): string {
  return read(text).agents.includes(agent)
    ? text
    : editedText(text, { op: 'insert', path: AGENTS, index: listOf(text, AGENTS).length, value: agent });
}

/** Removes the empty `edges` of nodes without routes. */
function tidied(text: string, nodes: readonly string[]): string {
  const paths = nodes.map((node): YamlPath => [...GRAPH, node, 'edges']);
  const empty = paths.filter((path) => hasKey(text, path) && listOf(text, path).length === 0);
  return editedText(text, ...empty.map((path): DocumentEdit => ({ op: 'delete', path })));
}

/** Agents with all routes from and to them. Their neighbours stay unconnected. */
export function removeAgents(text: string, agents: readonly string[]): string {
  const gone = new Set(agents);
  const { graph = {} } = read(text);
  const sources = Object.entries(graph).filter(([source]) => !gone.has(source));
  const routes = sources.flatMap(([source, { edges, next }]): YamlPath[] => [
    // In reverse, so that indexes stay valid.
    ...edges.flatMap(({ to, index }): YamlPath[] => (gone.has(to) ? [[...GRAPH, source, 'edges', index]] : [])).reverse(),
    ...(next !== undefined && gone.has(next) ? [[...GRAPH, source, 'next']] : []),
  ]);
  const nodes = agents.map((agent): YamlPath => [...GRAPH, agent]).filter((path) => hasKey(text, path));
  const places = listOf(text, AGENTS).flatMap((each, index) =>
    readSystem({ agents: [each] }).agents.some((name) => gone.has(name)) ? [index] : [],
  );
  const listed = places.reverse().map((index): YamlPath => [...AGENTS, index]);
  const left = editedText(text, ...[...routes, ...nodes, ...listed].map((path): DocumentEdit => ({ op: 'delete', path })));
  const touched = new Set(routes.map((path) => String(path[GRAPH.length])));
  const tidy = tidied(left, [...touched]);
  return read(tidy).agents.length === 0 && hasKey(tidy, GRAPH) && read(tidy).graph === undefined
    ? editedText(tidy, { op: 'delete', path: GRAPH })
    : tidy;
}

export function connect(text: string, source: string, target: string): string {
  const ready = [source, target].reduce(addAgent, written(text));
  const path = [...GRAPH, source, 'edges'];
  return editedText(ready, { op: 'insert', path, index: listOf(ready, path).length, value: { to: target } });
}

/** Whether a plain route may be drawn: an equal one would count once anyway. */
export function mayConnect(system: SystemRead, source: string, target: string): boolean {
  const node = system.graph?.[source];
  if (system.graph === undefined) return system.agents[system.agents.indexOf(source) + 1] !== target || source === target;
  return (
    node?.next !== target &&
    !node?.edges.some(({ to, labels, condition }) => to === target && Object.keys(labels).length === 0 && condition === '')
  );
}

export function disconnect(text: string, { source, target, field }: RouteRef): string {
  if (field === 'next') return editedText(text, { op: 'delete', path: [...GRAPH, source, 'next'] });
  const ready = field === 'implied' ? written(text) : text;
  const index =
    field === 'implied' ? listOf(ready, [...GRAPH, source, 'edges']).findIndex((each) => (each as { to?: unknown }).to === target) : field;
  return index < 0 ? ready : tidied(editedText(ready, { op: 'delete', path: [...GRAPH, source, 'edges', index] }), [source]);
}

/** Routes by index, the last of a node first, so that indexes stay valid. */
export function disconnectAll(text: string, routes: readonly RouteRef[]): string {
  const place = ({ field }: RouteRef) => (typeof field === 'number' ? field : -1);
  return [...routes].sort((a, b) => place(b) - place(a)).reduce(disconnect, text);
}

/** Inserts the agent between the two ends; the route keeps its conditions up to it. */
export function insertOnEdge(text: string, route: RouteRef, agent: string): string {
  const ready = addAgent(route.field === 'implied' ? written(text) : text, agent);
  const edges = [...GRAPH, route.source, 'edges'];
  const index =
    typeof route.field === 'number'
      ? route.field
      : listOf(ready, edges).findIndex((each) => (each as { to?: unknown }).to === route.target);
  const path = route.field === 'next' ? [...GRAPH, route.source, 'next'] : [...edges, index, 'to'];
  const led = editedText(ready, { op: 'set', path, value: agent });
  return mayConnect(read(led), agent, route.target) ? connect(led, agent, route.target) : led;
}

/** `next` becomes the first of the edges, which express the same and more. */
export function convertNext(text: string, source: string): string {
  const next = read(text).graph?.[source]?.next;
  if (next === undefined) return written(text);
  return editedText(
    text,
    { op: 'delete', path: [...GRAPH, source, 'next'] },
    { op: 'insert', path: [...GRAPH, source, 'edges'], index: 0, value: { to: next } },
  );
}

/** A route in `edges`, and the text that contains it. */
function asEdge(text: string, route: RouteRef): { readonly text: string; readonly path: YamlPath } {
  const ready = route.field === 'next' ? convertNext(text, route.source) : route.field === 'implied' ? written(text) : text;
  const index = typeof route.field === 'number' ? route.field : 0;
  return { text: ready, path: [...GRAPH, route.source, 'edges', index] };
}

/** The route is taken when the output carries all of these. */
export function setEdgeLabels(text: string, route: RouteRef, labels: Readonly<Record<string, string>>): string {
  const { text: ready, path } = asEdge(text, route);
  const before = Object.keys(read(ready).graph?.[route.source]?.edges.find(({ index }) => index === path.at(-1))?.labels ?? {});
  if (Object.keys(labels).length === 0) return before.length === 0 ? ready : editedText(ready, { op: 'delete', path: [...path, 'labels'] });
  const gone = before
    .filter((key) => !Object.hasOwn(labels, key))
    .map((key): DocumentEdit => ({ op: 'delete', path: [...path, 'labels', key] }));
  const sets = Object.entries(labels).map(([key, value]): DocumentEdit => ({ op: 'set', path: [...path, 'labels', key], value }));
  const [renamed, ...others] = Object.keys(labels).filter((key) => !before.includes(key));
  const [old] = gone;
  // Renames a label in its place.
  if (renamed !== undefined && others.length === 0 && old && gone.length === 1)
    return editedText(ready, { op: 'rename', path: old.path, key: renamed }, ...sets);
  return editedText(ready, ...sets, ...gone);
}

/** `always`, `on_error`, `output_matches:…`; empty is on success. */
export function setEdgeCondition(text: string, route: RouteRef, condition: string): string {
  const { text: ready, path } = asEdge(text, route);
  if (condition !== '') return editedText(ready, { op: 'set', path: [...path, 'policy', 'condition'], value: condition });
  if (!hasKey(ready, [...path, 'policy', 'condition'])) return ready;
  const policy = valueAt(ready, [...path, 'policy']);
  const alone = isObject(policy) && Object.keys(policy).length === 1;
  return editedText(ready, { op: 'delete', path: alone ? [...path, 'policy'] : [...path, 'policy', 'condition'] });
}

/** Changes the place of a route among those of its agent. */
export function moveEdge(text: string, route: RouteRef, to: number): string {
  const { text: ready, path } = asEdge(text, route);
  const list = listOf(ready, path.slice(0, -1));
  const from = path.at(-1) as number;
  if (to < 0 || to >= list.length || to === from) return ready;
  return editedText(ready, { op: 'delete', path }, { op: 'insert', path: path.slice(0, -1), index: to, value: list[from] });
}

/** Undefined removes the join: the node has the defaults of every node with several sources. */
export function setJoin(text: string, node: string, join: JoinRead | undefined): string {
  const ready = written(text);
  const path = [...GRAPH, node, 'join'];
  if (join === undefined) return hasKey(ready, path) ? editedText(ready, { op: 'delete', path }) : ready;
  const quorum = join.mode === 'quorum';
  const wanted: readonly (readonly [string, unknown])[] = [
    ['mode', join.mode],
    ['quorum_count', quorum && join.quorum_count > 0 ? join.quorum_count : undefined],
    ['quorum_percent', quorum && join.quorum_percent > 0 ? join.quorum_percent : undefined],
    ['on_failure', join.on_failure],
  ];
  return setFields(ready, path, wanted);
}

/** Sets what has a value and removes what has none. */
function setFields(text: string, path: YamlPath, fields: readonly (readonly [string, unknown])[]): string {
  const before = valueAt(text, path);
  if (!isObject(before))
    return editedText(text, { op: 'set', path, value: Object.fromEntries(fields.filter(([, value]) => value !== undefined)) });
  return editedText(
    text,
    ...fields.map(([key, value]): DocumentEdit =>
      value === undefined ? { op: 'delete', path: [...path, key] } : { op: 'set', path: [...path, key], value },
    ),
  );
}

/** Sets the review of an agent's output, or of the final one where `node` is undefined. Without settings there is no review. */
export function setReview(text: string, node: string | undefined, review: ReviewSettings | undefined): string {
  const ready = node === undefined ? text : written(text);
  const path = node === undefined ? ['spec', 'completion_review'] : [...GRAPH, node, 'review'];
  if (review === undefined) return hasKey(ready, path) ? editedText(ready, { op: 'delete', path }) : ready;
  return setFields(ready, path, Object.entries(review));
}

/** Copies the routes and the join of `like` to `agent`. */
export function addLike(text: string, agent: string, like: string): string {
  const ready = addAgent(written(text), agent);
  const node = valueAt(ready, [...GRAPH, like]);
  // The name of a review is unique in a system.
  const { review: _, ...same } = isObject(node) ? node : {};
  const placed = hasKey(ready, [...GRAPH, agent]) ? ready : editedText(ready, { op: 'set', path: [...GRAPH, agent], value: same });
  const { graph = {} } = read(placed);
  return Object.entries(graph).reduce((now, [source, { edges, next }]) => {
    const path = [...GRAPH, source, 'edges'];
    const routes = listOf(now, path).filter((each) => (each as { to?: unknown } | null)?.to === like);
    if (source === agent || edges.length + (next === undefined ? 0 : 1) === 0) return now;
    const all = next === like && routes.length === 0 ? [{ to: agent }] : routes.map((route) => ({ ...(route as object), to: agent }));
    return editedText(now, ...all.map((value): DocumentEdit => ({ op: 'insert', path, index: Number.MAX_SAFE_INTEGER, value })));
  }, placed);
}

/** Selected agents with the routes among them, as YAML that can be pasted into any system. */
export function copyOf(text: string, agents: readonly string[]): string {
  const { graph } = read(text);
  const kept = new Set(agents);
  const nodes = agents.flatMap((agent) => {
    const node = graph?.[agent];
    if (!node) return [];
    const raw = valueAt(text, [...GRAPH, agent]);
    const edges = listOf(text, [...GRAPH, agent, 'edges']).filter((each) => kept.has(String((each as { to?: unknown } | null)?.to)));
    const { next: _next, edges: _edges, ...rest } = isObject(raw) ? raw : {};
    return [
      [agent, { ...(node.next !== undefined && kept.has(node.next) && { next: node.next }), ...(edges.length > 0 && { edges }), ...rest }],
    ];
  });
  return toYaml({ spec: { agents, ...(nodes.length > 0 && { graph: Object.fromEntries(nodes) as unknown }) } });
}

/** System or part of one on the clipboard; undefined for any other text. */
export function pasteable(clip: string): SystemRead | undefined {
  const system = readSystem(specOf(clip));
  return system.agents.length > 0 ? system : undefined;
}

/** Routes of a copied part from existing agents to the added ones. */
function pasteRoutes(text: string, clip: string, added: ReadonlySet<string>): string {
  const { graph = {} } = readSystem(specOf(clip));
  const there = new Set(read(text).agents);
  const ways = Object.entries(graph).flatMap(([source, { next, edges }]) => {
    if (added.has(source) || !there.has(source)) return [];
    const listed = listOf(clip, [...GRAPH, source, 'edges']);
    const values = edges.filter(({ to }) => added.has(to)).map(({ index }) => listed[index]);
    return [...(next !== undefined && added.has(next) ? [{ to: next }] : []), ...values].map((value) => ({ source, value }));
  });
  return ways.reduce(
    (now, { source, value }) => editedText(now, { op: 'insert', path: [...GRAPH, source, 'edges'], index: Number.MAX_SAFE_INTEGER, value }),
    text,
  );
}

/** Adds the missing agents of a copied part, with their routes. */
export function paste(text: string, clip: string): string {
  const part = pasteable(clip);
  if (!part) return text;
  const before = new Set(read(text).agents);
  const added = part.agents.filter((agent) => !before.has(agent));
  const withGraph = part.graph === undefined ? text : written(text);
  const pasted = added.reduce((now, agent) => {
    const node = valueAt(clip, [...GRAPH, agent]);
    const listed = addAgent(now, agent);
    return node === undefined || node === null ? listed : editedText(listed, { op: 'set', path: [...GRAPH, agent], value: node });
  }, withGraph);
  return pasteRoutes(pasted, clip, new Set(added));
}
