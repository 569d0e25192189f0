// Proposed rules for calls like one that waits for a person.
import { expect, test } from 'vitest';
import { toolApproval } from '../../../testing/approvals.ts';
import { objectOf } from '../../../testing/fake-objects.ts';
import { alwaysRules, type AlwaysFacts } from './always-rules.ts';
import { similarCalls } from './use-always-effects.ts';

const ASKS = { operation_class: '*', verdict: 'approval_required' };
const permission = (spec: object) => objectOf('ToolPermission', 'pay', { spec: { tool_ref: 'pay', operation_rules: [ASKS], ...spec } });

const rulesOf = (facts: Partial<AlwaysFacts> = {}) =>
  alwaysRules({ approval: toolApproval(), operations: ['write'], permission: permission({}), system: undefined, ...facts });

test('allowing splits a rule for all classes, as the strictest of several applies', () => {
  const [allow] = rulesOf();
  expect(allow).toMatchObject({ id: 'allow', hint: 'Changes ToolPermission pay, which governs every agent.' });
  expect(allow?.documents).toMatchObject([
    {
      kind: 'ToolPermission',
      metadata: { name: 'pay', namespace: 'ops' },
      spec: {
        tool_ref: 'pay',
        operation_rules: [
          { operation_class: 'read', verdict: 'approval_required' },
          { operation_class: 'delete', verdict: 'approval_required' },
          { operation_class: 'admin', verdict: 'approval_required' },
          { operation_class: 'write', verdict: 'allow' },
        ],
      },
    },
  ]);
});

test('one agent of several gets a permission of its own, and an agent of a global rule does not', () => {
  const scoped = permission({ apply_mode: 'scoped', target_agents: ['clerk', 'teller'], required_permissions: ['money'] });
  const [own] = rulesOf({ permission: scoped });
  expect(own).toMatchObject({ id: 'allow-agent' });
  expect(own?.documents).toMatchObject([
    { metadata: { name: 'pay' }, spec: { target_agents: ['teller'], operation_rules: [ASKS] } },
    { metadata: { name: 'pay-clerk' }, spec: { tool_ref: 'pay', target_agents: ['clerk'], required_permissions: ['money'] } },
  ]);
  expect(rulesOf().map(({ id }) => id)).toEqual(['allow', 'deny-agent', 'deny']);
  const only = permission({ apply_mode: 'scoped', target_agents: ['ops/clerk'] });
  expect(rulesOf({ permission: only }).map(({ id }) => id)).toEqual(['allow', 'deny-agent', 'deny']);
});

test('denials name the agent, the system or nobody, from the namespace of the rule', () => {
  const approval = toolApproval({ spec: { tool: 'bank/pay' } });
  const rules = rulesOf({ approval, permission: undefined, system: { namespace: 'ops', name: 'desk' } });
  expect(rules.map(({ id, documents: [document] }) => ({ id, ...document?.metadata, spec: document?.spec }))).toEqual([
    {
      id: 'deny-agent',
      name: 'deny-pay-clerk',
      namespace: 'bank',
      spec: {
        tool_ref: 'pay',
        apply_mode: 'scoped',
        target_agents: ['ops/clerk'],
        operation_rules: [{ operation_class: '*', verdict: 'deny' }],
      },
    },
    {
      id: 'deny-system',
      name: 'deny-pay-in-desk',
      namespace: 'ops',
      spec: { apply_mode: 'scoped', target_systems: ['desk'], blocked_tools: ['bank/pay'] },
    },
    {
      id: 'deny',
      name: 'deny-pay',
      namespace: 'bank',
      spec: { tool_ref: 'pay', apply_mode: 'global', operation_rules: [{ operation_class: '*', verdict: 'deny' }] },
    },
  ]);
});

test('similar calls are those of the tool, each run once, this one first', () => {
  const own = toolApproval({ name: 'a' });
  const again = toolApproval({ name: 'b' });
  const other = toolApproval({ name: 'c', spec: { task_ref: 'job-2' } });
  const foreign = toolApproval({ name: 'd', spec: { tool: 'refund', task_ref: 'job-3' } });
  expect(similarCalls(own, [foreign, again, other, own])).toEqual([own, other]);
});
