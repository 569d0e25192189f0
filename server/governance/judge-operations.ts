// Verdict of one ToolPermission's operation rules on a call: the strictest over the tool's operation classes. Pure.
import { OPERATION_CLASSES } from '@svc/shared/kinds/tool/schema';
import type { CallSubject, RuleFinding, RuleRef } from '../engine/ports.ts';
import { at, DEFAULT_RULE, finding, stricter, type DefaultVerdict, type Outcome, type Step } from './outcome.ts';
import { objectTitle, type OperationRule, type PermissionRule, type Verdict } from './rules.ts';

/** One rule, or the server's default, with the classes of the call that it is about. */
interface Saying {
  readonly verdict: Verdict;
  readonly rule: RuleRef;
  readonly classes: readonly string[];
}

/** The permission has at least one operation rule. */
export function judgeOperations(permission: PermissionRule, subject: CallSubject, defaultVerdict: DefaultVerdict): Step {
  const classes = classesOf(subject);
  const { rule, operations } = permission;
  const about = operations.map((operation) => classes.filter((name) => operation.operation === '*' || operation.operation === name));
  const sayings: Saying[] = operations.flatMap(({ verdict }, index) => {
    const matching = about[index] ?? [];
    return matching.length === 0 ? [] : [{ verdict, rule: at(rule, `spec.operation_rules[${index}]`), classes: matching }];
  });
  const open = classes.filter((name) => !about.some((matching) => matching.includes(name)));
  if (open.length > 0) sayings.push({ verdict: defaultVerdict, rule: DEFAULT_RULE, classes: open });
  const name = objectTitle(rule.kind, rule);
  const findings = operations.map((operation, index) => ruleFinding({ permission, name, operation, index }, about[index] ?? []));
  const passed = `no operation rule of ${name} is about ${open.join(', ')}, so the server's default holds: ${defaultVerdict}`;
  if (open.length > 0) findings.push(finding(DEFAULT_RULE, defaultVerdict, passed));
  return { findings, outcome: outcomeOf(permission, subject, strictestOf(sayings)) };
}

/** All four for a tool that says nothing: which of them a call is cannot be known then. */
function classesOf({ operation, tool }: CallSubject): readonly string[] {
  if (operation !== undefined) return [operation];
  return tool.operationClasses.length > 0 ? tool.operationClasses : OPERATION_CLASSES;
}

interface ExaminedRule {
  readonly permission: PermissionRule;
  readonly name: string;
  readonly operation: OperationRule;
  readonly index: number;
}

function ruleFinding({ permission, name, operation, index }: ExaminedRule, matching: readonly string[]): RuleFinding {
  const rule = at(permission.rule, `spec.operation_rules[${index}]`);
  if (matching.length === 0) return finding(rule, 'none', `${name} has a rule for ${operation.operation}, which this call is not`);
  return finding(rule, operation.verdict, `${name} says ${operation.verdict} for ${matching.join(', ')}`);
}

/** There is at least one: each class has a rule or the default. Of equally strict ones the first, and of those that ask the one about the gravest class. */
function strictestOf(sayings: readonly Saying[]): Saying {
  const [first, ...rest] = sayings as readonly [Saying, ...Saying[]];
  return rest.reduce((best, saying) => (precedes(saying, best) ? saying : best), first);
}

function precedes(a: Saying, b: Saying): boolean {
  if (a.verdict !== b.verdict) return stricter(a.verdict, b.verdict);
  return a.verdict === 'approval_required' && gravity(gravest(a.classes)) > gravity(gravest(b.classes));
}

const gravity = (name: string): number => (OPERATION_CLASSES as readonly string[]).indexOf(name);

/** Picks the class to show a reviewer: a call that reads and deletes is shown as a deletion. */
export function gravest(classes: readonly string[]): string {
  return classes.reduce((best, name) => (gravity(name) > gravity(best) ? name : best));
}

function outcomeOf(permission: PermissionRule, { tool }: CallSubject, { verdict, rule, classes }: Saying): Outcome {
  const name = objectTitle(permission.rule.kind, permission.rule);
  if (verdict === 'allow') return { verdict, rule };
  if (verdict === 'approval_required') {
    const operation = gravest(classes);
    return {
      verdict,
      rule,
      operation,
      ttlMs: permission.ttlMs,
      askedBy: [permission.asking],
      reason: permission.why ?? `${name} asks for an approval of ${operation} calls`,
    };
  }
  const byDefault = rule === DEFAULT_RULE;
  const message = byDefault
    ? `no operation rule of ${name} is about ${classes.join(', ')} calls of ${objectTitle('Tool', tool)}, and the server denies such calls`
    : `${name} denies ${classes.join(', ')} calls of ${objectTitle('Tool', tool)}`;
  return { verdict, code: 'permission_denied', reason: byDefault ? 'default_deny' : 'operation_denied', message, rule };
}
