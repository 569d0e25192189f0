// Approval objects of a run's questions. Pure: the same request gives the same object, uid included.
import { createHash } from 'node:crypto';
import { formatDuration } from '@svc/shared/duration';
import { canonicalJson } from '@svc/shared/json';
import { OPERATION_CLASSES } from '@svc/shared/kinds/tool/schema';
import { ANNOTATION_PREFIX } from '@svc/shared/resource';
import { originMarks } from '@svc/shared/run-origin';
import { timestamp } from '../../clock.ts';
import { hashText } from '../../decisions/decision-crypto.ts';
import { partName } from '../../registry/principal.ts';
import { formatUuidV7 } from '../../registry/uuid-v7.ts';
import type { StoredObject } from '../../store/store.ts';
import type { DataOf, EntryOf } from '../core/entries.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import { TASK_APPROVAL, TOOL_APPROVAL, type ApprovalKind } from './approval-kind.ts';
import { ruleText, approvalReason, reviewReason } from './question-text.ts';
import { frozenOutput } from './frozen-output.ts';

const TASK_UID = `${ANNOTATION_PREFIX}task-uid`;
const REASON = `${ANNOTATION_PREFIX}approval-reason`;
const REQUEST_ID = `${ANNOTATION_PREFIX}tool-request-id`;
const RULE = `${ANNOTATION_PREFIX}approval-rule`;

/** Its spec contains the question; its annotations name the run and the reason, for clients. */
export function toolApprovalObject({ at: recorded, data }: EntryOf<'approval.requested'>, snapshot: RunSnapshot): StoredObject {
  const { name, reason, request_id, rule, asked_at: at = recorded } = data;
  const annotations = { [REASON]: reason, [REQUEST_ID]: request_id, ...(rule && { [RULE]: ruleText(rule) }) };
  const spec = { ...callFields(data, snapshot), reason: approvalReason(data), ttl: formatDuration(data.expires_at - at) };
  return pending({ kind: TOOL_APPROVAL, name, annotations, at, expiresAt: data.expires_at, spec }, snapshot);
}

export function taskApprovalObject({ at: recorded, data }: EntryOf<'review.requested'>, snapshot: RunSnapshot): StoredObject {
  const { name, attempt, turn_id, branch_id, supersedes, asked_at: at = recorded } = data;
  const spec = {
    checkpoint_id: data.checkpoint_id,
    checkpoint_type: data.checkpoint_type,
    ...(data.agent !== '' && { agent: agentRef(data.agent, snapshot) }),
    reason: reviewReason(data),
    ttl: formatDuration(data.expires_at - at),
    allow_request_changes: data.allow_request_changes,
    max_review_cycles: data.max_review_cycles,
    review_cycle: data.review_cycle,
    ...(supersedes !== undefined && { supersedes }),
    ...frozenOutput(data.output),
    resume_context: { task_uid: snapshot.task.uid, attempt, turn_id, branch_id },
  };
  return pending({ kind: TASK_APPROVAL, name, annotations: {}, at, expiresAt: data.expires_at, spec }, snapshot);
}

interface Pending {
  readonly kind: ApprovalKind;
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly at: number;
  readonly expiresAt: number;
  readonly spec: StoredObject['spec'];
}

function pending({ kind, name, annotations, at, expiresAt, spec }: Pending, { task }: RunSnapshot): StoredObject {
  const { uid, namespace, name: task_ref, origin } = task;
  const marks = origin && originMarks(origin);
  return {
    kind,
    namespace,
    name,
    uid: formatUuidV7(at, createHash('sha256').update(`${uid}/${name}`).digest()),
    resourceVersion: 1,
    generation: 1,
    labels: { ...marks?.labels, [TASK_UID]: uid },
    annotations: { ...marks?.annotations, [TASK_UID]: uid, ...annotations },
    createdAt: timestamp(at),
    updatedAt: timestamp(at),
    createdBy: partName('engine'),
    updatedBy: partName('engine'),
    specBy: partName('engine'),
    spec: { task_ref, ...spec },
    status: { phase: 'Pending', expires_at: timestamp(expiresAt) },
  };
}

function callFields(data: DataOf<'approval.requested'>, snapshot: RunSnapshot) {
  const { task, tools } = snapshot;
  const tool = tools[data.tool];
  const operation = data.operation ?? operationClass(tool?.spec.operation_classes);
  return {
    tool: tool && tool.namespace !== task.namespace ? `${tool.namespace}/${tool.name}` : (tool?.name ?? data.tool),
    ...(operation !== undefined && { operation_class: operation }),
    agent: agentRef(data.agent, snapshot),
    input: JSON.stringify(data.input),
    input_hash: hashText(canonicalJson(data.input)),
  };
}

/** An agent as seen from the Task's namespace. */
function agentRef(agent: string, { system, task }: RunSnapshot): string {
  return system.namespace === task.namespace || agent.includes('/') ? agent : `${system.namespace}/${agent}`;
}

/** The gravest of the tool's classes; the list of all goes from harmless to grave. */
function operationClass(classes: readonly string[] = []): string | undefined {
  return OPERATION_CLASSES.findLast((known) => classes.includes(known));
}
