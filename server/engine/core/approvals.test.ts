// Calls of unknown outcome as tables: which need an approval, the effect of a decision, and calls without a waiting run.
import type { JsonObject } from '@svc/shared/json';
import { describe, expect, test } from 'vitest';
import { agentSnapshot, runSnapshot, simulate, type World, toolSnapshot } from '../../testing/simulate-run.ts';
import { openApprovals, resolveApproval, unknownOutcomes } from './approvals.ts';
import type { DecideContext } from './decision.ts';
import type { ApprovalVerdict, Entry } from './entries.ts';
import { applyEntry } from './apply-entry.ts';
import { UNKNOWN_OUTCOME_TTL_MS } from './limits.ts';
import { settle } from './settle.ts';
import { newRunState, type RunState } from './state.ts';
import type { Verdicts } from './verdicts.ts';

const ALLOW = { verdict: 'allow', rule: { kind: 'default' }, findings: [] } as const;
const ALLOWED: Verdicts = { calls: { get: () => ALLOW }, models: { get: () => ALLOW } };
const call = (id: string, name: string) => ({ id, name, arguments: `{"id":"${id}"}` });
const twoCalls: World = {
  model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [call('a', 'pay'), call('b', 'look')] } : { content: 'done' }),
};
const context = (now: number): DecideContext => ({ now, random: () => 0.5, worker: 'worker-1', verdicts: ALLOWED });

/** A run that died while it called both tools. */
function crashed(specs: Record<string, JsonObject>, agent: { timeoutMs?: number } = {}): RunState {
  const snapshot = runSnapshot({ agents: [agentSnapshot('solo', { tools: ['pay', 'look'], ...agent })] });
  const tools = Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, toolSnapshot(name, spec)]));
  const { journal } = simulate({ ...snapshot, tools: { ...snapshot.tools, ...tools } }, { world: twoCalls });
  const state = newRunState();
  const end = journal.findLastIndex(({ type }) => type === 'tool.requested');
  for (const entry of journal.slice(0, end + 1)) applyEntry(state, entry);
  return state;
}

const high = { risk_level: 'high' };
const fold = (state: RunState, entries: readonly Entry[]) => {
  for (const entry of entries) applyEntry(state, entry);
  return entries;
};
const ask = (state: RunState, at = 2_000) => fold(state, unknownOutcomes(state, { now: at }));
function decide(state: RunState, verdict: Omit<ApprovalVerdict, 'name'>, at = 3_000): Entry {
  const name = openApprovals(state)[0]?.name ?? '';
  const entry = resolveApproval(state, { name, ...verdict }, at);
  if (!entry) throw new Error('nothing waits');
  applyEntry(state, entry);
  return entry;
}

test.each<[JsonObject, boolean]>([
  [{ risk_level: 'low' }, false],
  [{ risk_level: 'medium' }, false],
  [{ risk_level: 'high' }, true],
  [{ risk_level: 'critical' }, true],
  [{ risk_level: 'low', runtime: { on_unknown_outcome: 'ask' } }, true],
  [{ risk_level: 'critical', runtime: { on_unknown_outcome: 'retry' } }, false],
  [{ risk_level: 'high', runtime: { timeout: '1s' } }, true],
])('a lost call of a tool with %j needs an approval: %s', (spec, asked) => {
  expect(ask(crashed({ pay: spec }))).toHaveLength(asked ? 1 : 0);
});

test('an approval counts from its request by the clock of the queue, where that of the run is ahead', () => {
  const [asked] = unknownOutcomes(crashed({ pay: high }), { now: 3_602_000, ahead: 3_600_000 });
  expect(asked).toMatchObject({ at: 3_602_000, data: { asked_at: 2_000, expires_at: 2_000 + UNKNOWN_OUTCOME_TTL_MS } });
});

test('other calls continue while one call waits for approval; when they finish nothing is in flight', () => {
  const state = crashed({ pay: high });
  ask(state);
  const { decision } = settle(state, context(2_000));
  expect(decision).toMatchObject({ kind: 'perform', effects: [{ kind: 'tool', call: { request: { name: 'look' } } }] });
  const step = [...(state.attempt?.turns.values() ?? [])][0]?.step;
  const look = step?.calls[1];
  const [asked] = openApprovals(state);
  if (!look || !asked) throw new Error('no call');
  const tag = { ...asked.call, index: 1, call_id: 'b', tool: 'look', request_id: look.requestId };
  applyEntry(state, { type: 'tool.completed', at: 2_500, data: { ...tag, source: 'tool', output: 'seen', latency_ms: 1 } });
  expect(settle(state, context(2_500)).decision).toEqual({ kind: 'perform', effects: [], wakeAt: undefined });
});

describe('a decision', () => {
  test.each<[Omit<ApprovalVerdict, 'name'>, object]>([
    [
      { decision: 'approved', outcome: 'done', output: 'paid' },
      { type: 'tool.completed', data: { source: 'person', output: 'paid' } },
    ],
    [
      { decision: 'approved', outcome: 'not_done' },
      { type: 'tool.failed', data: { code: 'execution_failed', reason: 'not_done' } },
    ],
    [{ decision: 'denied' }, { type: 'tool.failed', data: { code: 'approval_denied', retryable: false } }],
    [{ decision: 'expired' }, { type: 'tool.failed', data: { code: 'approval_timeout', retryable: false } }],
  ])('%j', (verdict, entry) => {
    const state = crashed({ pay: high });
    ask(state);
    decide(state, verdict);
    expect(settle(state, context(3_000)).entries[0]).toMatchObject(entry);
  });

  test('run_again puts the call in flight under its own request id', () => {
    const state = crashed({ pay: high, look: high });
    const [first] = ask(state);
    decide(state, { decision: 'approved', outcome: 'run_again' });
    const { decision } = settle(state, context(3_000));
    const request = first?.type === 'approval.requested' ? first.data.request_id : '';
    expect(decision).toMatchObject({ kind: 'perform', effects: [{ key: request }] });
  });

  test('is taken once: the same word again, or one for another approval, means nothing', () => {
    const state = crashed({ pay: high });
    ask(state);
    const { data } = decide(state, { decision: 'denied' });
    const { name } = data as ApprovalVerdict;
    expect(resolveApproval(state, { name, decision: 'approved', outcome: 'done' }, 4_000)).toBeUndefined();
    expect(resolveApproval(state, { name: 'other', decision: 'denied' }, 4_000)).toBeUndefined();
  });
});

test('a denial ends the Task as Failed despite other open approvals, and closes them', () => {
  const state = crashed({ pay: high, look: high });
  expect(ask(state)).toHaveLength(2);
  decide(state, { decision: 'denied', decided_by: 'ann' });
  expect(settle(state, context(3_000)).decision).toEqual({ kind: 'finished' });
  expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'approval_denied' } });
  expect(openApprovals(state)).toEqual([]);
});

test('the same call lost again needs an approval under a name of its own', () => {
  const state = crashed({ pay: high });
  const [first] = ask(state);
  decide(state, { decision: 'approved', outcome: 'run_again' });
  settle(state, context(4_000));
  const [second] = ask(state, 5_000);
  const names = [first, second].map((entry) => (entry?.type === 'approval.requested' ? entry.data.name : ''));
  expect(names[1]).toBe(`${names[0]}-2`);
});

test('from the moment the call was sent until the answer the clock of the agent stands still', () => {
  const state = crashed({ pay: high, look: { risk_level: 'low' } }, { timeoutMs: 500 });
  const turn = [...(state.attempt?.turns.values() ?? [])][0];
  ask(state, 10_000);
  expect(settle(state, context(99_000)).decision).toMatchObject({ kind: 'perform' });
  decide(state, { decision: 'approved', outcome: 'done' }, 100_000);
  const { decision } = settle(state, context(100_000));
  const sentAt = turn?.step?.calls[0]?.sentAt ?? 0;
  expect(decision).toMatchObject({ kind: 'perform', wakeAt: (turn?.startedAt ?? 0) + 500 + (100_000 - sentAt) });
});
