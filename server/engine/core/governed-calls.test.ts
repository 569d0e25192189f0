// Outcomes of calls that are judged before they are sent, as tables.
import { describe, expect, test } from 'vitest';
import { allowCall as allow, approvalForCall as ask, denyCall, rule } from '../../testing/scripted-governance.ts';
import { agentSnapshot, runSnapshot, settleWith, simulate, SimulatedFailure, type World } from '../../testing/simulate-run.ts';
import type { ToolCallRequest, ToolReply } from '../ports.ts';
import { openApprovals, resolveApproval, unknownOutcomes } from './approvals.ts';
import type { ApprovalVerdict, DataOf, Entry, EntryType } from './entries.ts';
import { applyEntry } from './apply-entry.ts';
import type { AgentSnapshot } from './snapshot.ts';
import { newRunState, type RunState } from './state.ts';
import { replyEntry } from './tool-replies.ts';
import type { CallRuling, PendingToolCall } from './verdicts.ts';

const call = (id: string, name: string, input: unknown = { id }): ToolCallRequest => ({ id, name, arguments: JSON.stringify(input) });
const deny = (code: 'permission_denied' | 'policy_violation' = 'permission_denied'): CallRuling => ({ ...denyCall, code });
const misfit: CallRuling = {
  verdict: 'misfit',
  failure: { code: 'invalid_input', reason: 'schema_mismatch', message: 'input.sum is required', retryable: false },
};
const approved = { decision: 'approved', decision_record: 4, call_hash: 'sha256:c' } as const;

const asksFor =
  (...calls: ToolCallRequest[]): World['model'] =>
  ({ agentStep }) =>
    agentStep === 1 ? { toolCalls: calls } : { content: 'done' };
const byTool =
  (rulings: Record<string, CallRuling>): NonNullable<World['judge']> =>
  ({ subject }) =>
    rulings[subject.tool.ref] ?? allow;
const snapshotOf = (agent: Partial<AgentSnapshot> = {}, risk = 'low') =>
  runSnapshot({ agents: [agentSnapshot('solo', { tools: ['pay', 'look'], ...agent })], risk });
const run = (world: World, agent: Partial<AgentSnapshot> = {}) => simulate(snapshotOf(agent), { world });
const ofType = <T extends EntryType>(journal: readonly Entry[], type: T): DataOf<T>[] =>
  journal.flatMap((entry) => (entry.type === type ? [entry.data as DataOf<T>] : []));

describe('a denied call', () => {
  test.each(['permission_denied', 'policy_violation'] as const)('as %s ends the run with the rule on record, and is never sent', (code) => {
    const { journal, performed, state } = run({ model: asksFor(call('a', 'pay')), judge: () => deny(code) });
    expect(ofType(journal, 'tool.failed')).toMatchObject([{ code, reason: 'operation_rule', rule, arguments: '{"id":"a"}' }]);
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code } });
    expect(state.end?.output['last_tool_calls']).toBe('0');
    expect(performed).toHaveLength(1);
  });

  test('holds back its siblings, whatever its position among them', () => {
    const { journal } = run({ model: asksFor(call('a', 'look'), call('b', 'pay')), judge: byTool({ pay: deny() }) });
    expect(ofType(journal, 'tool.requested')).toEqual([]);
    expect(ofType(journal, 'tool.failed').map(({ call_id }) => call_id)).toEqual(['b']);
  });

  test('hands over to an error route no more than any other denial', () => {
    const route = { to: 'other', labels: {}, condition: { kind: 'on_error' as const } };
    const agents = [agentSnapshot('solo', { tools: ['pay'] }), agentSnapshot('other')];
    const snapshot = runSnapshot({ agents, nodes: { solo: { routes: [route] } } });
    const { state } = simulate(snapshot, { world: { model: asksFor(call('a', 'pay')), judge: () => deny() } });
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'permission_denied' } });
  });
});

test('a denial ends the task also where another branch fails first, while the denied turn still has a call in flight', () => {
  const agents = [agentSnapshot('a', { tools: ['look', 'pay'] }), agentSnapshot('b')];
  const snapshot = runSnapshot({ agents, task: { retry: { maxAttempts: 3, backoffMs: 0 } } });
  let denied = false;
  const world: World = {
    model: ({ agent }) =>
      agent === 'a' ? { toolCalls: [call('x', 'look'), call('y', 'pay')] } : new SimulatedFailure('execution_failed', true),
    judge: ({ subject }) => (subject.tool.ref !== 'pay' ? allow : denied ? deny() : ask),
    person: () => {
      denied = true;
      return approved;
    },
  };
  // First the model of a, then the person, then the model of b: `look` is in flight all the while.
  const picks = [0, 2, 1];
  const { state, journal } = simulate(snapshot, { world, pick: () => picks.shift() ?? 0 });
  expect(ofType(journal, 'run.started')).toHaveLength(1);
  expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'permission_denied' } });
});

test('all calls of a step are judged at once, and the rule that lets one through is on record', () => {
  const asked: PendingToolCall[] = [];
  const judge: NonNullable<World['judge']> = (pending) => {
    asked.push(pending);
    return allow;
  };
  const { journal } = run(
    { model: asksFor(call('a', 'pay', { sum: 3 }), call('b', 'look')), judge },
    { roles: ['clerk'], allowedTools: ['look'] },
  );
  expect(asked.map(({ input }) => input)).toEqual([{ sum: 3 }, { id: 'b' }]);
  expect(asked[0]?.subject).toEqual({
    task: { namespace: 'default', name: 'task' },
    system: { namespace: 'default', name: 'system' },
    agent: { namespace: 'default', name: 'solo', roles: ['clerk'], allowedTools: ['look'] },
    tool: { namespace: 'default', name: 'pay', ref: 'pay', operationClasses: ['read'] },
  });
  expect(ofType(journal, 'tool.requested')).toMatchObject([{ rule }, { rule }]);
});

test('an input that does not fit goes back to the model before an approval is requested', () => {
  const { journal, state } = run({ model: asksFor(call('a', 'pay')), judge: () => misfit });
  expect(ofType(journal, 'tool.failed')).toMatchObject([{ code: 'invalid_input', reason: 'schema_mismatch' }]);
  expect(ofType(journal, 'approval.requested')).toEqual([]);
  expect(state.end).toMatchObject({ phase: 'Succeeded' });
});

describe('a call that a rule wants approved', () => {
  const person =
    (verdict: Omit<ApprovalVerdict, 'name'>): NonNullable<World['person']> =>
    () =>
      verdict;

  test('waits with everything the approver needs, and runs under what they decided', () => {
    const { journal } = run({ model: asksFor(call('a', 'pay', { sum: 3 })), judge: () => ask, person: person(approved) });
    const [asked] = ofType(journal, 'approval.requested');
    expect(asked).toMatchObject({ reason: 'policy', input: { sum: 3 }, rule, operation: 'write', why: 'money moves' });
    expect(asked).not.toHaveProperty('sent_at');
    const requestedAt = journal.find(({ type }) => type === 'approval.requested')?.at ?? 0;
    expect((asked?.expires_at ?? 0) - requestedAt).toBe(600_000);
    const [sent] = ofType(journal, 'tool.requested');
    expect(sent).toMatchObject({
      request_id: asked?.request_id,
      input: { sum: 3 },
      rule,
      approved: { name: asked?.name, decision_record: 4, call_hash: 'sha256:c', edited: false },
    });
  });

  test("an approved call runs with the reviewer's input, and the model receives the change", () => {
    const seen: unknown[] = [];
    const world: World = {
      model: asksFor(call('a', 'pay', { sum: 3 })),
      judge: () => ask,
      person: person({ ...approved, edited_input: { sum: 2 } }),
      tool: ({ input }) => {
        seen.push(input);
        return 'paid';
      },
    };
    const { journal } = run(world);
    expect(seen).toEqual([{ sum: 2 }]);
    expect(ofType(journal, 'tool.requested')).toMatchObject([{ input: { sum: 2 }, approved: { edited: true } }]);
    const state = newRunState();
    for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === 'tool.completed') + 1)) applyEntry(state, entry);
    const [turn] = state.attempt?.turns.values() ?? [];
    expect(turn?.transcript.at(-1)).toMatchObject({
      role: 'tool',
      content: 'A reviewer changed the input of this call before it ran. The input that ran: {"sum":2}\n\npaid',
    });
  });

  test('an edited call that fails reports the edit to the model', () => {
    const world: World = {
      model: asksFor(call('a', 'pay', { sum: 3 })),
      judge: () => ask,
      person: person({ ...approved, edited_input: { sum: 2 } }),
      tool: () => new SimulatedFailure('execution_failed', true),
    };
    const { journal } = run(world);
    const state = newRunState();
    for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === 'tool.failed') + 1)) applyEntry(state, entry);
    const [turn] = state.attempt?.turns.values() ?? [];
    expect(JSON.parse(turn?.transcript.at(-1)?.content ?? '')).toEqual({
      error: { code: 'execution_failed', message: 'simulated execution_failed', retryable: true },
      note: 'A reviewer changed the input of this call before it ran.',
      input_that_ran: { sum: 2 },
    });
  });

  test.each<[unknown, string]>([
    [{ sum: 3 }, 'the input it proposed'],
    [{ sum: 2 }, 'the input that ran'],
  ])('needs no second approval for %j: %s', (again) => {
    const model: World['model'] = ({ agentStep }) =>
      agentStep === 1
        ? { toolCalls: [call('a', 'pay', { sum: 3 })] }
        : agentStep === 2
          ? { toolCalls: [call('b', 'pay', again)] }
          : { content: 'done' };
    const { journal } = run({ model, judge: () => ask, person: person({ ...approved, edited_input: { sum: 2 } }) });
    expect(ofType(journal, 'approval.requested')).toHaveLength(1);
    expect(ofType(journal, 'tool.completed').map(({ source }) => source)).toEqual(['tool', 'cache']);
  });

  test('a repeated call that is denied now is denied, although its result is known', () => {
    let denied = false;
    const model: World['model'] = ({ agentStep }) => {
      denied = agentStep === 2;
      return agentStep < 3 ? { toolCalls: [call(`c${agentStep}`, 'pay', { sum: 3 })] } : { content: 'done' };
    };
    const { state } = run({ model, judge: () => (denied ? deny() : allow) });
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'permission_denied' } });
  });

  test.each<[Omit<ApprovalVerdict, 'name'>, string]>([
    [{ decision: 'denied', decided_by: 'ann' }, 'approval_denied'],
    [{ decision: 'expired' }, 'approval_timeout'],
  ])('%j ends the run as %s', (verdict, code) => {
    const { state, performed } = run({ model: asksFor(call('a', 'pay')), judge: () => ask, person: person(verdict) });
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code }, output: { last_tool_calls: '0' } });
    expect(performed).toHaveLength(1);
  });

  test('does not run on a decision without a record', () => {
    const { state, journal } = run({ model: asksFor(call('a', 'pay')), judge: () => ask, person: person({ decision: 'approved' }) });
    expect(ofType(journal, 'tool.requested')).toEqual([]);
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'permission_denied', reason: 'decision_missing' } });
  });

  test('an approved call that is denied at its run does not run: a revocation binds', () => {
    let asked = false;
    const judge: NonNullable<World['judge']> = () => {
      const ruling = asked ? deny() : ask;
      asked = true;
      return ruling;
    };
    const { state, performed } = run({ model: asksFor(call('a', 'pay')), judge, person: person(approved) });
    expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'permission_denied' } });
    expect(performed).toHaveLength(1);
  });

  test('an approved call needs another approval when a new rule requires another person', () => {
    const first = { kind: 'ToolPermission', namespace: 'default', name: 'first' };
    const second = { ...first, name: 'second', require_other: true };
    const rulings = [{ ...ask, askedBy: [first] }];
    const decisions = [{ ...approved, edited_input: { sum: 1 } }];
    const seen: string[] = [];
    const model: World['model'] = (request) => {
      seen.push(JSON.stringify(request));
      return asksFor(call('a', 'pay', { sum: 3 }))(request);
    };
    const judge: NonNullable<World['judge']> = () => rulings.shift() ?? { ...ask, askedBy: [first, second] };
    const { journal } = run({ model, judge, person: () => decisions.shift() ?? approved });
    const [one, two, ...more] = ofType(journal, 'approval.requested');
    expect([one?.asked_by, one?.input, two?.asked_by, two?.input, more]).toEqual([[first], { sum: 3 }, [first, second], { sum: 1 }, []]);
    expect(ofType(journal, 'tool.requested')).toMatchObject([{ input: { sum: 1 }, approved: { name: two?.name } }]);
    expect(seen.at(-1)).toContain('A reviewer changed the input of this call');
  });

  test('an approved call with an edit outside the schema returns to the model', () => {
    const judge: NonNullable<World['judge']> = ({ input }) => ('sum' in input ? ask : misfit);
    const { state } = run({ model: asksFor(call('a', 'pay', { sum: 3 })), judge, person: person({ ...approved, edited_input: {} }) });
    expect(state.end).toMatchObject({ phase: 'Succeeded' });
  });

  test('several at once: the others run meanwhile, each is decided for itself, and the run waits only for them', () => {
    const state = newRunState();
    const world: World = { model: asksFor(call('a', 'pay'), call('b', 'look'), call('c', 'pay')), judge: byTool({ pay: ask }) };
    const { journal } = simulate(snapshotOf(), { world });
    for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === 'model.completed') + 1)) applyEntry(state, entry);
    const settled = (now: number) => settleWith(state, world, { now, random: () => 0, worker: 'w' });
    expect(settled(5_000).decision).toMatchObject({ kind: 'perform', effects: [{ kind: 'tool', call: { request: { name: 'look' } } }] });
    expect(openApprovals(state).map(({ call: { call_id } }) => call_id)).toEqual(['a', 'c']);
    const [, second] = openApprovals(state);
    const entry = resolveApproval(state, { name: second?.name ?? '', ...approved }, 6_000);
    if (!entry) throw new Error('nothing waits');
    applyEntry(state, entry);
    const { decision } = settled(6_000);
    expect(decision.kind === 'perform' && decision.effects.map((effect) => effect.kind === 'tool' && effect.call.request.id)).toEqual([
      'b',
      'c',
    ]);
    expect(openApprovals(state)).toHaveLength(1);
  });

  test.each<[Omit<ApprovalVerdict, 'name'>, string]>([
    [{ decision: 'denied' }, 'approval_denied'],
    [{ decision: 'expired' }, 'approval_timeout'],
  ])('does not go out when it is approved together with a sibling that is %j', (verdict, code) => {
    const state = newRunState();
    const world: World = { model: asksFor(call('a', 'pay'), call('b', 'pay')), judge: () => ask };
    const { journal } = simulate(snapshotOf(), { world });
    for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === 'model.completed') + 1)) applyEntry(state, entry);
    settleWith(state, world, { now: 5_000, random: () => 0, worker: 'w' });
    const [first, second] = openApprovals(state).map(({ name }) => name);
    const words = [
      resolveApproval(state, { name: first ?? '', ...approved }, 6_000),
      resolveApproval(state, { name: second ?? '', ...verdict }, 6_000),
    ];
    for (const entry of words) if (entry) applyEntry(state, entry);
    const { entries, decision } = settleWith(state, world, { now: 6_000, random: () => 0, worker: 'w' });
    expect(entries.map(({ type }) => type)).toEqual(['tool.failed', 'agent.failed', 'run.failed']);
    expect(state.end).toMatchObject({ failure: { code } });
    expect(decision.kind).toBe('finished');
  });

  test('takes none of the time its agent has', () => {
    const state = newRunState();
    const world: World = { model: asksFor(call('a', 'pay')), judge: () => ask };
    const { journal } = simulate(snapshotOf({ timeoutMs: 500 }), { world });
    for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === 'approval.requested') + 1)) applyEntry(state, entry);
    const settled = (now: number) => settleWith(state, world, { now, random: () => 0, worker: 'w' });
    expect(settled(90_000).decision).toEqual({ kind: 'perform', effects: [], wakeAt: undefined });
    const entry = resolveApproval(state, { name: openApprovals(state)[0]?.name ?? '', ...approved }, 100_000);
    if (!entry) throw new Error('nothing waits');
    applyEntry(state, entry);
    const askedAt = journal.find(({ type }) => type === 'approval.requested')?.at ?? 0;
    const startedAt = journal.find(({ type }) => type === 'agent.started')?.at ?? 0;
    expect(settled(100_000).decision).toMatchObject({
      kind: 'perform',
      effects: [{ kind: 'tool' }],
      wakeAt: startedAt + 500 + 100_000 - askedAt,
    });
  });
});

// ---------------------------------------------------------------- after a crash

/** Up to and with the first entry of this type, then another worker's claim. */
function takenOver(journal: readonly Entry[], type: EntryType): RunState {
  const state = newRunState();
  for (const entry of journal.slice(0, journal.findIndex((entry) => entry.type === type) + 1)) applyEntry(state, entry);
  applyEntry(state, { type: 'run.claimed', at: 9_000, data: { worker: 'w2', fence: 2, takeover: true, attempt: 1 } });
  return state;
}

const settledAt = (state: RunState, world: Pick<World, 'judge' | 'judgeModel'>) =>
  settleWith(state, world, { now: 9_000, random: () => 0, worker: 'w2' });

describe('a call that was sent before the crash', () => {
  const world: World = { model: asksFor(call('a', 'pay')) };
  const sent = () => takenOver(run(world).journal, 'tool.requested');

  test('is sent again under its id when it is still allowed', () => {
    const state = sent();
    const { entries, decision } = settledAt(state, { judge: () => allow });
    expect(entries).toMatchObject([{ type: 'call.resent', data: { index: 0, rule } }]);
    expect(decision).toMatchObject({ kind: 'perform', effects: [{ kind: 'tool' }] });
    expect(settledAt(state, { judge: () => deny() }).entries).toEqual([]);
  });

  test('is not sent again when it is denied now', () => {
    const { entries, decision } = settledAt(sent(), { judge: () => deny() });
    expect(entries[0]).toMatchObject({ type: 'tool.failed', data: { code: 'permission_denied', input: { id: 'a' } } });
    expect(decision).toEqual({ kind: 'finished' });
  });

  test('needs an approval when a rule requires it now', () => {
    const { entries } = settledAt(sent(), { judge: () => ask });
    expect(entries).toMatchObject([{ type: 'approval.requested', data: { reason: 'policy' } }]);
  });

  test('stays approved after an approval', () => {
    const { journal } = run({ ...world, judge: () => ask });
    const { entries, decision } = settledAt(takenOver(journal, 'tool.requested'), { judge: () => ask });
    expect(entries).toMatchObject([{ type: 'call.resent' }]);
    expect(decision).toMatchObject({ effects: [{ call: { approved: { decision_record: 1 } } }] });
  });

  test('a sent call of a finished turn is not sent again', () => {
    const two: World = {
      model: asksFor(call('a', 'look'), call('b', 'pay')),
      tool: () => new SimulatedFailure('permission_denied', false),
    };
    const { journal } = run(two);
    const state = takenOver(journal, 'tool.failed');
    expect(settledAt(state, { judge: () => allow }).decision).toEqual({ kind: 'finished' });
  });

  test.each<[ToolReply, object]>([
    [
      { status: 'ok', output: 'paid' },
      { type: 'tool.completed', data: { source: 'tool', output: 'paid' } },
    ],
    [
      { status: 'error', error: { code: 'execution_failed', reason: 'r', message: 'broke', retryable: true } },
      { type: 'tool.failed', data: { code: 'execution_failed', reason: 'r', message: 'broke', retryable: true } },
    ],
    [
      { status: 'denied', error: { code: 'permission_denied', message: 'no', retryable: false } },
      { type: 'tool.failed', data: { code: 'permission_denied' } },
    ],
  ])('ends when its reply arrives from outside: %j', (reply, entry) => {
    const state = sent();
    const [turn] = state.attempt?.turns.values() ?? [];
    const requestId = turn?.step?.calls[0]?.requestId;
    const sentAt = turn?.step?.calls[0]?.sentAt ?? 0;
    const ended = replyEntry(state, { requestId, reply }, 9_500);
    expect(ended).toMatchObject(entry);
    expect(ended).toMatchObject({ data: { input: { id: 'a' }, latency_ms: 9_500 - sentAt } });
    if (ended) applyEntry(state, ended);
    expect(replyEntry(state, { requestId, reply }, 9_600)).toBeUndefined();
    expect(replyEntry(state, { requestId: 'req-other', reply }, 9_600)).toBeUndefined();
    expect(replyEntry(state, { requestId: undefined, reply: undefined }, 9_600)).toBeUndefined();
  });
});

test('a reply to a call of unknown outcome settles its approval', () => {
  const { journal } = simulate(snapshotOf({ timeoutMs: 500 }, 'high'), { world: { model: asksFor(call('a', 'pay')) } });
  const state = takenOver(journal, 'tool.requested');
  for (const entry of unknownOutcomes(state, { now: 9_000 })) applyEntry(state, entry);
  const [asked] = openApprovals(state);
  const ended = replyEntry(state, { requestId: asked?.call.request_id, reply: { status: 'ok', output: 'paid' } }, 60_000);
  expect(ended).toMatchObject({ type: 'tool.completed', data: { output: 'paid' } });
  if (ended) applyEntry(state, ended);
  expect(openApprovals(state)).toEqual([]);
  expect(resolveApproval(state, { name: asked?.name ?? '', decision: 'denied' }, 60_001)).toBeUndefined();
  const settled = settleWith(state, {}, { now: 60_000, random: () => 0, worker: 'w2' });
  expect(settled.entries).toMatchObject([{ type: 'model.requested' }]);
});

test('a reply to a call that was never sent, because a rule wants it approved, is ignored', () => {
  const state = newRunState();
  const { journal } = run({ model: asksFor(call('a', 'pay')), judge: () => ask });
  for (const entry of journal.slice(0, journal.findIndex(({ type }) => type === 'approval.requested') + 1)) applyEntry(state, entry);
  const [asked] = openApprovals(state);
  expect(replyEntry(state, { requestId: asked?.call.request_id, reply: { status: 'ok', output: 'x' } }, 9_000)).toBeUndefined();
});

test('a journal of the first format, in which a person had a call sent again, takes it as sent', () => {
  const state = newRunState();
  const { journal } = simulate(snapshotOf({}, 'high'), { world: { model: asksFor(call('a', 'pay')) } });
  const end = journal.findIndex(({ type }) => type === 'tool.requested') + 1;
  const whole = simulate(snapshotOf({}, 'high'), { world: { model: asksFor(call('a', 'pay')) }, journal: journal.slice(0, end) }).journal;
  for (const entry of whole.slice(0, whole.findIndex(({ type }) => type === 'approval.resolved') + 1)) applyEntry(state, entry);
  applyEntry(state, { type: 'run.claimed', at: 9_000, data: { worker: 'w3', fence: 3, takeover: true, attempt: 1 } });
  const [turn] = state.attempt?.turns.values() ?? [];
  expect(turn?.step?.calls[0]).toMatchObject({ phase: 'requested', lost: true });
});

test('a snapshot without roles, as older versions made them, is judged as one that has none', () => {
  const { roles: _roles, allowedTools: _allowed, ...old } = agentSnapshot('solo', { tools: ['pay'] });
  const snapshot = runSnapshot({ agents: [old as AgentSnapshot] });
  const asked: PendingToolCall[] = [];
  simulate(snapshot, {
    world: {
      model: asksFor(call('a', 'pay')),
      judge: (pending) => {
        asked.push(pending);
        return allow;
      },
    },
  });
  expect(asked[0]?.subject.agent).toEqual({ namespace: 'default', name: 'solo', roles: [], allowedTools: [] });
});
