import { describe, expect, test } from 'vitest';
import { parseKey, parseRule, sendBackProblem } from './approval.ts';
import { taskApproval, toolApproval } from '../../../testing/approvals.ts';

test('an address identifies an approval by kind or by its short form, and nothing else', () => {
  expect(parseKey('ToolApproval/ops/a')).toEqual({ kind: 'ToolApproval', namespace: 'ops', name: 'a' });
  expect(parseKey('task/ops/b')).toEqual({ kind: 'TaskApproval', namespace: 'ops', name: 'b' });
  for (const strange of ['', 'Tool/ops/a', 'tool/ops', 'tool//a', 'tool/a/b/c']) expect(parseKey(strange)).toBeUndefined();
});

test('an approval with unexpected fields is readable, so that it can be denied', () => {
  const broken = toolApproval({
    spec: { task_ref: 7, tool: null, agent: {}, input: 12, reason: [] },
    status: { phase: 9, expires_at: 'soon' },
  });
  expect(broken).toMatchObject({ agent: '', input: '', reason: '', phase: 'Pending' });
});

test('the requesting rule is an object and a path; other text stays text', () => {
  expect(parseRule('ToolPermission ops/pay spec.operation_rules[1]')).toEqual({
    kind: 'ToolPermission',
    namespace: 'ops',
    name: 'pay',
    path: 'spec.operation_rules[1]',
  });
  expect(parseRule('default')).toBeUndefined();
  expect(parseRule('the default of the server')).toBeUndefined();
});

describe('sending work back', () => {
  test.each([
    [{ review_cycle: 1, max_review_cycles: 3 }, undefined],
    [{ review_cycle: 3, max_review_cycles: 3 }, /review 3 of at most 3/],
    [{ allow_request_changes: false }, /does not allow/],
  ])('%j', (spec, problem) => {
    const actual = sendBackProblem(taskApproval({ spec }));
    if (problem) expect(actual).toMatch(problem);
    else expect(actual).toBeUndefined();
  });
});
