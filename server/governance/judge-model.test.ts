import { expect, test } from 'vitest';
import { modelCall, policy, ruleBook } from '../testing/governance-rules.ts';
import { judgeModel } from './judge-model.ts';

const global = { apply_mode: 'global' };

test.each([
  ['one that allows it', [policy('p', { ...global, allowed_models: ['slow', ' fast-1 '] })], true],
  ['one that allows every model', [policy('p', { ...global, allowed_models: [] })], true],
  ['one that allows others', [policy('p', { ...global, allowed_models: ['slow'] })], false],
  ['one that allows it in other letters', [policy('p', { ...global, allowed_models: ['Fast-1'] })], false],
  ['one that allows its endpoint', [policy('p', { ...global, allowed_models: ['fast'] })], false],
  [
    'two of which one allows it',
    [policy('a', { ...global, allowed_models: ['fast-1'] }), policy('b', { ...global, allowed_models: ['slow'] })],
    false,
  ],
  ['one for other runs', [policy('p', { target_systems: ['other'], allowed_models: ['slow'] })], true],
  ['one that cannot be read', [policy('p', { ...global, allowed_models: 'fast-1' }, true)], false],
])('a model under %s', (_, rules, allowed) => {
  expect(judgeModel(ruleBook(...rules), modelCall()).verdict).toBe(allowed ? 'allow' : 'deny');
});

test('a denial names the policy, the model and what to do', () => {
  const rules = [policy('p', { ...global, allowed_models: ['slow'] })];
  const message = 'AgentPolicy team/p does not allow the model fast-1; use one of its allowed_models, or add this one to them';
  const rule = { kind: 'AgentPolicy', namespace: 'team', name: 'p', path: 'spec.allowed_models' };
  expect(judgeModel(ruleBook(...rules), modelCall())).toEqual({
    verdict: 'deny',
    code: 'policy_violation',
    reason: 'model_not_allowed',
    message,
    rule,
    findings: [{ rule, effect: 'deny', message }],
  });
});

test('the smallest budget of the policies that govern the run applies; 0 is no limit', () => {
  const rules = [
    policy('a', { ...global, max_tokens_per_run: 9_000 }),
    policy('b', { target_tasks: ['nightly'], max_tokens_per_run: 500 }),
    policy('c', { target_systems: ['other'], max_tokens_per_run: 10 }),
    policy('d', { ...global, max_tokens_per_run: 0 }),
  ];
  expect(judgeModel(ruleBook(...rules), modelCall())).toMatchObject({
    verdict: 'allow',
    tokenLimit: { tokens: 500, rule: { name: 'b', path: 'spec.max_tokens_per_run' } },
  });
  expect(judgeModel(ruleBook(), modelCall())).toEqual({ verdict: 'allow', rule: { kind: 'default' }, findings: [] });
});
