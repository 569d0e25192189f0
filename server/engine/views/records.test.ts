// The records of a Task as folds of its journal: what clients read, for runs that the rules play out.
import { expect, test } from 'vitest';
import {
  agentSnapshot,
  joinPolicy,
  reviewPoint,
  runSnapshot,
  simulate,
  SimulatedFailure,
  type SnapshotParts,
  type World,
} from '../../testing/simulate-run.ts';
import type { Entry } from '../core/entries.ts';
import type { Route } from '../core/snapshot.ts';
import { createHistoryView } from './history.ts';
import { createJoinView } from './joins.ts';
import { createMessageView } from './messages.ts';
import { createMetricsView } from './metrics.ts';
import { traceOf } from './trace.ts';

const tag = { attempt: 1, turn_id: 't', agent: 'a', branch_id: 'b001' };
const route = (to: string, extra: Partial<Route> = {}): Route => ({ to, labels: {}, condition: { kind: 'success' }, ...extra });
const play = (parts: SnapshotParts, world: World) => simulate(runSnapshot(parts), { world }).journal;

function joinsOf(journal: readonly Entry[]) {
  const view = createJoinView();
  journal.forEach(view.add);
  return view.items;
}

function historyOf(entries: readonly Entry[]) {
  const view = createHistoryView();
  entries.forEach(view.add);
  return view.items.map(({ type }) => type);
}

const typesOf = (journal: readonly Entry[]) => journal.flatMap(traceOf).map(({ type }) => type);

test('a source that arrives after a quorum is recorded as late at the join', () => {
  const agents = ['a', 'b', 'c', 'd'].map((name) => agentSnapshot(name));
  const join = joinPolicy({ mode: 'quorum', quorumCount: 1 });
  const nodes = {
    a: { routes: [route('b'), route('c')] },
    b: { routes: [route('d')] },
    c: { routes: [route('d')] },
    d: { routes: [], join },
  };
  const records = joinsOf(play({ agents, nodes }, { model: ({ agent }) => ({ content: agent }) }));
  expect(records).toMatchObject([
    {
      node: 'd',
      mode: 'quorum',
      expected: 2,
      quorum_required: 1,
      activated: true,
      activated_by: 'b',
      sources: [
        { agent: 'b', state: 'arrived' },
        { agent: 'c', state: 'late' },
      ],
    },
  ]);
});

test('the trace shows a join that waits when the first message arrives, then its release', () => {
  const agents = ['a', 'b', 'c', 'd'].map((name) => agentSnapshot(name));
  const nodes = { a: { routes: [route('b'), route('c')] }, b: { routes: [route('d')] }, c: { routes: [route('d')] } };
  const trace = play({ agents, nodes }, { model: ({ agent }) => ({ content: agent }) }).flatMap(traceOf);
  const joins = trace.filter(({ type }) => type === 'agent_message_join_wait');
  expect(joins).toMatchObject([
    {
      join: 'waiting',
      agent: 'd',
      from_agent: 'b',
      branch_id: 'b001.001',
      message: 'the message of b arrived and waits for c: 1 of 2 sources, 2 required',
    },
    { join: 'released', agent: 'd', message: 'released with 2 of 2 sources, 2 required' },
  ]);
  const places = trace.map(({ type, agent }) => `${String(type)} ${String(agent)}`);
  expect(places.indexOf('agent_message_join_wait d')).toBeLessThan(places.lastIndexOf('agent_end c'));
});

test('the wait for the next attempt appears once', () => {
  const at = Date.parse('2026-01-01T00:00:00Z');
  const failure = { code: 'rate_limited', message: 'slow down', retryable: true };
  expect(
    historyOf([
      { type: 'run.claimed', at, data: { worker: 'w1', fence: 1, takeover: false, attempt: 0 } },
      { type: 'run.retry_scheduled', at, data: { ...failure, attempt: 1, next_attempt_at: at + 1_000 } },
      { type: 'run.released', at, data: { worker: 'w1', attempt: 1, cause: 'retry_wait', until: at + 1_000 } },
      { type: 'run.claimed', at, data: { worker: 'w1', fence: 2, takeover: false, attempt: 1 } },
      { type: 'run.released', at, data: { worker: 'w1', attempt: 2, cause: 'retry_wait', until: at + 9_000 } },
      { type: 'run.claimed', at, data: { worker: 'w2', fence: 3, takeover: true, attempt: 2 } },
    ]),
  ).toEqual(['claim', 'retry_scheduled', 'claim', 'retry_scheduled', 'takeover']);
});

test.each<[{ from?: string; ended?: true }, string]>([
  [{ from: 'w1' }, 'taken over by w2 after the lease of w1 ran out'],
  [{ from: 'w2' }, 'taken over by w2 after the lease of its former process ran out'],
  [{ from: 'w1', ended: true }, 'taken over by w2: the process of w1 had ended'],
  [{ from: 'w2', ended: true }, 'taken over by w2: its former process had ended'],
  [{}, 'taken over by w2 after the lease of its owner ran out'],
])('a takeover with %j reads the same in history and trace', (former, message) => {
  const entry: Entry = { type: 'run.claimed', at: 0, data: { worker: 'w2', fence: 2, takeover: true, attempt: 1, ...former } };
  const view = createHistoryView();
  view.add(entry);
  expect(view.items).toMatchObject([{ type: 'takeover', worker: 'w2', message }]);
  expect(traceOf(entry)).toMatchObject([{ type: 'task_takeover', attempt: 1, worker: 'w2', message }]);
  expect(traceOf(entry)[0]?.['from_worker']).toBe(former.from);
});

test('a first claim adds nothing to the trace', () => {
  const data = { worker: 'w1', fence: 1, takeover: false, attempt: 0 };
  expect(traceOf({ type: 'run.claimed', at: 0, data })).toEqual([]);
});

test.each([
  [{}, 'the model call is sent again under its request id: no result of it was recorded'],
  [{ index: 0, tool: 'pay' }, 'the call of pay is sent again under its request id: no result of it was recorded'],
])('a call of unknown outcome that is sent again with %j shows in the trace', (call, message) => {
  const data = { ...tag, step: 1, agent_step: 1, request_id: 'r', ...call };
  expect(traceOf({ type: 'call.resent', at: 0, data })).toMatchObject([{ type: 'call_resent', agent: 'a', step: 1, message }]);
});

test('a model that is called again because of the contract gets a reminder, not a warning', () => {
  const contract = { profile: 'contract', toolSequence: ['t'], tools: ['t'], outputMarkers: [], maxSteps: 3 } as const;
  const journal = play(
    { agents: [agentSnapshot('a', contract)] },
    { model: ({ agentStep }) => (agentStep === 2 ? { toolCalls: [{ id: 'c', name: 't', arguments: '{}' }] } : { content: 'done' }) },
  );
  expect(typesOf(journal)).not.toContain('contract_warning');
  const calls = journal.flatMap(traceOf).filter(({ type }) => type === 'model_call');
  expect(calls.map(({ message }) => message)).toEqual([
    undefined,
    'The answer is not complete. Call these tools before you answer: t.',
    undefined,
  ]);
});

test('a failure that an error route takes over is dead-lettered first', () => {
  const agents = ['a', 'b'].map((name) => agentSnapshot(name));
  const nodes = { a: { routes: [route('b', { condition: { kind: 'on_error' } })] } };
  const model: World['model'] = ({ agent }) => (agent === 'a' ? new SimulatedFailure('auth_invalid', false) : { content: 'ok' });
  const types = typesOf(play({ agents, nodes }, { model }));
  expect(types.slice(types.indexOf('agent_error'))).toEqual([
    'agent_error',
    'agent_message_deadletter',
    'agent_message',
    'agent_message_received',
    'agent_start',
    'model_call',
    'model_output',
    'agent_end',
    'agent_message_processed',
    'task_summary',
  ]);
});

test.each([
  ['model_not_found', 'http_404', 'model_error'],
  ['auth_invalid', 'http_401', 'model_error'],
  ['secret_resolution_failed', undefined, 'model_resolution_error'],
  ['runtime_policy_invalid', 'missing_model', 'model_resolution_error'],
])('%s with reason %s is a %s', (code, reason, type) => {
  const tag = { attempt: 1, turn_id: 't', agent: 'a', branch_id: 'b001', step: 1, agent_step: 1, request_id: 'r', latency_ms: 1 };
  const data = { ...tag, code, message: 'no', retryable: false, ...(reason !== undefined && { reason }) };
  expect(traceOf({ type: 'model.failed', at: 0, data })).toMatchObject([{ type, error_code: code }]);
});

test.each([0.5, 0, undefined])('a call that cost %s has its cost in the trace, and one of unknown price has none', (cost_usd) => {
  const tag = { attempt: 1, turn_id: 't', agent: 'a', branch_id: 'b001', step: 1, agent_step: 1, request_id: 'r', latency_ms: 1 };
  const usage = { inputTokens: 3, outputTokens: 4, source: 'estimated' } as const;
  const data = {
    ...tag,
    content: 'x',
    tool_calls: [],
    usage,
    finish_reason: 'stop',
    model: 'm',
    ...(cost_usd !== undefined && { cost_usd }),
  };
  const [entry] = traceOf({ type: 'model.completed', at: 0, data });
  expect([entry?.cost_usd, entry?.tokens, entry?.token_usage_source]).toEqual([cost_usd, 7, 'estimated']);
  expect(JSON.stringify(entry).includes('cost_usd')).toBe(cost_usd !== undefined);
});

test.each([
  [[0.1, 0.2], 0.3, 0],
  [[0, 0], 0, 0],
  [[0.5, undefined], null, 1],
])('calls that cost %j cost %s together, with %i of unknown price', (costs, total, unpriced) => {
  const agents = ['a', 'b'].map((name) => agentSnapshot(name));
  const journal = play({ agents, nodes: { a: { routes: [route('b')] } } }, { model: ({ agent }) => ({ content: agent }) });
  const view = createMetricsView();
  let n = 0;
  for (const entry of journal) {
    const cost_usd = entry.type === 'model.completed' ? costs[n++] : undefined;
    view.add(cost_usd !== undefined && entry.type === 'model.completed' ? { ...entry, data: { ...entry.data, cost_usd } } : entry);
  }
  expect(view.result()).toMatchObject({
    totals: { messages: 2, succeeded: 2, cost_usd: total, unpriced_calls: unpriced },
    per_agent: costs.map((cost_usd) => ({ cost_usd: cost_usd ?? null, unpriced_calls: cost_usd === undefined ? 1 : 0 })),
    per_edge: costs.map((cost_usd) => ({ cost_usd: cost_usd ?? null, unpriced_calls: cost_usd === undefined ? 1 : 0 })),
  });
});

test('metrics count the tool calls that were sent, as the output of the run does', () => {
  const call = (id: string, name: string) => ({ id, name, arguments: '{}' });
  const { journal, state } = simulate(runSnapshot({ agents: [agentSnapshot('a', { tools: ['pay'] })] }), {
    world: {
      model: ({ agentStep }) =>
        agentStep === 1 ? { toolCalls: [call('1', 'pay'), call('2', 'pay'), call('3', 'unknown')] } : { content: 'done' },
    },
  });
  const view = createMetricsView();
  journal.forEach(view.add);
  expect(view.result()).toMatchObject({ totals: { tool_calls: 1 }, per_agent: [{ tool_calls: 1 }] });
  expect(state.end?.output).toMatchObject({ last_tool_calls: '1' });
});

test('counts the same latency of a retried message for its agent, its edge and the totals', () => {
  const turn = (turn_id: string, message_attempt: number) => ({
    ...tag,
    turn_id,
    message_attempt,
    depth: 1,
    message_ids: ['m1'],
    worker: 'w',
  });
  const hand_over = { message_id: 'm1', idempotency_key: 'k', to_agent: 'a', branch_id: 'b001', depth: 1 };
  const failed = { ...tag, code: 'provider_failed', message: 'no', retryable: true };
  const view = createMetricsView();
  const entries: readonly Entry[] = [
    { type: 'run.started', at: 0, data: { attempt: 1, snapshot: runSnapshot({ agents: [agentSnapshot('a')] }), hand_overs: [hand_over] } },
    { type: 'agent.started', at: 0, data: turn('t', 1) },
    { type: 'agent.failed', at: 10, data: { ...failed, message_attempt: 1, disposition: { kind: 'retry', next_attempt_at: 50 } } },
    { type: 'agent.started', at: 50, data: turn('t2', 2) },
    { type: 'agent.completed', at: 80, data: { ...tag, turn_id: 't2', output: 'x', labels: {}, hand_overs: [] } },
  ];
  entries.forEach(view.add);
  const latency = { latency_ms_avg: 20, latency_ms_p95: 30 };
  expect(view.result()).toMatchObject({ totals: latency, per_agent: [latency], per_edge: [latency] });
});

test('every message of a branch names its parent branch', () => {
  const agents = ['a', 'b', 'c', 'd'].map((name) => agentSnapshot(name));
  const nodes = { a: { routes: [route('b'), route('c')] }, b: { routes: [route('d')] } };
  const view = createMessageView();
  play({ agents, nodes }, { model: ({ agent }) => ({ content: agent }) }).forEach(view.add);
  const branches = [...view.items()].map(({ to_agent, branch_id, parent_branch_id }) => [to_agent, branch_id, parent_branch_id]);
  expect(branches).toEqual([
    ['a', 'b001', undefined],
    ['b', 'b001.001', 'b001'],
    ['c', 'b001.002', 'b001'],
    ['d', 'b001.001', 'b001'],
  ]);
});

const rule = { kind: 'AgentPolicy', namespace: 'default', name: 'strict', path: 'spec.blocked_tools[0]' };

test.each([
  ['permission_denied', 'tool_permission_denied'],
  ['policy_violation', 'policy_violation'],
  ['token_budget_exceeded', 'token_budget_exceeded'],
  ['execution_failed', 'tool_error'],
])('a call that ends with %s is a %s, with the rule that decided', (code, type) => {
  const call = { ...tag, step: 1, agent_step: 1, index: 0, call_id: 'c', tool: 'pay', request_id: 'r' };
  const data = { ...call, code, message: 'no', retryable: false, latency_ms: 0, rule };
  expect(traceOf({ type: 'tool.failed', at: 0, data })).toMatchObject([{ type, rule, tool: 'pay', error_code: code }]);
});

test.each<[string, string, unknown]>([
  ['an object', '{"sum":3}', { sum: 3 }],
  ['no JSON', '{not json', '{not json'],
  ['no object', '[1]', '[1]'],
  ['too deep', `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`],
])('the input of a call that was never sent is what the model requested: %s', (_, text, input) => {
  const call = { ...tag, step: 1, agent_step: 1, index: 0, call_id: 'c', tool: 'pay', request_id: 'r', arguments: text };
  const data = { ...call, code: 'permission_denied', message: 'no', retryable: false, latency_ms: 0 };
  expect(traceOf({ type: 'tool.failed', at: 0, data })).toMatchObject([{ input }]);
});

test.each([
  ['token_budget_exceeded', 'token_budget_exceeded'],
  ['policy_violation', 'policy_violation'],
  ['permission_denied', 'policy_violation'],
])('governance that ends a turn with %s shows as %s', (code, type) => {
  const data = { ...tag, code, message: 'no', retryable: false, rule };
  expect(traceOf({ type: 'turn.refused', at: 0, data })).toMatchObject([{ type, rule, error_code: code }]);
});

test('edited input that is too long is cut and marked', () => {
  const call = { ...tag, step: 1, agent_step: 1, index: 0, call_id: 'c', tool: 'pay', request_id: 'r' };
  const edited_input = { text: 'x'.repeat(70_000) };
  const data = { ...call, name: 'approval-1', reason: 'policy', decision: 'approved', edited_input } as const;
  const [entry] = traceOf({ type: 'approval.resolved', at: 0, data });
  expect(entry).toMatchObject({
    type: 'tool_approval_resolved',
    truncated: true,
    message: 'ToolApproval approval-1: approved, with edited input',
  });
  expect(String(entry?.['edited_input']).length).toBeLessThan(66_000);
});

test('an agent under review counts as in flight until its output is approved', () => {
  const agents = ['a', 'b'].map((name) => agentSnapshot(name));
  const nodes = { a: { routes: [route('b')], review: reviewPoint('draft') } };
  const journal = play({ agents, nodes }, { model: ({ agent }) => ({ content: agent }) });
  const asked = journal.findIndex(({ type }) => type === 'review.requested');
  const view = createMetricsView();
  for (const entry of journal.slice(0, asked + 1)) view.add(entry);
  expect(view.result()).toMatchObject({ totals: { messages: 1, running: 1, in_flight: 1 } });
  const types = typesOf(journal);
  expect(types.slice(types.indexOf('task_approval_pending'), types.indexOf('agent_end') + 1)).toEqual([
    'task_approval_pending',
    'task_approval_resolved',
    'agent_end',
  ]);
});

test('a model answer and a hand-over have their facts in fields too', () => {
  const tag = { attempt: 1, turn_id: 't', agent: 'a', branch_id: 'b001', step: 1, agent_step: 1, request_id: 'r', latency_ms: 1 };
  const usage = { inputTokens: 9, outputTokens: 4, cachedInputTokens: 6, source: 'provider' } as const;
  const tool_calls = [{ id: 'c', name: 'lookup', arguments: '{}' }];
  const data = { ...tag, content: '', tool_calls, usage, finish_reason: 'tool_calls', model: 'm-1' };
  expect(traceOf({ type: 'model.completed', at: 0, data })).toMatchObject([
    { model: 'm-1', finish_reason: 'tool_calls', asked_tools: ['lookup'], cached_input_tokens: 6 },
  ]);
  const hand_overs = [{ message_id: 'm', idempotency_key: 'k', to_agent: 'b', branch_id: 'b001.001', depth: 2 }];
  const ended = traceOf({ type: 'agent.completed', at: 0, data: { ...tag, output: 'x', labels: {}, hand_overs } });
  expect(ended.at(-1)).toMatchObject({ type: 'agent_message', agent: 'a', to_agent: 'b', branch_id: 'b001.001' });
});

test('the trace explains how a model answer was obtained where the adapter reports it', () => {
  const usage = { inputTokens: 1, outputTokens: 1, source: 'provider' } as const;
  const data = {
    ...tag,
    step: 1,
    agent_step: 1,
    request_id: 'r',
    content: 'x',
    tool_calls: [],
    usage,
    finish_reason: 'stop',
    model: 'm',
    latency_ms: 1,
  };
  const messageOf = (more: { readonly notice?: string }) =>
    traceOf({ type: 'model.completed', at: 0, data: { ...data, ...more } })[0]?.['message'];
  expect(messageOf({})).toBe('m answers (stop)');
  expect(messageOf({ notice: 'the server refuses to stream' })).toBe('m answers (stop); the server refuses to stream');
});
