// From a stored AgentPolicy, ToolPermission or AgentRole to the rule it is. Pure, and total: what cannot be read becomes a rule that denies.
import { parseDuration } from '@svc/shared/duration';
import { isObject } from '@svc/shared/json';
import { agentPolicy } from '@svc/shared/kinds/agent-policy/index';
import type { AgentPolicySpec } from '@svc/shared/kinds/agent-policy/rules';
import { agentRole } from '@svc/shared/kinds/agent-role/index';
import { APPROVAL_TTL_DEFAULT } from '@svc/shared/kinds/approval-limits';
import { checkSpec } from '@svc/shared/kinds/check';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { toolPermission } from '@svc/shared/kinds/tool-permission/index';
import type { ToolPermissionSpec } from '@svc/shared/kinds/tool-permission/rules';
import { parseRef } from '@svc/shared/resource';
import type { StoredObject } from '../store/store.ts';
import { objectKey, type OperationRule, type PermissionRule, type PolicyReach, type PolicyRule, type RoleRule } from './rules.ts';

/** Default until a readable spec sets another value. */
const TTL_DEFAULT_MS = parseDuration(APPROVAL_TTL_DEFAULT) ?? 0;

type RuleRead<Spec> = { readonly spec: Spec } | { readonly problem: string };

/** The normalised spec, by the definition that writes are checked against. */
function readRule<Spec>(kind: KindDefinition<Spec>, object: StoredObject): RuleRead<Spec> {
  const { namespace, name } = object;
  if (!isObject(object.spec)) return { problem: 'spec must be an object' };
  const parsed = kind.spec.safeParse(object.spec);
  if (!parsed.success) {
    const [error] = checkSpec(kind, object.spec, { context: { namespace, name }, unknownFields: 'reject' }).errors;
    return { problem: error === undefined ? 'spec holds a null' : `${error.path} ${error.message}` };
  }
  const spec = kind.normalize(parsed.data, { namespace, name });
  const [error] = kind.validate(spec, { namespace, name });
  return error === undefined ? { spec } : { problem: `${error.path} ${error.message}` };
}

const ruleOf = ({ kind, namespace, name }: StoredObject) => ({ kind, namespace, name });

const keysOf = (refs: readonly string[] | undefined, namespace: string): string[] =>
  (refs ?? []).map((ref) => objectKey(parseRef(ref, namespace)));

/** The references of a list, none when there is no list, undefined when it is something else. */
function looseKeys(value: unknown, namespace: string): string[] | undefined {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) return undefined;
  return keysOf(
    (value as string[]).map((ref) => ref.trim()),
    namespace,
  );
}

// ---------------------------------------------------------------- policies

export function readPolicy(object: StoredObject, order: number): { readonly policy: PolicyRule; readonly reach: PolicyReach } {
  const read = readRule(agentPolicy, object);
  const spec: Partial<AgentPolicySpec> = 'spec' in read ? read.spec : {};
  const policy: PolicyRule = {
    rule: ruleOf(object),
    order,
    ...('problem' in read && { problem: read.problem }),
    blockedTools: new Map(keysOf(spec.blocked_tools, object.namespace).map((key, index) => [key, index])),
    allowedModels: spec.allowed_models ?? [],
    tokensMax: spec.max_tokens_per_run ?? 0,
  };
  return { policy, reach: policyReach(object) };
}

/** Reads a policy leniently, so that a mistake in it stops only the runs that it targets. */
function policyReach({ spec, namespace }: StoredObject): PolicyReach {
  if (!isObject(spec)) return { kind: 'everywhere' };
  const mode = typeof spec['apply_mode'] === 'string' ? spec['apply_mode'].trim().toLowerCase() : spec['apply_mode'];
  if (mode === 'global') return { kind: 'namespace', namespace };
  const systems = looseKeys(spec['target_systems'], namespace);
  const tasks = looseKeys(spec['target_tasks'], namespace);
  if ((mode !== undefined && mode !== 'scoped') || systems === undefined || tasks === undefined) return { kind: 'everywhere' };
  return { kind: 'targets', systems, tasks };
}

// ---------------------------------------------------------------- permissions

/** `tool` is the key of the governed tool; undefined when that cannot be read, and the permission then stands for every tool. */
export function readPermission(object: StoredObject): { readonly permission: PermissionRule; readonly tool: string | undefined } {
  const read = readRule(toolPermission, object);
  const spec: Partial<ToolPermissionSpec> = 'spec' in read ? read.spec : {};
  const agents = spec.apply_mode === 'scoped' ? keysOf(spec.target_agents, object.namespace) : undefined;
  const permission: PermissionRule = {
    rule: ruleOf(object),
    ...('problem' in read && { problem: read.problem }),
    action: (spec.action ?? 'invoke').toLowerCase(),
    ...(agents && { agents: new Set(agents) }),
    required: spec.required_permissions ?? [],
    match: spec.match_mode === 'any' ? 'any' : 'all',
    operations: (spec.operation_rules ?? []).map(readOperationRule),
    asking: {
      ...ruleOf(object),
      ...(object.specBy !== undefined && { by: object.specBy }),
      ...(spec.approval?.require_other === true && { require_other: true }),
    },
    ttlMs: parseDuration(spec.approval?.ttl ?? APPROVAL_TTL_DEFAULT) ?? TTL_DEFAULT_MS,
    ...(spec.approval?.reason?.trim() && { why: spec.approval.reason.trim() }),
  };
  return { permission, tool: governedTool(object) };
}

function readOperationRule({ operation_class, verdict }: NonNullable<ToolPermissionSpec['operation_rules']>[number]): OperationRule {
  // The rules of the kind have refused any other verdict.
  return { operation: operation_class, verdict: verdict as OperationRule['verdict'] };
}

function governedTool({ spec, namespace, name }: StoredObject): string | undefined {
  if (!isObject(spec)) return undefined;
  const ref = spec['tool_ref'] ?? name;
  return typeof ref === 'string' ? objectKey(parseRef(ref.trim() || name, namespace)) : undefined;
}

// ---------------------------------------------------------------- roles

export function readRole(object: StoredObject): RoleRule {
  const read = readRule(agentRole, object);
  const permissions = 'spec' in read ? (read.spec.permissions ?? []) : [];
  return {
    rule: ruleOf(object),
    ...('problem' in read && { problem: read.problem }),
    permissions: new Set(permissions.map((permission) => permission.toLowerCase())),
  };
}
