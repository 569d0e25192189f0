// Result of one step of a judgement: the rules it checked and its verdict. Pure.
import type { CallVerdict, RuleFinding, RuleRef } from '../engine/ports.ts';
import { objectTitle, type PolicyRule, type RoleRule, type PermissionRule, type Verdict } from './rules.ts';

type Bare<Judgement> = Judgement extends unknown ? Omit<Judgement, 'findings'> : never;
/** A verdict before its findings are put beside it. */
export type Outcome = Bare<CallVerdict>;
export type Denial = Extract<Outcome, { verdict: 'deny' }>;
export type Question = Extract<Outcome, { verdict: 'approval_required' }>;

export interface Step<Result = Outcome> {
  readonly findings: readonly RuleFinding[];
  readonly outcome: Result;
}

/** Verdict for a call that no ToolPermission covers, or none of its operation rules. */
export type DefaultVerdict = 'allow' | 'deny';

/** The flag whose value decides where no rule does. */
export const DEFAULT_RULE: RuleRef = { kind: 'default', path: '--default-tool-verdict' };

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, approval_required: 1, deny: 2 };

export const stricter = (a: Verdict, b: Verdict): boolean => STRICTNESS[a] > STRICTNESS[b];

/** A rule at one place of its spec. */
export const at = (rule: RuleRef, path: string): RuleRef => ({ ...rule, path });

export const finding = (rule: RuleRef, effect: RuleFinding['effect'], message: string): RuleFinding => ({ rule, effect, message });

/** The denial of a rule that cannot be read. It ends a run, so it names the mistake. */
export function unreadable({ rule, problem }: PolicyRule | PermissionRule | RoleRule): Denial {
  return {
    verdict: 'deny',
    code: rule.kind === 'AgentPolicy' ? 'policy_violation' : 'permission_denied',
    reason: 'rule_unreadable',
    message: `${objectTitle(rule.kind, rule)} cannot be read (${problem}), so what it may govern is denied; correct it or delete it`,
    rule,
  };
}
