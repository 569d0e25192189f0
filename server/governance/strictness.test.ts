import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CallVerdict } from '../engine/ports.ts';
import type { StoredObject } from '../store/store.ts';
import { call, permission, policy, role, ruleBook, storedRule } from '../testing/governance-rules.ts';
import { judgeCall } from './judge-call.ts';
import { stricter, type DefaultVerdict } from './outcome.ts';

const verdict = fc.constantFrom('allow', 'deny', 'approval_required');
const operationRule = fc.record({ operation_class: fc.constantFrom('read', 'write', 'delete', 'admin', '*'), verdict });
const permissionSpec = fc.record({
  tool_ref: fc.constantFrom('mail', 'team/mail', 'other'),
  action: fc.constantFrom('invoke', 'configure'),
  required_permissions: fc.subarray(['a', 'B', 'unknown']),
  match_mode: fc.constantFrom('all', 'any'),
  apply_mode: fc.constantFrom('global', 'scoped'),
  target_agents: fc.constantFrom(['writer'], ['reader']),
  operation_rules: fc.array(operationRule, { maxLength: 3 }),
  approval: fc.record({ ttl: fc.constantFrom('1m', '1h') }),
});
const policySpec = fc.record({
  apply_mode: fc.constantFrom('global', 'scoped'),
  target_systems: fc.subarray(['research', 'other']),
  blocked_tools: fc.subarray(['mail', 'other']),
});
/** Anything at all in place of a spec. */
const nonsense = fc.tuple(
  fc.constantFrom('AgentPolicy', 'ToolPermission'),
  fc.object({ key: fc.constantFrom('apply_mode', 'tool_ref', 'x'), maxDepth: 2 }),
);
const rule: fc.Arbitrary<StoredObject> = fc.oneof(
  permissionSpec.map((spec) => permission('', spec)),
  policySpec.map((spec) => policy('', spec)),
  nonsense.map(([kind, spec]) => storedRule(kind, '', spec, true)),
);
const rules = fc.array(rule, { maxLength: 5 }).map((all) => all.map((each, index) => ({ ...each, name: `r${index}` })));
const subject = fc
  .record({
    roles: fc.subarray(['one', 'two', 'ghost']),
    allowedTools: fc.subarray(['mail']),
    operationClasses: fc.subarray(['read', 'write', 'delete', 'admin']),
  })
  .map(({ roles, allowedTools, operationClasses }) => call({ agent: { roles, allowedTools }, tool: { operationClasses } }));
const ROLES = [role('one', 'A'), role('two', 'b')];
const defaults = fc.constantFrom<DefaultVerdict>('allow', 'deny');

const isGoverned = (verdict: CallVerdict): boolean =>
  verdict.findings.some(({ rule: { kind }, effect }) => kind === 'ToolPermission' && effect !== 'none');

test('a further rule never makes a verdict laxer, but for the first permission that governs the call', () => {
  fc.assert(
    fc.property(rules, rule, subject, defaults, (before, added, asked, fallback) => {
      const judge = (...objects: readonly StoredObject[]) => judgeCall(ruleBook(...ROLES, ...objects), asked, fallback);
      const was = judge(...before);
      const now = judge(...before, { ...added, name: 'z' });
      if (stricter(was.verdict, now.verdict))
        expect({ fallback, governed: isGoverned(was) }).toEqual({ fallback: 'deny', governed: false });
      if (was.verdict === 'approval_required' && now.verdict === 'approval_required') expect(now.ttlMs).toBeLessThanOrEqual(was.ttlMs);
    }),
    { numRuns: 3_000 },
  );
});

test('a policy is never bypassed, whatever other rules exist', () => {
  fc.assert(
    fc.property(rules, subject, defaults, (others, asked, fallback) => {
      const blocking = policy('block', { apply_mode: 'global', blocked_tools: ['mail'] });
      expect(judgeCall(ruleBook(...ROLES, ...others, blocking), asked, fallback)).toMatchObject({ verdict: 'deny' });
    }),
  );
});

test('the rule a verdict names is among its findings, with that effect', () => {
  fc.assert(
    fc.property(rules, subject, defaults, (all, asked, fallback) => {
      const judged = judgeCall(ruleBook(...ROLES, ...all), asked, fallback);
      const effects = judged.findings.filter(
        ({ rule: { kind, name, path } }) => kind === judged.rule.kind && name === judged.rule.name && path === judged.rule.path,
      );
      expect(effects.map(({ effect }) => effect)).toContain(judged.verdict);
    }),
    { numRuns: 1_000 },
  );
});
