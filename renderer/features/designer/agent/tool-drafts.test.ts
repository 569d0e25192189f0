// Drafts around one tool of an agent.
import { expect, test } from 'vitest';
import { NO_DRAFTS, newDraft, specOfDraft, withDraft, type DraftObject, type Drafts } from '../document/drafts.ts';
import { approvalRuleOf, withApproval, withoutApproval, withoutTool } from './tool-drafts.ts';

const AGENT = { kind: 'Agent', namespace: 'ops', name: 'clerk' };
const agentWith = (spec: object): DraftObject => newDraft(AGENT, { model_ref: 'm', ...spec });
const specIn = (drafts: Drafts, kind: string) => [...drafts.values()].filter((each) => each.kind === kind).map(specOfDraft);

test('a required approval drafts a rule for this agent and tool, and is dropped again', () => {
  const agent = agentWith({ tools: ['pay'] });
  const drafts = withApproval(withDraft(NO_DRAFTS, agent), agent, 'pay');
  expect(specIn(drafts, 'ToolPermission')).toEqual([
    {
      tool_ref: 'pay',
      apply_mode: 'scoped',
      target_agents: ['clerk'],
      operation_rules: [{ operation_class: '*', verdict: 'approval_required' }],
    },
  ]);
  expect(approvalRuleOf(drafts, agent, 'pay')?.name).toBe('clerk-pay');
  expect(specIn(withoutApproval(drafts, agent, 'pay'), 'ToolPermission')).toEqual([]);
  expect(specIn(withoutTool(drafts, agent, 'pay'), 'ToolPermission')).toEqual([]);
});

test('a tool of allowed_tools moves to tools, because no rule governs the former', () => {
  const agent = agentWith({ allowed_tools: ['lib/pay'] });
  const drafts = withApproval(withDraft(NO_DRAFTS, agent), agent, 'lib/pay');
  expect(specIn(drafts, 'Agent')).toEqual([{ model_ref: 'm', tools: ['lib/pay'] }]);
  expect(approvalRuleOf(drafts, agent, 'lib/pay')?.name).toBe('clerk-pay');
});

test('rules of two agents and tools whose names join to the same one stay apart', () => {
  const [short, long] = ['a', 'a-b'].map((name) => newDraft({ ...AGENT, name }, { model_ref: 'm', tools: ['b-c', 'c'] })) as [
    DraftObject,
    DraftObject,
  ];
  const drafts = withApproval(withApproval(NO_DRAFTS, long, 'c'), short, 'b-c');
  expect(specIn(drafts, 'ToolPermission')).toMatchObject([
    { tool_ref: 'c', target_agents: ['a-b'] },
    { tool_ref: 'b-c', target_agents: ['a'] },
  ]);
  expect(approvalRuleOf(withoutApproval(drafts, short, 'b-c'), long, 'c')?.name).toBe('a-b-c');
});
