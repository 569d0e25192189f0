// Verdict of a tool's ToolPermissions on a call: the strictest of those that govern it. Pure.
import type { CallSubject, RuleFinding } from '../engine/ports.ts';
import { heldPermissions, type HeldPermissions } from './held-permissions.ts';
import { gravest, judgeOperations } from './judge-operations.ts';
import {
  at,
  DEFAULT_RULE,
  finding,
  stricter,
  unreadable,
  type DefaultVerdict,
  type Denial,
  type Outcome,
  type Question,
  type Step,
} from './outcome.ts';
import type { RuleBook } from './rule-book.ts';
import { objectTitle, objectKey, type PermissionRule } from './rules.ts';

/** The action that a call of a tool is. */
export const CALL_ACTIONS: ReadonlySet<string> = new Set(['invoke', '*']);

export function judgePermissions(book: RuleBook, subject: CallSubject, defaultVerdict: DefaultVerdict): Step {
  const about = book.permissionsOf(subject.tool);
  const governing = about.filter((permission) => asideBecause(permission, subject) === undefined);
  const roles = heldPermissions(book, subject.agent);
  const { held, denial } = roles.outcome;
  const isAsked = denial !== undefined || governing.some(({ required }) => required.length > 0);
  const findings: RuleFinding[] = isAsked ? [...roles.findings] : [];
  const outcomes: Outcome[] = denial ? [denial] : [];
  const steps =
    governing.length === 0
      ? [ungoverned({ about, subject, defaultVerdict })]
      : about.map((permission) => judgePermission({ permission, subject, held }, defaultVerdict));
  for (const step of steps) {
    findings.push(...step.findings);
    if (step.outcome) outcomes.push(step.outcome);
  }
  return { findings, outcome: strictest(outcomes) };
}

/** Why a permission about the tool does not govern this call; undefined when it does. */
function asideBecause({ action, agents }: PermissionRule, { agent }: CallSubject): string | undefined {
  if (!CALL_ACTIONS.has(action)) return `is about the action ${action}, and calls are invoke`;
  if (agents && !agents.has(objectKey(agent))) return `governs other agents than ${objectTitle('Agent', agent)}`;
  return undefined;
}

interface UngovernedCall {
  readonly about: readonly PermissionRule[];
  readonly subject: CallSubject;
  readonly defaultVerdict: DefaultVerdict;
}

function ungoverned({ about, subject, defaultVerdict }: UngovernedCall): Step {
  const { agent } = subject;
  const tool = objectTitle('Tool', subject.tool);
  const aside = about.map((permission) => asideFinding(permission, subject));
  const none = `no ToolPermission governs ${tool} for ${objectTitle('Agent', agent)}`;
  if (defaultVerdict === 'allow') {
    const allowed = finding(DEFAULT_RULE, 'allow', `${none}, and the server allows such calls`);
    return { findings: [...aside, allowed], outcome: { verdict: 'allow', rule: DEFAULT_RULE } };
  }
  const message = `${none}, and the server denies such calls; add a ToolPermission for it, or list it in the agent's allowed_tools`;
  const denial: Denial = { verdict: 'deny', code: 'permission_denied', reason: 'default_deny', message, rule: DEFAULT_RULE };
  return { findings: [...aside, finding(DEFAULT_RULE, 'deny', message)], outcome: denial };
}

function asideFinding(permission: PermissionRule, subject: CallSubject): RuleFinding {
  const { rule } = permission;
  return finding(rule, 'none', `${objectTitle(rule.kind, rule)} ${asideBecause(permission, subject)}`);
}

interface ConsideredRule {
  readonly permission: PermissionRule;
  readonly subject: CallSubject;
  readonly held: HeldPermissions;
}

function judgePermission(considered: ConsideredRule, defaultVerdict: DefaultVerdict): Step<Outcome | undefined> {
  const { permission, subject } = considered;
  if (asideBecause(permission, subject) !== undefined) return { findings: [asideFinding(permission, subject)], outcome: undefined };
  const denial = permission.problem === undefined ? lackOf(considered) : unreadable(permission);
  if (denial) return { findings: [finding(denial.rule, 'deny', denial.message)], outcome: denial };
  const { rule, required } = permission;
  const name = objectTitle(rule.kind, rule);
  const granted =
    required.length === 0 ? `${name} requires no permission` : `${objectTitle('Agent', subject.agent)} holds what ${name} requires`;
  if (permission.operations.length === 0) {
    return { findings: [finding(rule, 'allow', `${granted}, and it has no operation rules`)], outcome: { verdict: 'allow', rule } };
  }
  const operations = judgeOperations(permission, subject, defaultVerdict);
  return { findings: [finding(rule, 'none', granted), ...operations.findings], outcome: operations.outcome };
}

/** Permissions are compared without regard to case, as roles keep them. */
function lackOf({ permission, subject, held }: ConsideredRule): Denial | undefined {
  const { rule, required, match } = permission;
  const lacking = required.filter((name) => !held.has(name.toLowerCase()));
  if (match === 'all' ? lacking.length === 0 : lacking.length < required.length || required.length === 0) return undefined;
  const wanted = match === 'any' && required.length > 1 ? `any of ${required.join(', ')}` : lacking.join(', ');
  return {
    verdict: 'deny',
    code: 'permission_denied',
    reason: 'permission_missing',
    message: `${objectTitle(rule.kind, rule)} requires ${wanted}, which the roles of ${objectTitle('Agent', subject.agent)} do not hold`,
    rule: at(rule, 'spec.required_permissions'),
  };
}

/** Strictest outcome, the first of equal ones. Of several required approvals the shortest ttl applies; the gravest class and all reasons are shown. */
function strictest(outcomes: readonly Outcome[]): Outcome {
  const [first, ...rest] = outcomes as readonly [Outcome, ...Outcome[]];
  const strict = rest.reduce((best, outcome) => (stricter(outcome.verdict, best.verdict) ? outcome : best), first);
  if (strict.verdict !== 'approval_required') return strict;
  const asking = outcomes.filter((outcome): outcome is Question => outcome.verdict === 'approval_required');
  const shortest = asking.reduce((best, outcome) => (outcome.ttlMs < best.ttlMs ? outcome : best), strict);
  const operation = gravest(asking.map((outcome) => outcome.operation));
  const askedBy = asking.flatMap((outcome) => outcome.askedBy);
  return { ...shortest, operation, askedBy, reason: [...new Set(asking.map(({ reason }) => reason))].join('; ') };
}
