// Rules of AgentSystem at write time; those on its graph as a whole are checked when a Task runs it (shared/graph).
// Source: SPEC "AgentSystem", DECISIONS sections 3 and 9.
import type { FieldError } from '../../errors.ts';
import { canonicalJson } from '../../json.ts';
import { patternProblem } from '../../regex.ts';
import { APPROVAL_TTL_DEFAULT, MAX_REVIEW_CYCLES_DEFAULT } from '../approval-limits.ts';
import { defined, keyword, trimmed, unique } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atKey, atLeast, objectRef, objectRefs, oneOf, positiveDuration, problemAt } from '../field-rules.ts';
import { refsTo, refTo } from '../references.ts';
import {
  A2A_AUTH_MODES,
  type AgentSystemSpec,
  type GraphNode,
  type GraphRoute,
  JOIN_FAILURE_MODES,
  JOIN_MODES,
  type ReviewPoint,
} from './schema.ts';

const PERCENT_MAX = 100;
const OUTPUT_MATCHES = 'output_matches:';

export function normalizeAgentSystem(spec: AgentSystemSpec): AgentSystemSpec {
  return defined({
    ...spec,
    agents: unique(spec.agents),
    graph: spec.graph && Object.fromEntries(Object.entries(spec.graph).map(([name, node]) => [name, normalizeNode(node)])),
    completion_review: normalizeReview(spec.completion_review),
    a2a: { enabled: spec.a2a?.enabled ?? false, auth: keyword(spec.a2a?.auth) ?? 'bearer' },
  });
}

function normalizeNode(node: GraphNode): GraphNode {
  return defined({
    ...node,
    next: trimmed(node.next),
    edges: node.edges && withoutRepeats(node.edges.map(normalizeRoute)),
    join: node.join && normalizeJoin(node.join),
    review: normalizeReview(node.review),
  });
}

function normalizeRoute(route: GraphRoute): GraphRoute {
  const condition = trimmed(route.policy?.['condition']);
  const { condition: _, ...others } = route.policy ?? {};
  return defined({ ...route, to: route.to.trim(), policy: route.policy && { ...others, ...(condition !== undefined && { condition }) } });
}

/** Equal routes stand once. Routes to one target that differ in when they are taken all stay: each is another way there. */
function withoutRepeats(routes: readonly GraphRoute[]): GraphRoute[] {
  return [...new Map(routes.map((route) => [canonicalJson(route), route])).values()];
}

function normalizeJoin(join: NonNullable<GraphNode['join']>): NonNullable<GraphNode['join']> {
  return defined({
    mode: JOIN_MODES.find((mode) => mode === keyword(join.mode)) ?? 'wait_for_all',
    quorum_count: join.quorum_count === undefined ? undefined : Math.max(0, join.quorum_count),
    quorum_percent: join.quorum_percent === undefined ? undefined : Math.min(PERCENT_MAX, Math.max(0, join.quorum_percent)),
    on_failure: JOIN_FAILURE_MODES.find((mode) => mode === keyword(join.on_failure)) ?? 'deadletter',
  });
}

function normalizeReview(review: ReviewPoint | undefined): ReviewPoint | undefined {
  if (review === undefined) return undefined;
  return defined({
    ...review,
    checkpoint_id: review.checkpoint_id.trim(),
    ttl: trimmed(review.ttl) ?? APPROVAL_TTL_DEFAULT,
    allow_request_changes: review.allow_request_changes ?? true,
    max_review_cycles: review.max_review_cycles ?? MAX_REVIEW_CYCLES_DEFAULT,
  });
}

export function validateAgentSystem(spec: AgentSystemSpec): FieldError[] {
  return [
    ...objectRefs('spec.agents', spec.agents),
    ...Object.entries(spec.graph ?? {}).flatMap(([name, node]) => nodeErrors(atKey('spec.graph', name), node)),
    ...reviewErrors('spec.completion_review', spec.completion_review),
    ...repeatedCheckpoints(spec),
    ...oneOf('spec.a2a.auth', spec.a2a?.auth, A2A_AUTH_MODES),
  ];
}

function nodeErrors(path: string, node: GraphNode): FieldError[] {
  return [
    ...objectRef(`${path}.next`, node.next),
    ...(node.edges ?? []).flatMap((route, index) => [
      ...objectRef(`${path}.edges[${index}].to`, route.to),
      ...problemAt(`${path}.edges[${index}].policy.condition`, conditionProblem(route.policy?.['condition'])),
    ]),
    ...reviewErrors(`${path}.review`, node.review),
  ];
}

function conditionProblem(condition: string | undefined): string | undefined {
  if (condition === undefined || condition === 'always' || condition === 'on_error') return undefined;
  if (!condition.startsWith(OUTPUT_MATCHES)) return `must be always, on_error or ${OUTPUT_MATCHES}<regular expression>, not "${condition}"`;
  return patternProblem(condition.slice(OUTPUT_MATCHES.length));
}

function reviewErrors(path: string, review: ReviewPoint | undefined): FieldError[] {
  return [...positiveDuration(`${path}.ttl`, review?.ttl), ...atLeast(`${path}.max_review_cycles`, review?.max_review_cycles, 0)];
}

/** A checkpoint id names one review point: approvals and their review cycles are told apart by it. */
function repeatedCheckpoints(spec: AgentSystemSpec): FieldError[] {
  const points = [
    ...Object.entries(spec.graph ?? {}).map(([name, node]) => ({
      path: `${atKey('spec.graph', name)}.review`,
      id: node.review?.checkpoint_id,
    })),
    { path: 'spec.completion_review', id: spec.completion_review?.checkpoint_id },
  ].filter(({ id }) => id !== undefined && id !== '');
  const seen = new Set<string | undefined>();
  return points.flatMap(({ path, id }) => {
    const repeated = seen.has(id);
    seen.add(id);
    return repeated
      ? [{ path: `${path}.checkpoint_id`, message: `must be unique in the system; "${id}" names another review point too` }]
      : [];
  });
}

export function agentSystemReferences(spec: AgentSystemSpec, context: RuleContext): Reference[] {
  const routes = Object.entries(spec.graph ?? {}).flatMap(([name, node]) => [
    { path: `${atKey('spec.graph', name)}.next`, ref: node.next },
    ...(node.edges ?? []).map((route, index) => ({ path: `${atKey('spec.graph', name)}.edges[${index}].to`, ref: route.to })),
  ]);
  return [
    ...refsTo({ kind: 'Agent', path: 'spec.agents' }, spec.agents, context),
    ...routes.flatMap(({ path, ref }) => refTo({ kind: 'Agent', path }, ref, context)),
  ];
}
