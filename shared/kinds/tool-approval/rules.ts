// Rules of ToolApproval at write time: defaults and checks.
import type { FieldError } from '../../errors.ts';
import { APPROVAL_TTL_DEFAULT, expiryOf } from '../approval-limits.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { objectRef, positiveDuration } from '../field-rules.ts';
import { refTo } from '../references.ts';
import type { WrittenToolApprovalSpec, ToolApprovalStatus } from './schema.ts';

/** `input` stays as it is to the byte: a reviewer sees what will be sent. */
export function normalizeToolApproval(spec: WrittenToolApprovalSpec) {
  return defined({
    ...spec,
    task_ref: spec.task_ref.trim(),
    tool: spec.tool.trim(),
    operation_class: keyword(spec.operation_class),
    agent: trimmed(spec.agent),
    input_hash: trimmed(spec.input_hash),
    ttl: trimmed(spec.ttl) ?? APPROVAL_TTL_DEFAULT,
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type ToolApprovalSpec = ReturnType<typeof normalizeToolApproval>;

/** A decision may take `ttl` from the creation on. */
export function initialToolApprovalStatus({ ttl }: ToolApprovalSpec, createdAt: string): Pick<ToolApprovalStatus, 'expires_at'> {
  return { expires_at: expiryOf(ttl, createdAt) };
}

export function validateToolApproval(spec: ToolApprovalSpec): FieldError[] {
  return [
    ...objectRef('spec.task_ref', spec.task_ref),
    ...objectRef('spec.tool', spec.tool),
    ...objectRef('spec.agent', spec.agent),
    ...positiveDuration('spec.ttl', spec.ttl),
  ];
}

export function toolApprovalReferences(spec: ToolApprovalSpec, context: RuleContext): Reference[] {
  return [
    ...refTo({ kind: 'Task', path: 'spec.task_ref' }, spec.task_ref, context),
    ...refTo({ kind: 'Tool', path: 'spec.tool' }, spec.tool, context),
    ...refTo({ kind: 'Agent', path: 'spec.agent' }, spec.agent, context),
  ];
}
