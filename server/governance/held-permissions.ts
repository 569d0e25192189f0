// Permissions that an agent's roles grant. A role that is missing or unreadable denies, because its limits are unknown. Pure.
import { parseRef } from '@svc/shared/resource';
import type { CallSubject, RuleFinding } from '../engine/ports.ts';
import { finding, unreadable, type Denial, type Step } from './outcome.ts';
import type { RuleBook } from './rule-book.ts';
import { objectTitle, type RoleRule } from './rules.ts';

/** Permissions in lower case. */
export type HeldPermissions = ReadonlySet<string>;

interface Roles {
  readonly held: HeldPermissions;
  readonly denial?: Denial;
}

/** The permissions of all roles together. */
export function heldPermissions(book: RuleBook, agent: CallSubject['agent']): Step<Roles> {
  const findings: RuleFinding[] = [];
  const held = new Set<string>();
  let denial: Denial | undefined;
  for (const [index, ref] of agent.roles.entries()) {
    const key = parseRef(ref, agent.namespace);
    const role = book.role(key);
    const refused = role ? (role.problem === undefined ? undefined : unreadable(role)) : missing({ ...key, index }, agent);
    denial ??= refused;
    for (const permission of role?.permissions ?? []) held.add(permission);
    findings.push(refused ? finding(refused.rule, 'deny', refused.message) : granting(role as RoleRule));
  }
  if (agent.roles.length === 0) {
    const rule = { kind: 'Agent', namespace: agent.namespace, name: agent.name, path: 'spec.roles' };
    findings.push(finding(rule, 'none', `${objectTitle('Agent', agent)} has no roles, and so holds no permission`));
  }
  return { findings, outcome: { held, ...(denial && { denial }) } };
}

function granting({ rule, permissions }: RoleRule): RuleFinding {
  const given = permissions.size === 0 ? 'no permission' : [...permissions].join(', ');
  return finding(rule, 'none', `${objectTitle(rule.kind, rule)} gives ${given}`);
}

function missing(role: { readonly namespace: string; readonly name: string; readonly index: number }, agent: CallSubject['agent']): Denial {
  return {
    verdict: 'deny',
    code: 'permission_denied',
    reason: 'role_missing',
    message: `${objectTitle('AgentRole', role)} of ${objectTitle('Agent', agent)} does not exist; create it, or remove it from the agent's roles`,
    rule: { kind: 'Agent', namespace: agent.namespace, name: agent.name, path: `spec.roles[${role.index}]` },
  };
}
