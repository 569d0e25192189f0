// Rules of ToolPermission at write time: defaults and checks.
import type { FieldError } from '../../errors.ts';
import { APPROVAL_TTL_DEFAULT } from '../approval-limits.ts';
import { defined, keyword, trimEach, trimmed } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { noBlanks, objectRef, objectRefs, oneOf, positiveDuration } from '../field-rules.ts';
import { refTo, refsTo } from '../references.ts';
import { MATCH_MODES, PERMISSION_APPLY_MODES, RULE_OPERATION_CLASSES, type WrittenToolPermissionSpec, VERDICTS } from './schema.ts';

export function normalizeToolPermission(spec: WrittenToolPermissionSpec, context: RuleContext) {
  return defined({
    ...spec,
    tool_ref: trimmed(spec.tool_ref) ?? context.name,
    action: trimmed(spec.action) ?? 'invoke',
    required_permissions: trimEach(spec.required_permissions),
    match_mode: keyword(spec.match_mode) ?? 'all',
    apply_mode: keyword(spec.apply_mode) ?? 'global',
    target_agents: trimEach(spec.target_agents),
    operation_rules: spec.operation_rules?.map((rule) => ({
      operation_class: keyword(rule.operation_class) ?? '*',
      verdict: keyword(rule.verdict) ?? 'allow',
    })),
    approval: spec.approval && defined({ ...spec.approval, ttl: trimmed(spec.approval.ttl) ?? APPROVAL_TTL_DEFAULT }),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type ToolPermissionSpec = ReturnType<typeof normalizeToolPermission>;

export function validateToolPermission(spec: ToolPermissionSpec): FieldError[] {
  return [
    ...objectRef('spec.tool_ref', spec.tool_ref),
    ...noBlanks('spec.required_permissions', spec.required_permissions),
    ...oneOf('spec.match_mode', spec.match_mode, MATCH_MODES),
    ...oneOf('spec.apply_mode', spec.apply_mode, PERMISSION_APPLY_MODES),
    ...targetErrors(spec),
    ...(spec.operation_rules ?? []).flatMap((rule, index) => [
      ...oneOf(`spec.operation_rules[${index}].operation_class`, rule.operation_class, RULE_OPERATION_CLASSES),
      ...oneOf(`spec.operation_rules[${index}].verdict`, rule.verdict, VERDICTS),
    ]),
    ...positiveDuration('spec.approval.ttl', spec.approval?.ttl),
  ];
}

function targetErrors(spec: ToolPermissionSpec): FieldError[] {
  if (spec.apply_mode === 'scoped' && !spec.target_agents?.length) {
    return [{ path: 'spec.target_agents', message: 'must list at least one agent when apply_mode is scoped' }];
  }
  return objectRefs('spec.target_agents', spec.target_agents);
}

export function toolPermissionReferences(spec: ToolPermissionSpec, context: RuleContext): Reference[] {
  return [
    ...refTo({ kind: 'Tool', path: 'spec.tool_ref' }, spec.tool_ref, context),
    ...refsTo({ kind: 'Agent', path: 'spec.target_agents' }, spec.target_agents, context),
  ];
}
