// Reads the data of a picture from the spec of an AgentSystem in any state, also an incomplete one. Total and pure: invalid parts are left
// out, values are coerced as the server's normalisation does.
import { isObject } from '@svc/shared/json';

export type JoinFailure = 'deadletter' | 'skip' | 'continue_partial';

export interface JoinRead {
  readonly mode: 'wait_for_all' | 'quorum';
  readonly quorum_count: number;
  readonly quorum_percent: number;
  readonly on_failure: JoinFailure;
}

export interface ReviewRead {
  readonly checkpoint_id: string;
  readonly reason: string;
}

export interface RouteRead {
  readonly to: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly condition: string;
  /** Its index in `edges`, which differs from its index here when others are invalid. */
  readonly index: number;
}

export interface NodeRead {
  readonly next?: string;
  readonly edges: readonly RouteRead[];
  readonly join?: JoinRead;
  readonly review?: ReviewRead;
}

export interface SystemRead {
  readonly agents: readonly string[];
  /** Undefined when there is none: the agents run in the listed order. */
  readonly graph?: Readonly<Record<string, NodeRead>>;
  readonly completionReview?: ReviewRead;
}

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '');
const count = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? Math.max(0, Math.trunc(value)) : 0);

function texts(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, typeof each === 'boolean' ? String(each) : text(each)]));
}

function readRoute(value: unknown, index: number): RouteRead[] {
  if (!isObject(value)) return [];
  const to = text(value['to']);
  const policy = texts(value['policy']);
  return to === '' ? [] : [{ to, labels: texts(value['labels']), condition: policy['condition'] ?? '', index }];
}

function readJoin(value: unknown): JoinRead | undefined {
  if (!isObject(value)) return undefined;
  const onFailure = text(value['on_failure']).toLowerCase();
  return {
    mode: text(value['mode']).toLowerCase() === 'quorum' ? 'quorum' : 'wait_for_all',
    quorum_count: count(value['quorum_count']),
    quorum_percent: Math.min(100, count(value['quorum_percent'])),
    on_failure: onFailure === 'skip' || onFailure === 'continue_partial' ? onFailure : 'deadletter',
  };
}

function readReview(value: unknown): ReviewRead | undefined {
  if (!isObject(value)) return undefined;
  return { checkpoint_id: text(value['checkpoint_id']), reason: text(value['reason']) };
}

function readNode(value: unknown): NodeRead {
  if (!isObject(value)) return { edges: [] };
  const next = text(value['next']);
  const edges: unknown = value['edges'];
  const join = readJoin(value['join']);
  const review = readReview(value['review']);
  return {
    edges: Array.isArray(edges) ? edges.flatMap(readRoute) : [],
    ...(next !== '' && { next }),
    ...(join && { join }),
    ...(review && { review }),
  };
}

/** A map whose keys may be `__proto__` without harm. */
function readGraph(value: object): Record<string, NodeRead> {
  const graph = Object.create(null) as Record<string, NodeRead>;
  for (const [name, node] of Object.entries(value)) if (name.trim() !== '') graph[name.trim()] = readNode(node);
  return graph;
}

export function readSystem(draft: unknown): SystemRead {
  if (!isObject(draft)) return { agents: [] };
  const { agents, graph } = draft;
  const review = readReview(draft['completion_review']);
  const names = Array.isArray(agents) ? agents.map(text).filter((name) => name !== '') : [];
  return {
    agents: [...new Set(names)],
    ...(isObject(graph) && Object.keys(graph).length > 0 && { graph: readGraph(graph) }),
    ...(review && { completionReview: review }),
  };
}
