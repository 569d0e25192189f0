// From specs as stored to the settings the rules read, defaults filled in. Pure.
import { parseDuration } from '@svc/shared/duration';
import { effectiveGraph, entrypointsOf } from '@svc/shared/graph/graph';
import { creatorsOf } from '../../registry/principal.ts';
import type { StoredObject } from '../../store/store.ts';
import { APPROVAL_TTL_DEFAULT, MAX_REVIEW_CYCLES_DEFAULT } from '@svc/shared/kinds/approval-limits';
import type {
  AgentSnapshot,
  JoinPolicy,
  NodeSnapshot,
  ReviewPoint,
  Route,
  RouteCondition,
  SystemSnapshot,
  TaskSnapshot,
} from '../core/snapshot.ts';

const MAX_STEPS_DEFAULT = 10;
const MAX_BACKOFF_DEFAULT_MS = 24 * 60 * 60 * 1000;

interface RetrySpec {
  readonly max_attempts?: number;
  readonly backoff?: string;
}

interface TaskSpecView {
  readonly input?: Readonly<Record<string, string>>;
  readonly max_turns?: number;
  readonly retry?: RetrySpec;
  readonly message_retry?: RetrySpec & {
    readonly max_backoff?: string;
    readonly jitter?: 'none' | 'full' | 'equal';
    readonly non_retryable?: readonly string[];
  };
}

export function taskSettings(task: StoredObject): TaskSnapshot {
  const spec = task.spec as TaskSpecView;
  const retry = { maxAttempts: Math.max(1, spec.retry?.max_attempts ?? 1), backoffMs: milliseconds(spec.retry?.backoff, 0) };
  const message = spec.message_retry ?? {};
  const maxAttempts = message.max_attempts ?? retry.maxAttempts;
  const backoffMs = milliseconds(message.backoff, retry.backoffMs);
  return {
    uid: task.uid,
    namespace: task.namespace,
    name: task.name,
    generation: task.generation,
    ...(task.createdBy !== undefined && { creators: creatorsOf(task) }),
    input: spec.input ?? {},
    maxTurns: spec.max_turns ?? 0,
    retry,
    messageRetry: {
      maxAttempts,
      backoffMs,
      maxBackoffMs: milliseconds(message.max_backoff, MAX_BACKOFF_DEFAULT_MS),
      jitter: message.jitter ?? 'full',
      nonRetryable: message.non_retryable ?? [],
      // Stored specs carry the defaults filled in, so equal numbers are taken as inherited ones.
      inherited: maxAttempts === retry.maxAttempts && backoffMs === retry.backoffMs,
    },
  };
}

function milliseconds(duration: string | undefined, fallback: number): number {
  return duration === undefined ? fallback : (parseDuration(duration) ?? fallback);
}

interface AgentSpecView {
  readonly prompt?: string;
  readonly model_ref?: string;
  readonly tools?: readonly string[];
  readonly roles?: readonly string[];
  readonly allowed_tools?: readonly string[];
  readonly limits?: { readonly max_steps?: number; readonly timeout?: string };
  readonly execution?: {
    readonly profile?: AgentSnapshot['profile'];
    readonly tool_sequence?: readonly string[];
    readonly required_output_markers?: readonly string[];
    readonly duplicate_tool_call_policy?: AgentSnapshot['duplicateToolCalls'];
    readonly on_contract_violation?: AgentSnapshot['onContractViolation'];
    readonly tool_use_behavior?: AgentSnapshot['toolUse'];
  };
}

export function agentSettings(name: string, stored: Readonly<Record<string, unknown>>): AgentSnapshot {
  const { prompt, model_ref: model, tools, roles, allowed_tools: allowedTools, limits, execution } = stored as AgentSpecView;
  const steps = limits?.max_steps ?? 0;
  return {
    name,
    prompt: prompt ?? '',
    model: model ?? '',
    tools: tools ?? [],
    roles: roles ?? [],
    allowedTools: allowedTools ?? [],
    maxSteps: steps > 0 ? steps : MAX_STEPS_DEFAULT,
    timeoutMs: milliseconds(limits?.timeout, 0),
    profile: execution?.profile ?? 'dynamic',
    toolSequence: execution?.tool_sequence ?? [],
    outputMarkers: execution?.required_output_markers ?? [],
    duplicateToolCalls: execution?.duplicate_tool_call_policy ?? 'short_circuit',
    onContractViolation: execution?.on_contract_violation ?? 'non_retryable_error',
    toolUse: execution?.tool_use_behavior ?? 'run_llm_again',
  };
}

// ---------------------------------------------------------------- graph

export interface SystemSpecView {
  readonly agents?: readonly string[];
  readonly graph?: Readonly<Record<string, NodeSpec>>;
  readonly completion_review?: ReviewSpec;
}

interface RouteSpec {
  readonly to: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly policy?: Readonly<Record<string, string>>;
}

interface ReviewSpec {
  readonly checkpoint_id: string;
  readonly reason?: string;
  readonly ttl?: string;
  readonly allow_request_changes?: boolean;
  readonly max_review_cycles?: number;
}

interface NodeSpec {
  readonly review?: ReviewSpec;
  readonly next?: string;
  readonly edges?: readonly RouteSpec[];
  readonly join?: {
    readonly mode?: string;
    readonly quorum_count?: number;
    readonly quorum_percent?: number;
    readonly on_failure?: string;
  };
}

/** Agents without any graph run one after the other, in the order of `spec.agents`. */
export function routingGraph(system: SystemSpecView): Pick<SystemSnapshot, 'entrypoints' | 'nodes'> {
  const graph = effectiveGraph(system) as Readonly<Record<string, NodeSpec>>;
  const nodes = Object.fromEntries(
    Object.entries(graph).map(([name, node]) => [name, { routes: routesOf(node), ...joinOf(node), ...nodeReviewOf(node) }]),
  );
  return { entrypoints: entrypointsOf(system), nodes };
}

function routesOf(node: NodeSpec): NodeSnapshot['routes'] {
  const edges = (node.edges ?? []).map((edge): Route => ({
    to: edge.to,
    labels: edge.labels ?? {},
    condition: conditionOf(edge.policy?.['condition']),
  }));
  const next = node.next ? [{ to: node.next, labels: {}, condition: { kind: 'success' } as const }] : [];
  return [...next, ...edges];
}

const MATCHES = 'output_matches:';

function conditionOf(text: string | undefined): RouteCondition {
  const condition = text?.trim() ?? '';
  if (condition === 'always') return { kind: 'always' };
  if (condition === 'on_error') return { kind: 'on_error' };
  if (condition.startsWith(MATCHES)) return { kind: 'output_matches', pattern: condition.slice(MATCHES.length) };
  return { kind: 'success' };
}

function joinOf({ join }: NodeSpec): Pick<NodeSnapshot, 'join'> {
  if (!join) return {};
  const onFailure = join.on_failure === 'skip' || join.on_failure === 'continue_partial' ? join.on_failure : 'deadletter';
  const policy: JoinPolicy = {
    mode: join.mode === 'quorum' ? 'quorum' : 'wait_for_all',
    quorumCount: Math.max(0, join.quorum_count ?? 0),
    quorumPercent: Math.min(100, Math.max(0, join.quorum_percent ?? 0)),
    onFailure,
  };
  return { join: policy };
}

function nodeReviewOf({ review }: NodeSpec): Pick<NodeSnapshot, 'review'> {
  return review ? { review: reviewPoint(review) } : {};
}

export function completionReviewOf({ completion_review: review }: SystemSpecView): Pick<SystemSnapshot, 'completionReview'> {
  return review ? { completionReview: reviewPoint(review) } : {};
}

function reviewPoint(review: ReviewSpec): ReviewPoint {
  return {
    checkpointId: review.checkpoint_id,
    reason: review.reason?.trim() ?? '',
    ttlMs: milliseconds(review.ttl ?? APPROVAL_TTL_DEFAULT, 0),
    allowRequestChanges: review.allow_request_changes ?? true,
    maxReviewCycles: review.max_review_cycles ?? MAX_REVIEW_CYCLES_DEFAULT,
  };
}
