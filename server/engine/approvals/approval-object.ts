// The ToolApproval object that a run asks for. Pure: the same request gives the same object, uid included.
import { createHash } from 'node:crypto';
import { canonicalJson } from '@svc/shared/json';
import { OPERATION_CLASSES } from '@svc/shared/kinds/tool/schema';
import { ANNOTATION_PREFIX } from '@svc/shared/resource';
import { timestamp } from '../../clock.ts';
import { formatUuidV7 } from '../../registry/uuid-v7.ts';
import type { StoredObject } from '../../store/store.ts';
import type { EntryOf } from '../core/entries.ts';
import { UNKNOWN_OUTCOME_TTL } from '../core/limits.ts';
import type { RunSnapshot } from '../core/snapshot.ts';
import { TOOL_APPROVAL } from './expiry.ts';

const TASK_UID = `${ANNOTATION_PREFIX}task-uid`;
const REASON = `${ANNOTATION_PREFIX}approval-reason`;
const REQUEST_ID = `${ANNOTATION_PREFIX}tool-request-id`;

/** Its spec says what is asked; its annotations say which run asks and why, for clients to tell. */
export function approvalObject({ at, data }: EntryOf<'approval.requested'>, snapshot: RunSnapshot): StoredObject {
  const { uid, namespace, name: task } = snapshot.task;
  return {
    kind: TOOL_APPROVAL,
    namespace,
    name: data.name,
    uid: formatUuidV7(at, createHash('sha256').update(`${uid}/${data.name}`).digest()),
    resourceVersion: 1,
    generation: 1,
    labels: { [TASK_UID]: uid },
    annotations: { [TASK_UID]: uid, [REASON]: data.reason, [REQUEST_ID]: data.request_id },
    createdAt: timestamp(at),
    updatedAt: timestamp(at),
    spec: { task_ref: task, ...specOf(data, snapshot), reason: sentence(data), ttl: UNKNOWN_OUTCOME_TTL },
    status: { phase: 'Pending', expires_at: timestamp(data.expires_at) },
  };
}

function specOf(data: EntryOf<'approval.requested'>['data'], { task, system, tools }: RunSnapshot) {
  const tool = tools[data.tool];
  const operation = operationClass(tool?.spec['operation_classes']);
  const input = canonicalJson(data.input);
  return {
    tool: tool && tool.namespace !== task.namespace ? `${tool.namespace}/${tool.name}` : (tool?.name ?? data.tool),
    ...(operation !== undefined && { operation_class: operation }),
    agent: system.namespace === task.namespace || data.agent.includes('/') ? data.agent : `${system.namespace}/${data.agent}`,
    input: JSON.stringify(data.input),
    input_hash: `sha256:${createHash('sha256').update(input).digest('hex')}`,
  };
}

/** The gravest of the tool's classes; the list of all goes from harmless to grave. */
function operationClass(classes: unknown): string | undefined {
  return Array.isArray(classes) ? OPERATION_CLASSES.findLast((known) => classes.includes(known)) : undefined;
}

function sentence({ tool, sent_at = 0, reason }: EntryOf<'approval.requested'>['data']): string {
  return (
    `${reason}: the call of ${tool} was sent at ${timestamp(sent_at)} and no answer came: its worker was lost, or the agent ran out of time. ` +
    'Find out what became of it, then approve with outcome done, not_done or run_again, or deny to end the task.'
  );
}
