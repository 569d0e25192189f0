// Rules in force after they were read: compiled for judging one call without reading the others. Independent of any store.
import type { NamespacedName } from '@svc/shared/resource';
import type { ApprovalRule, RuleRef } from '../engine/ports.ts';

/** How verdicts are compared: the strictest wins. */
export type Verdict = 'allow' | 'approval_required' | 'deny';

interface Rule {
  /** The object the rule is. */
  readonly rule: RuleRef & NamespacedName;
  /** Why it cannot be read: it then denies whatever it might govern. */
  readonly problem?: string;
}

export interface PolicyRule extends Rule {
  /** Position among all policies, which is the order they are examined in. */
  readonly order: number;
  /** Keys of blocked tools with their index in the spec. */
  readonly blockedTools: ReadonlyMap<string, number>;
  /** None: every model is allowed. */
  readonly allowedModels: readonly string[];
  /** 0: no limit. */
  readonly tokensMax: number;
}

export interface OperationRule {
  /** `*` is every class. */
  readonly operation: string;
  readonly verdict: Verdict;
}

export interface PermissionRule extends Rule {
  readonly action: string;
  /** Keys of the agents it governs; absent: all of them. */
  readonly agents?: ReadonlySet<string>;
  readonly required: readonly string[];
  readonly match: 'all' | 'any';
  readonly operations: readonly OperationRule[];
  readonly ttlMs: number;
  /** Named in the approvals that it requires. */
  readonly asking: ApprovalRule;
  /** Reason that the reviewer sees. */
  readonly why?: string;
}

export interface RoleRule extends Rule {
  /** In lower case. */
  readonly permissions: ReadonlySet<string>;
}

/** Which runs a policy governs. `everywhere` is the reach of one whose targets cannot be read. */
export type PolicyReach =
  | { readonly kind: 'everywhere' }
  | { readonly kind: 'namespace'; readonly namespace: string }
  | { readonly kind: 'targets'; readonly systems: readonly string[]; readonly tasks: readonly string[] };

/** The identity of a namespaced object within its kind. */
export const objectKey = ({ namespace, name }: NamespacedName): string => `${namespace}/${name}`;

/** How messages name an object. */
export const objectTitle = (kind: string, object: NamespacedName): string => `${kind} ${object.namespace}/${object.name}`;
