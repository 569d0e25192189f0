// Models and token budgets, as tables: which model may be called, and when a run has used up its budget.
import { describe, expect, test } from 'vitest';
import { agentSnapshot, runSnapshot, settleWith, simulate, type World } from '../../testing/simulate-run.ts';
import type { ModelVerdict } from '../ports.ts';
import type { DataOf, Entry, EntryType } from './entries.ts';
import { applyEntry } from './apply-entry.ts';
import { newRunState } from './state.ts';
import type { PendingModelCall } from './verdicts.ts';
import { modelSpec } from '../../testing/specs.ts';

const rule = { kind: 'AgentPolicy', namespace: 'default', name: 'thrift', path: 'spec.max_tokens_per_run' };
const within = (tokens: number): ModelVerdict => ({ verdict: 'allow', rule, findings: [], tokenLimit: { tokens, rule } });
const denied: ModelVerdict = {
  verdict: 'deny',
  code: 'policy_violation',
  reason: 'model_not_allowed',
  message: 'AgentPolicy default/thrift does not allow model big',
  rule,
  findings: [],
};
const usage = (tokens: number) => ({ usage: { inputTokens: tokens, outputTokens: 0, source: 'provider' as const } });
const ofType = <T extends EntryType>(journal: readonly Entry[], type: T): DataOf<T>[] =>
  journal.flatMap((entry) => (entry.type === type ? [entry.data as DataOf<T>] : []));
const toolCall = (step: number) => ({ toolCalls: [{ id: `c${step}`, name: 't', arguments: `{"n":${step}}` }] });
const solo = (task = {}) => runSnapshot({ agents: [agentSnapshot('solo', { tools: ['t'] })], task });

test('a model that is not allowed is not called: the task fails and names the rule', () => {
  const { state, journal, performed } = simulate(solo(), { world: { model: () => ({}), judgeModel: () => denied } });
  expect(ofType(journal, 'turn.refused')).toMatchObject([{ agent: 'solo', code: 'policy_violation', reason: 'model_not_allowed', rule }]);
  expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'policy_violation', reason: 'model_not_allowed' } });
  expect(performed).toEqual([]);
});

test.each([
  [{ default_model: 'gpt-x' }, 'gpt-x'],
  [{ default_model: '' }, 'mock'],
  [{}, 'mock'],
])('the verdict is about the model that will be called: %j is %s', (spec, model) => {
  const asked: PendingModelCall[] = [];
  const snapshot = { ...solo(), models: { mock: { namespace: 'default', name: 'mock', spec: modelSpec({ provider: 'mock', ...spec }) } } };
  const judgeModel: World['judgeModel'] = (pending) => {
    asked.push(pending);
    return within(1_000);
  };
  const { journal } = simulate(snapshot, { world: { model: () => ({ content: 'x' }), judgeModel } });
  expect(asked[0]?.subject.endpoint).toEqual({ namespace: 'default', name: 'mock', model });
  expect(ofType(journal, 'model.requested')).toMatchObject([{ token_limit: { tokens: 1_000, rule } }]);
});

describe('a budget', () => {
  const steps =
    (...tokens: number[]): World['model'] =>
    ({ agentStep }) => ({
      ...usage(tokens[agentStep - 1] ?? 0),
      ...(agentStep < tokens.length ? toolCall(agentStep) : { content: 'done' }),
    });

  test.each([
    ['is kept when it is used up by the final answer', [60, 40], 'Succeeded', 2],
    ['ends the task before a model is asked with nothing left', [100, 1], 'Failed', 1],
    ['ends the task after an answer that went past it', [60, 41], 'Failed', 2],
    ['ends it after the very first answer, final or not', [101], 'Failed', 1],
  ])('%s', (_, tokens, phase, asked) => {
    const { state, journal } = simulate(solo(), { world: { model: steps(...tokens), judgeModel: () => within(100) } });
    expect(state.end?.phase).toBe(phase);
    expect(ofType(journal, 'model.requested')).toHaveLength(asked);
    if (phase === 'Succeeded') return;
    const used = tokens.slice(0, asked).reduce((sum, each) => sum + each, 0);
    expect(ofType(journal, 'turn.refused')).toMatchObject([{ code: 'token_budget_exceeded', tokens_used: used, token_limit: 100, rule }]);
    expect(state.end?.failure).toMatchObject({
      code: 'token_budget_exceeded',
      message: `the task has used ${used} tokens and AgentPolicy default/thrift allows it 100`,
    });
  });

  test('a tool call requested by an answer past the budget is not made', () => {
    const { journal } = simulate(solo(), { world: { model: steps(101, 1), judgeModel: () => within(100) } });
    expect(ofType(journal, 'tool.requested')).toEqual([]);
  });

  test('is counted over the attempts of the task', () => {
    const task = { retry: { maxAttempts: 3, backoffMs: 0 } };
    const model: World['model'] = () => ({ ...usage(40), content: '' });
    const { state, journal } = simulate(solo(task), { world: { model, judgeModel: () => within(100) } });
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'token_budget_exceeded' } });
    expect(ofType(journal, 'run.started')).toHaveLength(3);
    expect(ofType(journal, 'turn.refused')).toMatchObject([{ tokens_used: 120 }]);
  });

  test('is counted over parallel branches: the answer that exceeds it ends the attempt with all branches, once', () => {
    const agents = ['a', 'b', 'c'].map((name) => agentSnapshot(name, { tools: ['t'] }));
    const model: World['model'] = ({ agentStep }) =>
      agentStep === 1 ? { ...usage(45), ...toolCall(1) } : { ...usage(1), content: 'done' };
    // The models answer before any tool does: the tools of two branches are out when the third answer goes past it.
    const picks = [2, 1, 0];
    const world: World = { model, judgeModel: () => within(100) };
    const { state, journal, performed } = simulate(runSnapshot({ agents }), { world, pick: () => picks.shift() ?? 0 });
    expect(performed).toHaveLength(3);
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'token_budget_exceeded' } });
    expect(ofType(journal, 'turn.refused')).toMatchObject([{ tokens_used: 135 }]);
  });

  test('a budget that was lowered during a run binds from the next model call', () => {
    let limit = 1_000;
    const model: World['model'] = ({ agentStep }) => {
      limit = 50;
      return { ...usage(60), ...(agentStep === 1 ? toolCall(1) : { content: 'done' }) };
    };
    const { journal, state } = simulate(solo(), { world: { model, judgeModel: () => within(limit) } });
    expect(ofType(journal, 'model.requested')).toHaveLength(1);
    expect(state.end).toMatchObject({ failure: { code: 'token_budget_exceeded' } });
  });
});

test.each<[string, ModelVerdict, object]>([
  ['is asked again when it may', within(1_000), { type: 'call.resent', data: { token_limit: { tokens: 1_000 } } }],
  ['is not asked again when it may not', denied, { type: 'turn.refused', data: { code: 'policy_violation' } }],
])('a model whose answer was lost with its worker %s', (_, verdict, entry) => {
  const { journal } = simulate(solo(), { world: { model: () => ({ content: 'x' }) } });
  const state = newRunState();
  for (const each of journal.slice(0, journal.findIndex(({ type }) => type === 'model.requested') + 1)) applyEntry(state, each);
  applyEntry(state, { type: 'run.claimed', at: 9_000, data: { worker: 'w2', fence: 2, takeover: true, attempt: 1 } });
  const { entries, decision } = settleWith(state, { judgeModel: () => verdict }, { now: 9_000, random: () => 0, worker: 'w2' });
  expect(entries[0]).toMatchObject(entry);
  if (verdict.verdict === 'deny') expect(decision).toEqual({ kind: 'finished' });
  else expect(decision).toMatchObject({ kind: 'perform', effects: [{ kind: 'model' }] });
});
