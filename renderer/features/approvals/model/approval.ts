// An approval as the inbox shows it, read from its resource. Total: missing or unexpected fields read as absent, so that a broken one can
// still be denied. Pure.
import type { StatusOf } from '@svc/shared/kinds';
import { ANNOTATION_PREFIX, parseRef, type Resource } from '@svc/shared/resource';
import { approvalOrigin, type RunOrigin } from '@svc/shared/run-origin';
import { specOf, statusOf } from '../../../kinds/read.ts';

export type ApprovalKind = 'ToolApproval' | 'TaskApproval';
export const APPROVAL_KINDS: readonly ApprovalKind[] = ['ToolApproval', 'TaskApproval'];

export interface Place {
  readonly namespace: string;
  readonly name: string;
}

interface Common extends Place {
  /** `ToolApproval/ns/name`: its form in addresses. */
  readonly key: string;
  readonly uid: string;
  readonly phase: string;
  readonly task: Place;
  readonly agent: string;
  /** Undefined on approvals made before origins were recorded. */
  readonly origin: RunOrigin | undefined;
  readonly reason: string;
  /** ms; NaN when the server has set none. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** By it the server sorts them. */
  readonly closedAt: number;
  readonly decision: Decision;
  readonly resource: Resource;
}

/** Result of an approval. */
interface Decision {
  readonly by: string | undefined;
  readonly onBehalfOf: string | undefined;
  /** ms. */
  readonly at: number;
  readonly comment: string | undefined;
  readonly record: number | undefined;
  /** Reason why it was closed without a decision. */
  readonly closedBecause: string | undefined;
}

export interface ToolApproval extends Common {
  readonly kind: 'ToolApproval';
  readonly tool: Place;
  readonly operation: string;
  /** JSON text as the run wrote it; empty when there is none. */
  readonly input: string;
  readonly inputHash: string;
  readonly requestId: string;
  /** `ToolPermission ns/name spec.path`. */
  readonly rule: string;
  /** The call was sent and its outcome is unknown. */
  readonly unknownOutcome: boolean;
  readonly outcome: string | undefined;
  readonly output: string | undefined;
  readonly editedInput: string | undefined;
}

export interface TaskApproval extends Common {
  readonly kind: 'TaskApproval';
  readonly checkpoint: string;
  readonly wholeTask: boolean;
  readonly cycle: number;
  readonly maxCycles: number;
  readonly allowsChanges: boolean;
  readonly supersedes: string | undefined;
  readonly output: unknown;
  readonly json: boolean;
}

export type Approval = ToolApproval | TaskApproval;

type ApprovalStatus = StatusOf<'ToolApproval'> | StatusOf<'TaskApproval'>;

const instant = (value: string | undefined): number => Date.parse(value ?? '');

/** When a closed approval was decided or expired, in ms. One whose status was written by hand has the times that it states. */
export function endOf({ closedAt, decision, expiresAt }: Approval): number {
  return [closedAt, decision.at].find(Number.isFinite) ?? expiresAt;
}

function approvalKey({ kind, namespace, name }: { kind: string; namespace: string; name: string }): string {
  return `${kind}/${namespace}/${name}`;
}

/** The approval that an address names, `tool/ns/name` or `ToolApproval/ns/name`. */
export function parseKey(key: string): (Place & { readonly kind: ApprovalKind }) | undefined {
  const [word = '', namespace = '', name = '', ...more] = key.split('/');
  const kind = APPROVAL_KINDS.find((each) => each === word || each.slice(0, 4).toLowerCase() === word);
  return kind && namespace !== '' && name !== '' && more.length === 0 ? { kind, namespace, name } : undefined;
}

export function readApproval(resource: Resource): Approval {
  return resource.kind === 'TaskApproval' ? readTaskApproval(resource) : readToolApproval(resource);
}

function common(resource: Resource, kind: ApprovalKind): Common {
  const spec = specOf(kind, resource);
  const status: ApprovalStatus = statusOf(kind, resource);
  const { namespace, name, uid, createdAt } = resource.metadata;
  return {
    key: approvalKey({ kind, namespace, name }),
    namespace,
    name,
    uid,
    phase: status.phase,
    task: parseRef(spec.task_ref, namespace),
    agent: spec.agent ?? '',
    origin: approvalOrigin(resource.metadata),
    reason: spec.reason ?? '',
    createdAt: Date.parse(createdAt),
    expiresAt: instant(status.expires_at),
    closedAt: instant(status.closed_at),
    decision: readDecision(status),
    resource,
  };
}

function readDecision(status: ApprovalStatus): Decision {
  return {
    by: status.decided_by || undefined,
    onBehalfOf: status.on_behalf_of || undefined,
    at: instant(status.decided_at),
    comment: status.comment || undefined,
    record: status.decision_record,
    closedBecause: status.lastError || undefined,
  };
}

function readToolApproval(resource: Resource): ToolApproval {
  const spec = specOf('ToolApproval', resource);
  const status = statusOf('ToolApproval', resource);
  const { metadata } = resource;
  const noted = (name: string) => metadata.annotations[`${ANNOTATION_PREFIX}${name}`] ?? '';
  return {
    ...common(resource, 'ToolApproval'),
    kind: 'ToolApproval',
    tool: parseRef(spec.tool, metadata.namespace),
    operation: spec.operation_class ?? '',
    input: spec.input ?? '',
    inputHash: spec.input_hash ?? '',
    requestId: noted('tool-request-id'),
    rule: noted('approval-rule'),
    unknownOutcome: noted('approval-reason') === 'unknown_outcome',
    outcome: status.outcome,
    output: status.output || undefined,
    editedInput: status.edited_input || undefined,
  };
}

function readTaskApproval(resource: Resource): TaskApproval {
  const spec = specOf('TaskApproval', resource);
  return {
    ...common(resource, 'TaskApproval'),
    kind: 'TaskApproval',
    checkpoint: spec.checkpoint_id,
    wholeTask: spec.checkpoint_type === 'task_output',
    cycle: spec.review_cycle,
    maxCycles: spec.max_review_cycles,
    allowsChanges: spec.allow_request_changes,
    supersedes: spec.supersedes || undefined,
    output: spec.output,
    json: spec.output_format === 'json',
  };
}

/** Subject of an approval in a word: the tool, or the review point. */
export function subjectOf(approval: Approval): string {
  return approval.kind === 'ToolApproval' ? approval.tool.name : approval.checkpoint || (approval.wholeTask ? 'final output' : 'output');
}

/** Reason why work cannot be sent back; undefined when it can. */
export function sendBackProblem({ allowsChanges, cycle, maxCycles }: TaskApproval): string | undefined {
  if (!allowsChanges) return 'This review point does not allow sending work back: approve or deny it.';
  if (cycle >= maxCycles) return `This is review ${cycle} of at most ${maxCycles}: it can only be approved or denied.`;
  return undefined;
}

/** The output under review as text. */
export function outputText({ output }: TaskApproval): string {
  if (typeof output === 'string') return output;
  return output === undefined ? '' : JSON.stringify(output, null, 2);
}

/** The requesting object and the path in it, from the text of the annotation; undefined for unknown text. */
export function parseRule(
  rule: string,
): { readonly kind: string; readonly namespace: string; readonly name: string; readonly path: string } | undefined {
  const [, kind, namespace, name, path = ''] = /^([A-Z]\w*) ([^\s/]+)\/(\S+)(?: (\S+))?$/.exec(rule) ?? [];
  return kind !== undefined && namespace !== undefined && name !== undefined ? { kind, namespace, name, path } : undefined;
}
