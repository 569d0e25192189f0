// Risky calls in flight at the end of an attempt, or at the timeout of their agent, while another attempt would make them again.
import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot, settleWith, simulate, SimulatedFailure, type World } from '../../testing/simulate-run.ts';
import { resolveApproval, unknownOutcomes } from './approvals.ts';
import type { ApprovalVerdict, Entry } from './entries.ts';
import { applyEntry } from './apply-entry.ts';
import { newRunState, type RunState } from './state.ts';

const twice = {
  retry: { maxAttempts: 2, backoffMs: 0 },
  messageRetry: { maxAttempts: 2, backoffMs: 0, maxBackoffMs: 0, jitter: 'none', nonRetryable: [], inherited: true },
} as const;
const world: World = {
  model: ({ agent, agentStep, attempt }) => {
    if (agent === 'flake') return attempt === 1 ? new SimulatedFailure('rate_limited', true) : { content: 'fine' };
    return agentStep === 1 ? { toolCalls: [{ id: 'c', name: 'pay', arguments: '{"euros":1}' }] } : { content: 'paid' };
  },
};

/** The payment is in flight when the agent beside it fails, and with it the attempt. */
function attemptEnding(risk = 'high'): RunState {
  const snapshot = runSnapshot({ agents: [agentSnapshot('payer', { tools: ['pay'] }), agentSnapshot('flake')], task: twice, risk });
  let picks = 0;
  const { journal } = simulate(snapshot, { world, pick: () => picks++ });
  return folded(journal, 'model.failed');
}

function folded(journal: readonly Entry[], last: Entry['type']): RunState {
  const state = newRunState();
  for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === last) + 1)) applyEntry(state, entry);
  return state;
}

/** The payment is in flight at the deadline of its agent. */
function outOfTime(task: object = twice): RunState {
  const snapshot = runSnapshot({ agents: [agentSnapshot('payer', { tools: ['pay'], timeoutMs: 500 })], task, risk: 'high' });
  return folded(simulate(snapshot, { world }).journal, 'tool.requested');
}

const settle = (state: RunState, now: number) => settleWith(state, {}, { now, random: () => 0, worker: 'worker-1' });
const typesOf = (entries: readonly Entry[]) => entries.map(({ type }) => type);

function decide(state: RunState, verdict: Omit<ApprovalVerdict, 'name'>, at: number): void {
  const [name = ''] = [...state.approvals.keys()];
  const entry = resolveApproval(state, { name, ...verdict }, at);
  if (entry) applyEntry(state, entry);
}

test('an attempt that another follows ends after the result of its risky call', () => {
  const state = attemptEnding();
  const { entries, decision } = settle(state, 2_000);
  expect(typesOf(entries)).toEqual(['agent.failed']);
  expect(decision).toMatchObject({ kind: 'perform', effects: [{ kind: 'tool', call: { request: { name: 'pay' } } }] });
});

const aborted = { type: 'tool.failed', data: { tool: 'pay', code: 'canceled', reason: 'unknown_outcome', input: { euros: 1 } } };

test('an attempt that ends at once records the call that it aborts', () => {
  const { entries } = settle(attemptEnding('low'), 2_000);
  expect(entries).toMatchObject([{ type: 'agent.failed' }, aborted, { type: 'run.retry_scheduled' }]);
});

test('a cancelled run records the call that it aborts, and counts it', () => {
  const state = outOfTime();
  applyEntry(state, { type: 'cancel.requested', at: 1_100, data: { by: 'ann', reason: 'stop' } });
  const { entries } = settle(state, 1_100);
  expect(entries).toMatchObject([aborted, { type: 'run.failed', data: { code: 'cancelled', output: { last_tool_calls: '1' } } }]);
});

test.each<[Omit<ApprovalVerdict, 'name'>, string]>([
  [{ decision: 'approved', outcome: 'not_done' }, 'retrying'],
  [{ decision: 'denied' }, 'finished'],
])('a risky call of an ending attempt whose worker is lost waits for a person: %j leaves the run %s', (verdict, status) => {
  const state = attemptEnding();
  settle(state, 2_000);
  applyEntry(state, { type: 'run.claimed', at: 3_000, data: { worker: 'worker-2', fence: 2, takeover: true, attempt: 1 } });
  for (const entry of unknownOutcomes(state, { now: 3_000 })) applyEntry(state, entry);
  expect(settle(state, 3_000)).toMatchObject({ entries: [], decision: { kind: 'perform', effects: [] } });
  decide(state, verdict, 4_000);
  settle(state, 4_000);
  expect(state.status).toBe(status);
});

test('an agent that runs out of time during a risky call waits for a person, and its turn continues with the answer', () => {
  const state = outOfTime();
  const { entries, decision } = settle(state, 9_000);
  expect(entries).toMatchObject([{ type: 'approval.requested', data: { reason: 'unknown_outcome', tool: 'pay' } }]);
  expect(decision).toEqual({ kind: 'perform', effects: [], wakeAt: undefined });
  decide(state, { decision: 'approved', outcome: 'done', output: 'paid' }, 90_000);
  expect(typesOf(settle(state, 90_000).entries)).toEqual(['tool.completed', 'model.requested']);
});

test('an agent that runs out of time in the last attempt fails, and its call is recorded as aborted', () => {
  const state = outOfTime({});
  const { entries } = settle(state, 9_000);
  expect(entries).toMatchObject([aborted, { type: 'agent.failed' }, { type: 'run.failed' }]);
  expect(state.end).toMatchObject({ phase: 'DeadLetter', failure: { code: 'timeout' } });
});
