// Rules of Agent at write time: defaults and checks.
import type { FieldError } from '../../errors.ts';
import { defined, keyword, trimmed, unique, uniqueIgnoringCase } from '../clean.ts';
import type { Reference, RuleContext } from '../define.ts';
import { objectRef, objectRefs, oneOf, positiveDuration } from '../field-rules.ts';
import { refTo, refsTo } from '../references.ts';
import { MEMORY_OPERATIONS } from '../tool/built-in.ts';
import { type WrittenAgentSpec, DUPLICATE_POLICIES, EXECUTION_PROFILES, TOOL_USE_BEHAVIORS, VIOLATION_MODES } from './schema.ts';

export const MAX_STEPS_DEFAULT = 10;

export function normalizeAgent(spec: WrittenAgentSpec) {
  const { execution, limits, memory } = spec;
  return defined({
    ...spec,
    model_ref: spec.model_ref.trim(),
    tools: unique(spec.tools),
    allowed_tools: unique(spec.allowed_tools),
    roles: uniqueIgnoringCase(spec.roles),
    memory:
      memory &&
      defined({ ...memory, ref: trimmed(memory.ref), allow: unique(memory.allow?.map((operation) => operation.trim().toLowerCase())) }),
    limits: defined({
      ...limits,
      max_steps: limits?.max_steps !== undefined && limits.max_steps > 0 ? limits.max_steps : MAX_STEPS_DEFAULT,
      timeout: trimmed(limits?.timeout),
    }),
    execution: defined({
      ...execution,
      profile: keyword(execution?.profile) ?? 'dynamic',
      tool_sequence: unique(execution?.tool_sequence),
      required_output_markers: unique(execution?.required_output_markers),
      duplicate_tool_call_policy: keyword(execution?.duplicate_tool_call_policy) ?? 'short_circuit',
      on_contract_violation: keyword(execution?.on_contract_violation) ?? 'non_retryable_error',
      tool_use_behavior: keyword(execution?.tool_use_behavior) ?? 'run_llm_again',
    }),
  });
}

/** The spec as stored: defaults filled in, values cleaned. */
export type AgentSpec = ReturnType<typeof normalizeAgent>;

export function validateAgent(spec: AgentSpec): FieldError[] {
  return [
    ...objectRef('spec.model_ref', spec.model_ref),
    ...objectRefs('spec.tools', spec.tools),
    ...objectRefs('spec.allowed_tools', spec.allowed_tools),
    ...objectRefs('spec.roles', spec.roles),
    ...memoryErrors(spec.memory),
    ...positiveDuration('spec.limits.timeout', spec.limits?.timeout),
    ...executionErrors(spec.execution),
  ];
}

function memoryErrors(memory: AgentSpec['memory']): FieldError[] {
  if (memory === undefined) return [];
  const unknown = (memory.allow ?? []).flatMap((operation, index) => oneOf(`spec.memory.allow[${index}]`, operation, MEMORY_OPERATIONS));
  if (memory.allow?.length && memory.ref === undefined) {
    return [{ path: 'spec.memory.ref', message: 'is required when memory.allow names operations' }, ...unknown];
  }
  return [...objectRef('spec.memory.ref', memory.ref), ...unknown];
}

function executionErrors(execution: AgentSpec['execution']): FieldError[] {
  if (execution === undefined) return [];
  const sequence: FieldError[] =
    execution.profile === 'contract' && !execution.tool_sequence?.length
      ? [{ path: 'spec.execution.tool_sequence', message: 'must list at least one tool when profile is contract' }]
      : [];
  return [
    ...oneOf('spec.execution.profile', execution.profile, EXECUTION_PROFILES),
    ...oneOf('spec.execution.duplicate_tool_call_policy', execution.duplicate_tool_call_policy, DUPLICATE_POLICIES),
    ...oneOf('spec.execution.on_contract_violation', execution.on_contract_violation, VIOLATION_MODES),
    ...oneOf('spec.execution.tool_use_behavior', execution.tool_use_behavior, TOOL_USE_BEHAVIORS),
    ...sequence,
  ];
}

export function agentReferences(spec: AgentSpec, context: RuleContext): Reference[] {
  return [
    ...refTo({ kind: 'ModelEndpoint', path: 'spec.model_ref' }, spec.model_ref, context),
    ...refsTo({ kind: 'Tool', path: 'spec.tools' }, spec.tools, context),
    ...refsTo({ kind: 'Tool', path: 'spec.allowed_tools' }, spec.allowed_tools, context),
    ...refsTo({ kind: 'AgentRole', path: 'spec.roles' }, spec.roles, context),
    ...refTo({ kind: 'Memory', path: 'spec.memory.ref' }, spec.memory?.ref, context),
  ];
}
