// Rules of TaskApproval at write time: defaults and checks.
import type { FieldError } from '../../errors.ts';
import { APPROVAL_TTL_DEFAULT, expiryOf, MAX_REVIEW_CYCLES_DEFAULT } from '../approval-limits.ts';
import { defined, keyword, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, objectRef, oneOf, positiveDuration } from '../field-rules.ts';
import { refTo } from '../references.ts';
import { CHECKPOINT_TYPES, OUTPUT_FORMATS, type WrittenTaskApprovalSpec, type TaskApprovalStatus } from './schema.ts';

const FIRST_REVIEW_CYCLE = 1;

/** `output` stays as it is to the byte: it is a frozen snapshot. */
export function normalizeTaskApproval(spec: WrittenTaskApprovalSpec) {
  return defined({
    ...spec,
    task_ref: spec.task_ref.trim(),
    checkpoint_id: spec.checkpoint_id.trim(),
    checkpoint_type: keyword(spec.checkpoint_type),
    agent: trimmed(spec.agent),
    ttl: trimmed(spec.ttl) ?? APPROVAL_TTL_DEFAULT,
    allow_request_changes: spec.allow_request_changes ?? true,
    max_review_cycles: spec.max_review_cycles ?? MAX_REVIEW_CYCLES_DEFAULT,
    review_cycle: spec.review_cycle ?? FIRST_REVIEW_CYCLE,
    supersedes: trimmed(spec.supersedes),
    output_format: keyword(spec.output_format),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type TaskApprovalSpec = ReturnType<typeof normalizeTaskApproval>;

/** A decision may take `ttl` from the creation on. */
export function initialTaskApprovalStatus({ ttl }: TaskApprovalSpec, createdAt: string): Pick<TaskApprovalStatus, 'expires_at'> {
  return { expires_at: expiryOf(ttl, createdAt) };
}

export function validateTaskApproval(spec: TaskApprovalSpec): FieldError[] {
  return [
    ...objectRef('spec.task_ref', spec.task_ref),
    ...oneOf('spec.checkpoint_type', spec.checkpoint_type, CHECKPOINT_TYPES),
    ...objectRef('spec.agent', spec.agent),
    ...positiveDuration('spec.ttl', spec.ttl),
    ...atLeast('spec.max_review_cycles', spec.max_review_cycles, 0),
    ...atLeast('spec.review_cycle', spec.review_cycle, FIRST_REVIEW_CYCLE),
    ...objectRef('spec.supersedes', spec.supersedes),
    ...oneOf('spec.output_format', spec.output_format, OUTPUT_FORMATS),
  ];
}

export function taskApprovalReferences(spec: TaskApprovalSpec, context: RuleContext): Reference[] {
  return [
    ...refTo({ kind: 'Task', path: 'spec.task_ref' }, spec.task_ref, context),
    ...refTo({ kind: 'Agent', path: 'spec.agent' }, spec.agent, context),
    ...refTo({ kind: 'TaskApproval', path: 'spec.supersedes' }, spec.supersedes, context),
  ];
}
