// Rules of AgentPolicy at write time: defaults and checks.
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimEach } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { atLeast, noBlanks, objectRefs, oneOf } from '../field-rules.ts';
import { refsTo } from '../references.ts';
import { POLICY_APPLY_MODES, type WrittenAgentPolicySpec } from './schema.ts';

export function normalizeAgentPolicy(spec: WrittenAgentPolicySpec) {
  return defined({
    ...spec,
    allowed_models: trimEach(spec.allowed_models),
    blocked_tools: trimEach(spec.blocked_tools),
    apply_mode: keyword(spec.apply_mode) ?? 'scoped',
    target_systems: trimEach(spec.target_systems),
    target_tasks: trimEach(spec.target_tasks),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type AgentPolicySpec = ReturnType<typeof normalizeAgentPolicy>;

export function validateAgentPolicy(spec: AgentPolicySpec): FieldError[] {
  return [
    ...atLeast('spec.max_tokens_per_run', spec.max_tokens_per_run, 0),
    ...noBlanks('spec.allowed_models', spec.allowed_models),
    ...objectRefs('spec.blocked_tools', spec.blocked_tools),
    ...oneOf('spec.apply_mode', spec.apply_mode, POLICY_APPLY_MODES),
    ...objectRefs('spec.target_systems', spec.target_systems),
    ...objectRefs('spec.target_tasks', spec.target_tasks),
  ];
}

export function agentPolicyReferences(spec: AgentPolicySpec, context: RuleContext): Reference[] {
  return [
    ...refsTo({ kind: 'Tool', path: 'spec.blocked_tools' }, spec.blocked_tools, context),
    ...refsTo({ kind: 'AgentSystem', path: 'spec.target_systems' }, spec.target_systems, context),
    ...refsTo({ kind: 'Task', path: 'spec.target_tasks' }, spec.target_tasks, context),
  ];
}
