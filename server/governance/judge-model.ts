// Verdict of policies on a model call, and the token budget of a run. Pure.
import type { ModelSubject, ModelVerdict, RuleFinding, TokenLimit } from '../engine/ports.ts';
import { at, finding, unreadable } from './outcome.ts';
import type { RuleBook } from './rule-book.ts';
import { objectTitle, type PolicyRule } from './rules.ts';

type Denial = Omit<Extract<ModelVerdict, { verdict: 'deny' }>, 'findings'>;

/** Models are compared as they are sent: exactly, but for space around them. */
export function judgeModel(book: RuleBook, subject: ModelSubject): ModelVerdict {
  const policies = book.policiesOf(subject, subject.endpoint.namespace);
  const model = subject.endpoint.model.trim();
  const findings: RuleFinding[] = [];
  let denial: Denial | undefined;
  let allowing: RuleFinding | undefined;
  let tokenLimit: TokenLimit | undefined;
  for (const policy of policies) {
    const judged = judgePolicy(policy, model);
    findings.push(judged.finding);
    denial ??= judged.denial;
    if (judged.finding.effect === 'allow') allowing ??= judged.finding;
    tokenLimit = smaller(tokenLimit, policy);
  }
  if (tokenLimit) findings.push(finding(tokenLimit.rule, 'none', `the run may use ${tokenLimit.tokens} tokens in all`));
  if (denial) return { ...denial, findings };
  return { verdict: 'allow', rule: allowing?.rule ?? { kind: 'default' }, findings, ...(tokenLimit && { tokenLimit }) };
}

function judgePolicy(policy: PolicyRule, model: string): { readonly finding: RuleFinding; readonly denial?: Denial } {
  const { rule, allowedModels } = policy;
  const name = objectTitle(rule.kind, rule);
  if (policy.problem !== undefined) {
    const denial = unreadable(policy);
    return { finding: finding(rule, 'deny', denial.message), denial };
  }
  if (allowedModels.length === 0) return { finding: finding(rule, 'none', `${name} allows every model`) };
  const index = allowedModels.indexOf(model);
  if (index >= 0) return { finding: finding(at(rule, `spec.allowed_models[${index}]`), 'allow', `${name} allows the model ${model}`) };
  const message = `${name} does not allow the model ${model}; use one of its allowed_models, or add this one to them`;
  const denying = at(rule, 'spec.allowed_models');
  return {
    finding: finding(denying, 'deny', message),
    denial: { verdict: 'deny', code: 'policy_violation', reason: 'model_not_allowed', message, rule: denying },
  };
}

function smaller(limit: TokenLimit | undefined, { rule, tokensMax }: PolicyRule): TokenLimit | undefined {
  if (tokensMax <= 0 || (limit && limit.tokens <= tokensMax)) return limit;
  return { tokens: tokensMax, rule: at(rule, 'spec.max_tokens_per_run') };
}
