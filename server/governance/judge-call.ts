// Whether an agent's call of a tool is allowed, denied or needs a person: policies first, then what the agent allows in advance, then permissions. Pure.
import { parseRef } from '@svc/shared/resource';
import type { CallSubject, CallVerdict, RuleFinding } from '../engine/ports.ts';
import { judgePermissions } from './judge-permissions.ts';
import { at, finding, unreadable, type DefaultVerdict, type Denial, type Step } from './outcome.ts';
import type { RuleBook } from './rule-book.ts';
import { objectTitle, objectKey, type PolicyRule } from './rules.ts';

/** Checks all rules even after a denial, so that every reason is reported at once. */
export function judgeCall(book: RuleBook, subject: CallSubject, defaultVerdict: DefaultVerdict): CallVerdict {
  const policies = judgePolicies(book.policiesOf(subject, subject.agent.namespace), subject);
  const permissions = allowedInAdvance(subject) ?? judgePermissions(book, subject, defaultVerdict);
  const findings = [...policies.findings, ...permissions.findings];
  return { ...(policies.outcome ?? permissions.outcome), findings };
}

function judgePolicies(policies: readonly PolicyRule[], { tool }: CallSubject): Step<Denial | undefined> {
  const findings: RuleFinding[] = [];
  let outcome: Denial | undefined;
  for (const policy of policies) {
    const denial = policy.problem === undefined ? blockOf(policy, tool) : unreadable(policy);
    const passing = `${objectTitle(policy.rule.kind, policy.rule)} does not block ${objectTitle('Tool', tool)}`;
    findings.push(denial ? finding(denial.rule, 'deny', denial.message) : finding(policy.rule, 'none', passing));
    outcome ??= denial;
  }
  return { findings, outcome };
}

function blockOf({ rule, blockedTools }: PolicyRule, tool: CallSubject['tool']): Denial | undefined {
  const index = blockedTools.get(objectKey(tool));
  if (index === undefined) return undefined;
  return {
    verdict: 'deny',
    code: 'policy_violation',
    reason: 'tool_blocked',
    message: `${objectTitle(rule.kind, rule)} blocks ${objectTitle('Tool', tool)} for this run`,
    rule: at(rule, `spec.blocked_tools[${index}]`),
  };
}

/** For every way to name it; the name alone is ambiguous, as it may be a different tool in another namespace. */
function allowedInAdvance({ agent, tool }: CallSubject): Step | undefined {
  const key = objectKey(tool);
  const index = agent.allowedTools.findIndex((ref) => objectKey(parseRef(ref, agent.namespace)) === key);
  if (index < 0) return undefined;
  const rule = { kind: 'Agent', namespace: agent.namespace, name: agent.name, path: `spec.allowed_tools[${index}]` };
  const message = `${objectTitle('Agent', agent)} allows ${objectTitle('Tool', tool)} in advance, so its roles and the tool's permissions are not checked`;
  return { findings: [finding(rule, 'allow', message)], outcome: { verdict: 'allow', rule } };
}
