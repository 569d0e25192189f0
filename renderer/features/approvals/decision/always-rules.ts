// Rules that decide calls such as this one without a person: changes of the permission that asked, and new rules that deny. Only proposals: governance
// decides what they do. Pure.
import { OPERATION_CLASSES } from '../../simulator/parts/operations.ts';
import { API_VERSION, NAME_MAX, parseRef, type Resource } from '@svc/shared/resource';
import { specOf } from '../../../kinds/read.ts';
import { editable, type EditableObject } from '../../../yaml/serialise.ts';
import type { Place, ToolApproval } from '../model/approval.ts';

export interface AlwaysRule {
  readonly id: string;
  /** Verdict that the rule is meant to give to the call. */
  readonly verdict: 'allow' | 'deny';
  readonly label: string;
  readonly hint: string;
  readonly documents: readonly EditableObject[];
}

export interface AlwaysFacts {
  readonly approval: ToolApproval;
  /** Operation classes of the tool. */
  readonly operations: readonly string[];
  /** Permission that requires the approval; undefined where it cannot be read. */
  readonly permission: Resource | undefined;
  /** System of the run; undefined where it is unknown. */
  readonly system: Place | undefined;
}

const ALL = '*';

export function alwaysRules(facts: AlwaysFacts): readonly AlwaysRule[] {
  return [...allowingRules(facts), ...denyingRules(facts)];
}

type OperationRule = { readonly operation_class: string; readonly verdict: string };

/** The rules with `allow` for these classes. A rule for all classes is split, as the strictest of several rules applies. */
function allowing(rules: readonly OperationRule[], operations: readonly string[]): OperationRule[] {
  const split = rules.flatMap((rule) =>
    rule.operation_class === ALL ? OPERATION_CLASSES.map((each) => ({ ...rule, operation_class: each })) : [rule],
  );
  const others = split.filter(({ operation_class }) => !operations.includes(operation_class));
  return [...others, ...operations.map((each) => ({ operation_class: each, verdict: 'allow' }))];
}

function allowingRules({ approval, operations, permission }: AlwaysFacts): AlwaysRule[] {
  if (!permission) return [];
  const { tool } = approval;
  const { name, namespace } = permission.metadata;
  const stored = editable(permission);
  const spec = specOf('ToolPermission', permission);
  const rules = allowing(spec.operation_rules ?? [], operations);
  const changed = { ...stored, spec: { ...permission.spec, operation_rules: rules } };
  const targets = spec.apply_mode === 'scoped' ? (spec.target_agents ?? []) : undefined;
  const whole: AlwaysRule = {
    id: 'allow',
    verdict: 'allow',
    label: `Allow ${tool.name} without approval`,
    hint: `Changes ToolPermission ${name}, which governs ${targets ? targets.join(', ') : 'every agent'}.`,
    documents: [changed],
  };
  const agent = parseRef(approval.agent, approval.namespace);
  const isAgent = (target: string) => {
    const each = parseRef(target, namespace);
    return each.namespace === agent.namespace && each.name === agent.name;
  };
  const others = targets?.filter((target) => !isAgent(target)) ?? [];
  if (!targets?.some(isAgent) || others.length === 0) return [whole];
  const left = { ...stored, spec: { ...permission.spec, target_agents: others } };
  const own = {
    ...changed,
    metadata: { name: ruleName(name, agent.name), namespace },
    spec: { ...changed.spec, target_agents: [refFrom(namespace, agent)] },
  };
  const one: AlwaysRule = {
    id: 'allow-agent',
    verdict: 'allow',
    label: `Allow ${tool.name} without approval for agent ${agent.name} only`,
    hint: `Takes the agent out of ToolPermission ${name}, and creates one for it alone.`,
    documents: [left, own],
  };
  return [one, whole];
}

function denyingRules({ approval, system }: AlwaysFacts): AlwaysRule[] {
  const { tool } = approval;
  const agent = parseRef(approval.agent, approval.namespace);
  const denial = (name: string, scope: object): EditableObject => ({
    apiVersion: API_VERSION,
    kind: 'ToolPermission',
    metadata: { name, namespace: tool.namespace },
    spec: { tool_ref: tool.name, ...scope, operation_rules: [{ operation_class: ALL, verdict: 'deny' }] },
  });
  const scoped = { apply_mode: 'scoped', target_agents: [refFrom(tool.namespace, agent)] };
  return [
    ...(approval.agent === ''
      ? []
      : [
          {
            id: 'deny-agent',
            verdict: 'deny' as const,
            label: `Deny ${tool.name} to agent ${agent.name}`,
            hint: 'Creates a ToolPermission for this agent.',
            documents: [denial(ruleName('deny', tool.name, agent.name), scoped)],
          },
        ]),
    ...(system
      ? [
          {
            id: 'deny-system',
            verdict: 'deny' as const,
            label: `Deny ${tool.name} in runs of ${system.name}`,
            hint: 'Creates an AgentPolicy for this system.',
            documents: [
              {
                apiVersion: API_VERSION,
                kind: 'AgentPolicy',
                metadata: { name: ruleName('deny', tool.name, 'in', system.name), namespace: system.namespace },
                spec: { apply_mode: 'scoped', target_systems: [system.name], blocked_tools: [refFrom(system.namespace, tool)] },
              },
            ],
          },
        ]
      : []),
    {
      id: 'deny',
      verdict: 'deny',
      label: `Deny ${tool.name} to every agent`,
      hint: 'Creates a ToolPermission for the tool.',
      documents: [denial(ruleName('deny', tool.name), { apply_mode: 'global' })],
    },
  ];
}

const refFrom = (home: string, { namespace, name }: Place): string => (namespace === home ? name : `${namespace}/${name}`);

const ruleName = (...parts: readonly string[]): string => parts.join('-').slice(0, NAME_MAX);
