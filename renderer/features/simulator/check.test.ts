import type { AccessCheckAnswer } from '@svc/shared/api/access';
import { describe, expect, test } from 'vitest';
import { hintsOf, questionOf, ruleText, unrunnableTool, type CheckState } from './check.ts';

const EMPTY: CheckState = { agent: '', tool: '', operation: '', system: '', task: '', model: '' };
const answer = (own: Partial<AccessCheckAnswer>): AccessCheckAnswer => ({
  verdict: 'deny',
  reason: '',
  message: '',
  rule: { kind: 'Default' },
  findings: [],
  agent: 'ops/billing',
  tool: 'ops/erp',
  ...own,
});

describe('the question', () => {
  test('needs an agent and a tool', () => expect(questionOf({ ...EMPTY, agent: 'a' }, 'ops')).toBeUndefined());
  test('contains only given values', () =>
    expect(questionOf({ ...EMPTY, agent: ' a ', tool: 't', operation: 'write' }, 'ops')).toEqual({
      namespace: 'ops',
      agent: 'a',
      tool: 't',
      operation: 'write',
    }));
});

describe('a tool that cannot run', () => {
  const tool = { kind: 'Tool', namespace: 'ops', name: 'erp' };
  test.each([
    ['denied by its configuration', answer({ findings: [{ rule: tool, effect: 'deny', message: '' }] }), 'as configured'],
    ['of an engine that does not answer', answer({ verdict: 'allow', findings: [{ rule: tool, effect: 'none', message: '' }] }), 'now'],
    ['that does not exist', answer({ code: 'not_found', findings: [{ rule: tool, effect: 'deny', message: '' }] }), undefined],
    [
      'judged by another class of operation',
      answer({ findings: [{ rule: { ...tool, path: 'spec.operation_classes' }, effect: 'none', message: '' }] }),
      undefined,
    ],
  ])('%s is reported from the answer', (_what, given, expected) => expect(unrunnableTool(given)).toBe(expected));
});

describe('changes that would allow a call', () => {
  test('are empty for an allowed call', () => expect(hintsOf(answer({ verdict: 'allow' }))).toEqual([]));
  test('name the agent when it does not list the tool', () =>
    expect(hintsOf(answer({ code: 'unsupported_tool' }))[0]?.object).toEqual({ kind: 'Agent', namespace: 'ops', name: 'billing' }));
  test('name each blocking place once', () => {
    const rule = { kind: 'AgentPolicy', namespace: 'ops', name: 'small', path: 'spec.blocked_tools' };
    const hints = hintsOf(answer({ rule, findings: [{ rule, effect: 'deny', message: 'blocked' }] }));
    expect(hints.map(({ object }) => object?.name)).toEqual(['small']);
  });
  test('report when no loaded object declares the rule', () => expect(hintsOf(answer({}))[0]?.text).toContain('no object declares'));
});

test('a rule reads as its object and the path in it', () =>
  expect(ruleText({ kind: 'ToolPermission', namespace: 'ops', name: 'erp', path: 'spec.approval' })).toBe(
    'ToolPermission erp · spec.approval',
  ));
