// From specs to the settings the rules read. Pure.
import { durationMs } from '@svc/shared/duration';
import { effectiveGraph, entrypointsOf } from '@svc/shared/graph/graph';
import { DUPLICATE_POLICIES, EXECUTION_PROFILES, TOOL_USE_BEHAVIORS, VIOLATION_MODES } from '@svc/shared/kinds/agent/schema';
import type { AgentSpec } from '@svc/shared/kinds/agent/rules';
import type { AgentSystemSpec, GraphNode, Review } from '@svc/shared/kinds/agent-system/rules';
import { APPROVAL_TTL_DEFAULT } from '@svc/shared/kinds/approval-limits';
import { specOf } from '@svc/shared/kinds/read';
import { BACKOFF_DEFAULT, inheritsRetry, MAX_BACKOFF_DEFAULT, type TaskSpec } from '@svc/shared/kinds/task/rules';
import { RETRY_JITTERS } from '@svc/shared/kinds/task/schema';
import { taskOrigin } from '@svc/shared/run-origin';
import { creatorsOf } from '../../registry/principal.ts';
import type { StoredObject } from '../../store/store.ts';
import type {
  AgentSnapshot,
  NodeSnapshot,
  RetryPolicy,
  ReviewPoint,
  Route,
  RouteCondition,
  SystemSnapshot,
  TaskSnapshot,
} from '../core/snapshot.ts';

export function taskSettings(task: StoredObject): TaskSnapshot {
  const spec = specOf('Task', task);
  const message = spec.message_retry;
  return {
    uid: task.uid,
    namespace: task.namespace,
    name: task.name,
    generation: task.generation,
    ...(task.createdBy !== undefined && { creators: creatorsOf(task) }),
    origin: taskOrigin(task, spec),
    input: spec.input,
    maxTurns: spec.max_turns ?? 0,
    retry: retryOf(spec.retry),
    messageRetry: {
      ...retryOf(message),
      maxBackoffMs: durationMs(message.max_backoff, MAX_BACKOFF_DEFAULT),
      jitter: knownOr(RETRY_JITTERS, message.jitter, 'full'),
      nonRetryable: message.non_retryable ?? [],
      inherited: inheritsRetry(spec),
    },
  };
}

function retryOf({ max_attempts, backoff }: TaskSpec['retry']): RetryPolicy {
  return { maxAttempts: Math.max(1, max_attempts), backoffMs: durationMs(backoff, BACKOFF_DEFAULT) };
}

/** The value if it is one of the closed set, which a damaged or a later spec may leave. */
function knownOr<Value extends string>(known: readonly Value[], value: string, fallback: Value): Value {
  return known.find((one) => one === value) ?? fallback;
}

export function agentSettings(name: string, spec: AgentSpec): AgentSnapshot {
  const { limits, execution } = spec;
  return {
    name,
    prompt: spec.prompt ?? '',
    model: spec.model_ref,
    tools: spec.tools ?? [],
    roles: spec.roles ?? [],
    allowedTools: spec.allowed_tools ?? [],
    maxSteps: limits.max_steps,
    timeoutMs: durationMs(limits.timeout ?? NO_TIMEOUT, NO_TIMEOUT),
    profile: knownOr(EXECUTION_PROFILES, execution.profile, 'dynamic'),
    toolSequence: execution.tool_sequence ?? [],
    outputMarkers: execution.required_output_markers ?? [],
    duplicateToolCalls: knownOr(DUPLICATE_POLICIES, execution.duplicate_tool_call_policy, 'short_circuit'),
    onContractViolation: knownOr(VIOLATION_MODES, execution.on_contract_violation, 'non_retryable_error'),
    toolUse: knownOr(TOOL_USE_BEHAVIORS, execution.tool_use_behavior, 'run_llm_again'),
  };
}

const NO_TIMEOUT = '0s';

// ---------------------------------------------------------------- graph

/** Agents without any graph run one after the other, in the order of `spec.agents`. */
export function routingGraph(system: AgentSystemSpec): Pick<SystemSnapshot, 'entrypoints' | 'nodes'> {
  const graph = effectiveGraph(system) as Readonly<Record<string, GraphNode>>;
  const nodes = Object.fromEntries(
    Object.entries(graph).map(([name, node]) => [name, { routes: routesOf(node), ...joinOf(node), ...nodeReviewOf(node) }]),
  );
  return { entrypoints: entrypointsOf(system), nodes };
}

function routesOf(node: GraphNode): NodeSnapshot['routes'] {
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

function joinOf({ join }: GraphNode): Pick<NodeSnapshot, 'join'> {
  if (!join) return {};
  const { mode, quorum_count: quorumCount, quorum_percent: quorumPercent, on_failure: onFailure } = join;
  return { join: { mode, quorumCount, quorumPercent, onFailure } };
}

function nodeReviewOf({ review }: GraphNode): Pick<NodeSnapshot, 'review'> {
  return review ? { review: reviewPoint(review) } : {};
}

export function completionReviewOf({ completion_review: review }: AgentSystemSpec): Pick<SystemSnapshot, 'completionReview'> {
  return review ? { completionReview: reviewPoint(review) } : {};
}

function reviewPoint(review: Review): ReviewPoint {
  return {
    checkpointId: review.checkpoint_id,
    reason: review.reason?.trim() ?? '',
    ttlMs: durationMs(review.ttl, APPROVAL_TTL_DEFAULT),
    allowRequestChanges: review.allow_request_changes,
    maxReviewCycles: review.max_review_cycles,
  };
}
