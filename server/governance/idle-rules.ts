// Warnings at the write of a rule that governs nothing. Pure.
import { specOf } from '@svc/shared/kinds/read';
import type { Resource } from '@svc/shared/resource';
import { CALL_ACTIONS } from './judge-permissions.ts';

export function idleRuleWarnings(rule: Resource): readonly string[] {
  const { kind, metadata } = rule;
  const why = kind === 'AgentPolicy' ? idlePolicy(rule) : kind === 'ToolPermission' ? idlePermission(rule) : undefined;
  return why === undefined ? [] : [`${kind} ${metadata.namespace}/${metadata.name} governs nothing: ${why}`];
}

function idlePolicy(policy: Resource): string | undefined {
  const { apply_mode, target_systems = [], target_tasks = [] } = specOf('AgentPolicy', policy);
  if (apply_mode === 'global' || target_systems.length + target_tasks.length > 0) return undefined;
  return 'it is scoped and has no targets; set target_systems or target_tasks, or apply_mode global for all runs of its namespace';
}

function idlePermission(permission: Resource): string | undefined {
  const { action } = specOf('ToolPermission', permission);
  if (CALL_ACTIONS.has(action.toLowerCase())) return undefined;
  return `its action is ${action}, and calls of tools are invoke; leave action out`;
}
