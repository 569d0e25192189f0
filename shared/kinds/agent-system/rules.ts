// Rules of AgentSystem at write time. The graph is checked against the agents when a Task starts.
import type { FieldError } from '../../errors.ts';
import { canonicalJson, isObject } from '../../json.ts';
import { systemProblems, unreachedAgents } from '../../graph/graph.ts';
import { patternProblem } from '../../graph/output-pattern.ts';
import { APPROVAL_TTL_DEFAULT, MAX_REVIEW_CYCLES_DEFAULT } from '../approval-limits.ts';
import { defined, keyword, trimmed, unique } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, objectRef, objectRefs, oneOf, positiveDuration } from '../field-rules.ts';
import { didYouMean } from '../../nearest-word.ts';
import { atKey } from '../../path-text.ts';
import { refsTo } from '../references.ts';
import { schemaErrors } from '../tool/schema-cost.ts';
import {
  A2A_AUTH_MODES,
  type WrittenAgentSystemSpec,
  type WrittenGraphJoin,
  type WrittenGraphNode,
  type WrittenGraphRoute,
  JOIN_FAILURE_POLICIES,
  JOIN_MODES,
  type WrittenReview,
} from './schema.ts';

const MATCHES = 'output_matches:';
/** Agents that one warning names. */
const NAMES_MAX = 10;
const PLAIN_CONDITIONS: readonly string[] = ['always', 'on_error'];

export function normalizeAgentSystem(spec: WrittenAgentSystemSpec) {
  return defined({
    ...spec,
    agents: unique(spec.agents),
    graph: spec.graph && Object.fromEntries(Object.entries(spec.graph).map(([name, node]) => [name.trim(), normalizeNode(node)])),
    completion_review: spec.completion_review && normalizeReview(spec.completion_review),
    a2a: spec.a2a && { enabled: spec.a2a.enabled ?? false, auth: keyword(spec.a2a.auth) ?? 'bearer' },
    mcp: spec.mcp && defined({ ...spec.mcp, enabled: spec.mcp.enabled ?? false }),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type AgentSystemSpec = ReturnType<typeof normalizeAgentSystem>;
export type GraphNode = ReturnType<typeof normalizeNode>;
export type GraphRoute = ReturnType<typeof normalizeRoute>;
export type Review = ReturnType<typeof normalizeReview>;

function normalizeNode(node: WrittenGraphNode) {
  return defined({
    next: trimmed(node.next),
    edges: node.edges && uniqueRoutes(node.edges.map(normalizeRoute)),
    join: node.join && normalizeJoin(node.join),
    review: node.review && normalizeReview(node.review),
  });
}

function normalizeRoute(route: WrittenGraphRoute) {
  const condition = trimmed(route.policy?.['condition']);
  return defined({
    ...route,
    to: route.to.trim(),
    policy: route.policy && { ...route.policy, ...(condition !== undefined && { condition }) },
  });
}

/** Equal routes count once; blank ones stay, so that they are reported. */
function uniqueRoutes(routes: readonly GraphRoute[]): GraphRoute[] {
  const seen = new Set<string>();
  return routes.filter((route) => route.to === '' || (!seen.has(canonicalJson(route)) && seen.add(canonicalJson(route))));
}

/** Joins are coerced, not rejected. */
function normalizeJoin(join: WrittenGraphJoin) {
  const mode = keyword(join.mode) ?? '';
  const onFailure = keyword(join.on_failure) ?? '';
  return {
    mode: JOIN_MODES.find((known) => known === mode) ?? 'wait_for_all',
    quorum_count: Math.max(0, join.quorum_count ?? 0),
    quorum_percent: Math.min(100, Math.max(0, join.quorum_percent ?? 0)),
    on_failure: JOIN_FAILURE_POLICIES.find((known) => known === onFailure) ?? 'deadletter',
  };
}

function normalizeReview(review: WrittenReview) {
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
    ...Object.entries(spec.graph ?? {}).flatMap(([name, node]) => nodeErrors(atKey('spec.graph', name), name, node)),
    ...reviewErrors('spec.completion_review', spec.completion_review),
    ...repeatedCheckpoints(spec),
    ...oneOf('spec.a2a.auth', spec.a2a?.auth, A2A_AUTH_MODES),
    ...argumentErrors(spec.mcp?.input_schema),
  ];
}

/** Arguments of an MCP tool are an object. */
function argumentErrors(schema: Readonly<Record<string, unknown>> | undefined): FieldError[] {
  const path = 'spec.mcp.input_schema';
  const { type = 'object', properties = {} } = schema ?? {};
  return [
    ...schemaErrors(path, schema),
    ...(type === 'object' ? [] : [{ path: `${path}.type`, message: 'must be object: arguments of a tool are named' }]),
    ...(isObject(properties) ? [] : [{ path: `${path}.properties`, message: 'must be an object' }]),
    ...(isObject(properties) && Object.hasOwn(properties, 'handle')
      ? [{ path: `${path}.properties.handle`, message: 'is reserved: calls with a handle request the result of an earlier call' }]
      : []),
  ];
}

function nodeErrors(path: string, name: string, node: GraphNode): FieldError[] {
  return [
    ...(name === '' ? [{ path, message: 'must be named after an agent' }] : []),
    ...objectRef(`${path}.next`, node.next),
    ...(node.edges ?? []).flatMap((route, index) => [
      ...objectRef(`${path}.edges[${index}].to`, route.to),
      ...conditionErrors(`${path}.edges[${index}].policy.condition`, route.policy?.['condition']),
    ]),
    ...reviewErrors(`${path}.review`, node.review),
  ];
}

function conditionErrors(path: string, condition: string | undefined): FieldError[] {
  if (condition === undefined || PLAIN_CONDITIONS.includes(condition)) return [];
  if (!condition.startsWith(MATCHES)) {
    return [{ path, message: `must be always, on_error or output_matches:<pattern>, not "${condition.slice(0, 80)}"` }];
  }
  const problem = patternProblem(condition.slice(MATCHES.length));
  return problem === undefined ? [] : [{ path, message: problem }];
}

function reviewErrors(path: string, review: Review | undefined): FieldError[] {
  return [...positiveDuration(`${path}.ttl`, review?.ttl), ...atLeast(`${path}.max_review_cycles`, review?.max_review_cycles, 1)];
}

/** A checkpoint id identifies one review point: approvals and their review cycles refer to it. */
function repeatedCheckpoints(spec: AgentSystemSpec): FieldError[] {
  const nodes = Object.entries(spec.graph ?? {}).map(([name, node]) => ({
    path: atKey('spec.graph', name) + '.review',
    review: node.review,
  }));
  const seen = new Set<string>();
  return [...nodes, { path: 'spec.completion_review', review: spec.completion_review }].flatMap(({ path, review }) => {
    const id = review?.checkpoint_id ?? '';
    const repeated = seen.has(id);
    if (id !== '') seen.add(id);
    return repeated
      ? [{ path: `${path}.checkpoint_id`, message: `must be unique in the system; "${id}" is another review point too` }]
      : [];
  });
}

/** The graph is judged when a Task starts, so that objects may be applied in any order; a cycle needs the Task's max_turns. */
export function adviseAgentSystem(spec: AgentSystemSpec): FieldError[] {
  return [
    ...systemProblems(spec, 1).map(({ path, message }) => ({ path, message: `${message}; its Tasks fail` })),
    ...unreachedAdvice(spec),
    ...Object.entries(spec.graph ?? {}).flatMap(([name, { edges = [] }]) =>
      edges.flatMap(({ policy = {} }, index) => policyAdvice(`${atKey('spec.graph', name)}.edges[${index}].policy`, policy)),
    ),
  ];
}

function unreachedAdvice(spec: AgentSystemSpec): FieldError[] {
  const names = unreachedAgents(spec);
  if (names.length === 0) return [];
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  const message = `lists agents that never run, because no path from an entry agent leads to them: ${names.slice(0, NAMES_MAX).join(', ')}${more}`;
  return [{ path: 'spec.agents', message }];
}

/** A policy takes any keys, so those without a meaning are stored; a mistyped one would make a route for errors one for successes. */
function policyAdvice(path: string, policy: Readonly<Record<string, string>>): FieldError[] {
  const strange = Object.keys(policy).filter((key) => key !== 'condition');
  const { condition = '' } = policy;
  const blank = condition.startsWith(MATCHES) && /^\s/.test(condition.slice(MATCHES.length));
  return [
    ...strange.map((key) => ({ path: atKey(path, key), message: `has no effect${didYouMean(key, ['condition'])}` })),
    ...(blank
      ? [{ path: `${path}.condition`, message: 'has a pattern that begins with a blank, which an output has to contain too' }]
      : []),
  ];
}

export function agentSystemReferences(spec: AgentSystemSpec, context: RuleContext): Reference[] {
  return refsTo({ kind: 'Agent', path: 'spec.agents' }, spec.agents, context);
}
