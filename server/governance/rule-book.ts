// Every rule in force, filed by what it governs: what a call costs to judge depends on the rules about it, not on how many there are. Pure.
import type { NamespacedName } from '@svc/shared/resource';
import type { GovernedRun } from '../engine/ports.ts';
import type { StoredObject } from '../store/store.ts';
import { readPermission, readPolicy, readRole } from './read-rules.ts';
import { objectKey, type PermissionRule, type PolicyReach, type PolicyRule, type RoleRule } from './rules.ts';

/** The stored rules, each list ordered by namespace and name. */
export interface StoredRules {
  readonly policies: readonly StoredObject[];
  readonly permissions: readonly StoredObject[];
  readonly roles: readonly StoredObject[];
}

export interface RuleBook {
  /** Those that govern a run. Where neither its Task nor its system is known it counts as one of namespace `home`. */
  policiesOf(run: GovernedRun, home: string): readonly PolicyRule[];
  /** Those about a tool, whether or not they govern the agent that calls it. */
  permissionsOf(tool: NamespacedName): readonly PermissionRule[];
  role(key: NamespacedName): RoleRule | undefined;
}

type RuleIndex<Rule> = Map<string, Rule[]>;

function file<Rule>(files: RuleIndex<Rule>, key: string, rule: Rule): void {
  const filed = files.get(key);
  if (filed) filed.push(rule);
  else files.set(key, [rule]);
}

export function compileRules(stored: StoredRules): RuleBook {
  const roles = new Map(stored.roles.map((object) => [objectKey(object), readRole(object)]));
  return {
    policiesOf: filePolicies(stored.policies),
    permissionsOf: filePermissions(stored.permissions),
    role: (key) => roles.get(objectKey(key)),
  };
}

interface PolicyFiles {
  readonly everywhere: PolicyRule[];
  readonly namespaces: RuleIndex<PolicyRule>;
  readonly systems: RuleIndex<PolicyRule>;
  readonly tasks: RuleIndex<PolicyRule>;
}

function filePolicies(objects: readonly StoredObject[]): RuleBook['policiesOf'] {
  const files: PolicyFiles = { everywhere: [], namespaces: new Map(), systems: new Map(), tasks: new Map() };
  const put = (policy: PolicyRule, reach: PolicyReach) => {
    if (reach.kind === 'everywhere') files.everywhere.push(policy);
    else if (reach.kind === 'namespace') file(files.namespaces, reach.namespace, policy);
    else {
      for (const key of reach.systems) file(files.systems, key, policy);
      for (const key of reach.tasks) file(files.tasks, key, policy);
    }
  };
  objects.forEach((object, order) => {
    const { policy, reach } = readPolicy(object, order);
    put(policy, reach);
  });
  return (run, home) => {
    const namespaces = run.task || run.system ? [run.task?.namespace, run.system?.namespace] : [home];
    const found = [
      ...files.everywhere,
      ...namespaces.flatMap((namespace) => (namespace === undefined ? [] : (files.namespaces.get(namespace) ?? []))),
      ...((run.system && files.systems.get(objectKey(run.system))) ?? []),
      ...((run.task && files.tasks.get(objectKey(run.task))) ?? []),
    ];
    return found.length < 2 ? found : [...new Set(found)].sort((a, b) => a.order - b.order);
  };
}

function filePermissions(objects: readonly StoredObject[]): RuleBook['permissionsOf'] {
  const aboutEvery: PermissionRule[] = [];
  const byTool: RuleIndex<PermissionRule> = new Map();
  for (const object of objects) {
    const { permission, tool } = readPermission(object);
    if (tool === undefined) aboutEvery.push(permission);
    else file(byTool, tool, permission);
  }
  return (tool) => {
    const about = byTool.get(objectKey(tool)) ?? [];
    return aboutEvery.length === 0 ? about : [...aboutEvery, ...about];
  };
}
