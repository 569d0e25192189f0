// The chain of reasons for every state a Task can be in, as tables.
import { describe, expect, test } from 'vitest';
import { agentSnapshot, joinPolicy, reviewPoint, runSnapshot, simulate, SimulatedFailure, type World } from '../../testing/simulate-run.ts';
import { SUSPEND_REASON, type Resource } from '@svc/shared/resource';
import type { StoredObject, WorkItem } from '../../store/store.ts';
import { resolveApproval, unknownOutcomes } from '../core/approvals.ts';
import type { Entry } from '../core/entries.ts';
import { applyEntry } from '../core/apply-entry.ts';
import type { ReviewPoint, Route } from '../core/snapshot.ts';
import { newRunState, type RunState } from '../core/state.ts';
import { explainTask, type ExplainInput } from './explain.ts';

const NOW = Date.parse('2026-05-05T12:00:00.000Z');
const at = (offsetMs: number) => new Date(NOW + offsetMs).toISOString();

function task(status: Record<string, unknown> = { phase: 'Pending' }, spec: Record<string, unknown> = {}): Resource {
  return { kind: 'Task', metadata: { namespace: 'default', name: 't', uid: 'u' }, spec, status } as unknown as Resource;
}
const item = (fields: Partial<WorkItem> = {}): WorkItem => ({
  queue: 'task',
  key: 'u',
  namespace: 'default',
  name: 't',
  rank: 0,
  takeovers: 0,
  notBefore: 0,
  requirements: {},
  owner: undefined,
  fence: 0,
  leaseUntil: 0,
  parked: false,
  ...fields,
});
const worker = (name: string, status: Record<string, unknown> = {}, spec: Record<string, unknown> = {}): StoredObject =>
  ({ kind: 'Worker', namespace: 'default', name, annotations: {}, spec, status: { phase: 'Ready', ...status } }) as unknown as StoredObject;

function explain(input: Partial<Omit<ExplainInput, 'fleet'>> & { workers?: StoredObject[]; held?: number; ahead?: number } = {}) {
  const { workers = [], held = 0, ahead = 0, ...rest } = input;
  const fleet = { now: NOW, workers, held, ahead, aheadMax: 100 };
  return explainTask({
    task: task(),
    item: item(),
    state: newRunState(),
    now: NOW,
    dependency: undefined,
    fleet,
    cancel: undefined,
    ...rest,
  });
}
const codes = (reasons: readonly { [key: string]: unknown }[]) => reasons.map(({ code }) => code);

/** The state of a run up to the last entry for which `until` holds. */
function runUntil(world: World, parts: Parameters<typeof runSnapshot>[0], until: (entry: Entry) => boolean): RunState {
  const { journal } = simulate(runSnapshot(parts), { world });
  const state = newRunState();
  for (const entry of journal.slice(0, journal.findIndex(until) + 1)) applyEntry(state, { ...entry, at: NOW - 90_000 });
  return state;
}

describe('explains an unclaimed Task', () => {
  const gpu = { gpu: true };
  test.each<[string, Parameters<typeof explain>[0], string[], RegExp]>([
    ['no worker at all', {}, ['waiting_for_worker', 'no_worker'], /no worker is registered/],
    [
      'no worker is ready',
      { workers: [worker('w1', { phase: 'NotReady', lastHeartbeat: at(-120_000) }), worker('w2', { phase: 'Draining' })] },
      ['waiting_for_worker', 'no_worker_ready'],
      /no worker is ready: w1 is NotReady, last heartbeat 2m ago; w2 is Draining/,
    ],
    [
      'no worker has what it needs',
      { item: item({ requirements: gpu }), workers: [worker('w1')] },
      ['waiting_for_worker', 'no_matching_worker'],
      /no worker with gpu=true is ready/,
    ],
    [
      'the workers lack the encryption key',
      { item: item({ requirements: { secrets: true } }), workers: [worker('w1', { lastError: 'its key is another one' })] },
      ['waiting_for_worker', 'no_worker_with_key'],
      /needs Secrets, and no worker with the encryption key is ready: its key is another one/,
    ],
    [
      'all matching workers are busy',
      {
        item: item({ requirements: gpu }),
        ahead: 3,
        workers: [worker('w1', { currentTasks: 2 }, { max_concurrent_tasks: 2, capabilities: { gpu: true } }), worker('w2')],
      },
      ['waiting_for_worker', 'workers_busy', 'queue'],
      /all matching workers are busy: 1 worker with gpu=true, 2 of 2 slots taken/,
    ],
    [
      'a worker has taken Tasks since its last heartbeat',
      { held: 3, workers: [worker('w1', { currentTasks: 0 }, { max_concurrent_tasks: 2 }), worker('w2', { phase: 'NotReady' })] },
      ['waiting_for_worker', 'workers_busy'],
      /all matching workers are busy: 1 worker, 2 of 2 slots taken/,
    ],
    [
      'other workers may hold the Tasks',
      { item: item({ requirements: gpu }), held: 3, workers: [worker('w1', {}, { capabilities: { gpu: true } }), worker('w2')] },
      ['waiting_for_worker', 'worker_free'],
      /1 worker with gpu=true can run it, 0 of 1 slots taken/,
    ],
    [
      'a worker is free',
      { workers: [worker('w1', { currentTasks: 1 }, { max_concurrent_tasks: 4 })] },
      ['waiting_for_worker', 'worker_free'],
      /1 worker can run it, 1 of 4 slots taken/,
    ],
  ])('%s', (_, input, expected, message) => {
    const reasons = explain(input);
    expect(codes(reasons)).toEqual(expected);
    expect(reasons[1]?.['message']).toMatch(message);
  });

  test('names the suspended workers that could take it', () => {
    const suspended = (name: string, phase: string, spec: Record<string, unknown> = {}) =>
      worker(name, { phase }, { suspend: true, ...spec });
    const able = { ...suspended('w2', 'Draining', { capabilities: gpu }), annotations: { [SUSPEND_REASON]: 'new disk' } };
    const workers = [worker('w1'), able, suspended('w3', 'Draining'), suspended('w4', 'NotReady', { capabilities: gpu })];
    const reasons = explain({ item: item({ requirements: gpu }), workers });
    expect(codes(reasons)).toEqual(['waiting_for_worker', 'no_matching_worker', 'worker_suspended']);
    expect(reasons[2]).toMatchObject({ message: 'worker w2 is suspended and claims no Tasks: new disk', object: { name: 'w2' } });
    expect(codes(explain({ workers: workers.slice(2) }))).toEqual(['waiting_for_worker', 'no_worker_ready', 'worker_suspended']);
    expect(codes(explain({ workers }))).toEqual(['waiting_for_worker', 'worker_free']);
  });

  test.each([
    [1, '1 Task is ahead of it'],
    [99, '99 Tasks are ahead of it'],
    [100, 'at least 100 Tasks are ahead of it'],
  ])('%s Tasks ahead in words', (ahead, message) => {
    expect(explain({ ahead, workers: [worker('w1')] }).at(-1)).toMatchObject({ code: 'queue', message });
  });
});

describe('it waits for a moment', () => {
  test('the next attempt: its time and the failure', () => {
    const state = newRunState();
    state.status = 'retrying';
    state.attempts = 1;
    state.lastFailure = { code: 'rate_limited', message: 'try later', retryable: true };
    expect(explain({ state, item: item({ notBefore: NOW + 42_000 }) })).toEqual([
      { code: 'retry_wait', message: 'attempt 2 begins in 42s', until: at(42_000) },
      { code: 'rate_limited', message: 'attempt 1 failed: try later' },
    ]);
  });

  test('the next try of a message: its time and the failure', () => {
    const world: World = { model: () => new SimulatedFailure('rate_limited', true) };
    const messageRetry = {
      maxAttempts: 2,
      backoffMs: 42_000,
      maxBackoffMs: 42_000,
      jitter: 'none',
      nonRetryable: [],
      inherited: false,
    } as const;
    const parts = { agents: [agentSnapshot('solo')], task: { messageRetry } };
    const state = runUntil(world, parts, ({ type }) => type === 'agent.failed');
    const reasons = explain({ state, item: item({ notBefore: NOW + 42_000 }) });
    expect(codes(reasons)).toEqual(['retry_wait', 'rate_limited']);
    expect(reasons[1]?.['message']).toBe('the try before failed: simulated rate_limited');
  });

  test('a dependency that is still connecting, with its error', () => {
    const blockedOn = { kind: 'McpServer', name: 'files', reason: 'tool files--read is not imported yet' };
    const dependency = { ...worker('files'), kind: 'McpServer', status: { phase: 'Connecting', lastError: 'connection refused' } };
    const reasons = explain({ task: task({ phase: 'Pending', blockedOn }), item: item({ notBefore: NOW + 2_000 }), dependency });
    expect(codes(reasons)).toEqual(['blocked', 'dependency', 'waiting_until']);
    expect(reasons[1]).toMatchObject({ message: 'McpServer files is still connecting: connection refused', object: { kind: 'McpServer' } });
  });
});

describe('a worker has it', () => {
  const owned = item({ owner: 'w1', fence: 2, leaseUntil: NOW + 20_000 });
  const solo = { agents: [agentSnapshot('solo', { tools: ['look'] })] };
  const world: World = {
    model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [{ id: 'a', name: 'look', arguments: '{}' }] } : { content: 'done' }),
  };

  test('reports a model call with its start and endpoint', () => {
    const state = runUntil(world, solo, ({ type }) => type === 'model.requested');
    const reasons = explain({ item: owned, state, workers: [worker('w1')] });
    expect(reasons).toMatchObject([
      { code: 'running', until: at(20_000), object: { kind: 'Worker', name: 'w1' } },
      { code: 'model_call', since: at(-90_000), object: { kind: 'ModelEndpoint', name: 'mock' } },
    ]);
    expect(reasons[1]?.['message']).toBe('agent solo (branch b001) has waited 1m30s for ModelEndpoint default/mock, step 1');
  });

  test('reports a tool call', () => {
    const state = runUntil(world, solo, ({ type }) => type === 'tool.requested');
    expect(explain({ item: owned, state, workers: [worker('w1')] })[1]).toMatchObject({
      code: 'tool_call',
      object: { kind: 'Tool', name: 'look' },
    });
  });

  test('reports a join that waits for missing branches', () => {
    const route = (to: string): Route => ({ to, labels: {}, condition: { kind: 'success' } });
    const nodes = { a: { routes: [route('c')] }, b: { routes: [route('c')] }, c: { routes: [], join: joinPolicy() } };
    const agents = ['a', 'b', 'c'].map((name) => agentSnapshot(name));
    const state = runUntil({ model: () => ({ content: 'x' }) }, { agents, nodes }, ({ type }) => type === 'agent.completed');
    const join = explain({ item: owned, state }).at(-1);
    expect(join).toMatchObject({
      code: 'join_wait',
      message: 'agent c waits for b; it has input from a and needs 2',
      object: { name: 'c' },
    });
  });

  test.each([
    ['Draining', 'worker_draining'],
    ['NotReady', 'worker_not_ready'],
  ])('reports a worker that is %s', (phase, code) => {
    expect(codes(explain({ item: owned, workers: [worker('w1', { phase })] }))).toEqual(['running', code]);
  });

  test('reports nothing about a suspended worker, whose runs continue', () => {
    expect(codes(explain({ item: owned, workers: [worker('w1', { phase: 'Draining' }, { suspend: true })] }))).toEqual(['running']);
  });

  test('reports a worker with an expired lease', () => {
    const reasons = explain({ item: { ...owned, leaseUntil: NOW - 1 }, workers: [worker('w1', { phase: 'NotReady' })] });
    expect(codes(reasons)).toEqual(['lease_expired', 'no_worker_ready']);
  });

  test('reports a cancel that the lost worker did not carry out', () => {
    const cancel = { id: 1, stream: 'u', type: 'cancel', timestamp: at(-5_000), data: {} };
    const reasons = explain({ item: { ...owned, leaseUntil: NOW - 1 }, cancel });
    expect(codes(reasons)).toEqual(['lease_expired', 'cancel_requested', 'no_worker']);
    expect(reasons[1]).toMatchObject({ since: at(-5_000) });
  });

  test('reports a worker whose process is known to have ended', () => {
    const [reason] = explain({ item: { ...owned, leaseUntil: 0 }, workers: [worker('w2')] });
    expect(reason).toMatchObject({ code: 'lease_expired', message: 'the process of worker w1 has ended; the next free worker takes over' });
  });

  test('reports the holder of a running Task whose mode is template now', () => {
    const template = task({ phase: 'Running' }, { mode: 'template' });
    expect(codes(explain({ task: template, item: { ...owned, leaseUntil: NOW + 1 } }))).toEqual(['running']);
  });

  test('counts a worker with an expired lease as free only after its next heartbeat', () => {
    const lost = { ...owned, leaseUntil: NOW - 1_000 };
    const beating = (at: number) => worker('w1', { lastHeartbeat: new Date(at).toISOString() });
    const silent = explain({ item: lost, workers: [beating(NOW - 4_000)] });
    expect(codes(silent)).toEqual(['lease_expired', 'no_worker_ready']);
    expect(silent[1]?.['message']).toBe('no worker is ready: w1 is silent, last heartbeat 4s ago');
    expect(codes(explain({ item: lost, workers: [beating(NOW)] }))).toEqual(['lease_expired', 'worker_free']);
  });
});

test('an approval: its name, subject and deadline', () => {
  const risky = { agents: [agentSnapshot('solo', { tools: ['pay'] })], risk: 'high' };
  const world: World = {
    model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [{ id: 'a', name: 'pay', arguments: '{}' }] } : { content: 'done' }),
  };
  const state = runUntil(world, risky, ({ type }) => type === 'tool.requested');
  const [asked] = unknownOutcomes(state, { now: NOW });
  if (asked?.type !== 'approval.requested') throw new Error('nothing is asked');
  applyEntry(state, asked);
  const { name } = asked.data;
  expect(explain({ task: task({ phase: 'WaitingApproval' }), item: item({ parked: true }), state })).toEqual([
    {
      code: 'waiting_approval',
      message: expect.stringContaining(`decide ToolApproval ${name} until ${at(24 * 3_600_000)}`) as string,
      until: at(24 * 3_600_000),
      object: { kind: 'ToolApproval', namespace: 'default', name },
    },
  ]);
  const later = item({ notBefore: NOW + 60_000 });
  expect(codes(explain({ task: task({ phase: 'WaitingApproval' }), item: later, state }))).toEqual(['waiting_approval']);
  // Woken: it was decided, and no worker has claimed it yet.
  expect(codes(explain({ task: task({ phase: 'WaitingApproval' }), state }))).toEqual(['waiting_for_worker', 'no_worker']);
  const entry = resolveApproval(state, { name, decision: 'denied' }, NOW);
  if (entry) applyEntry(state, entry);
  expect(codes(explain({ task: task({ phase: 'WaitingApproval' }), state, workers: [worker('w1')] }))).toEqual([
    'waiting_for_worker',
    'worker_free',
  ]);
});

describe('an approval names the possible answers', () => {
  const waiting = { task: task({ phase: 'WaitingApproval' }), item: item({ parked: true }) };
  const reviewOf = (point: Partial<ReviewPoint>) => {
    const parts = { agents: [agentSnapshot('solo')], nodes: { solo: { review: reviewPoint('draft', point) } } };
    return runUntil({ model: () => ({ content: 'x' }) }, parts, ({ type }) => type === 'review.requested');
  };

  test.each<[Partial<ReviewPoint>, RegExp]>([
    [
      {},
      /^a person must review the output of agent solo \(draft, cycle 1 of at most 3\): decide TaskApproval review-.* approve, deny or request changes$/,
    ],
    [{ maxReviewCycles: 1 }, /; approve or deny$/],
    [{ allowRequestChanges: false }, /; approve or deny$/],
  ])('a review, %j', (point, message) => {
    const [reason] = explain({ ...waiting, state: reviewOf(point) });
    expect(reason).toMatchObject({ code: 'waiting_approval', object: { kind: 'TaskApproval', namespace: 'default' } });
    expect(reason?.['message']).toMatch(message);
  });

  test('a call that a rule holds back, with its input', () => {
    const world: World = {
      model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [{ id: 'a', name: 'pay', arguments: '{"sum":3}' }] } : { content: 'done' }),
      judge: () => ({
        verdict: 'approval_required',
        operation: 'write',
        ttlMs: 60_000,
        reason: '',
        rule: { kind: 'default' },
        askedBy: [],
        findings: [],
      }),
    };
    const state = runUntil(world, { agents: [agentSnapshot('solo', { tools: ['pay'] })] }, ({ type }) => type === 'approval.requested');
    expect(explain({ ...waiting, state })[0]?.['message']).toMatch(
      /^a person must allow the call of pay by agent solo with input \{"sum":3\}: decide ToolApproval .* approve \(with edited input if need be\) or deny$/,
    );
  });
});

test.each<[Partial<Omit<ExplainInput, 'fleet'>>, string]>([
  [{ task: task({ phase: 'Pending' }, { mode: 'template' }), item: undefined }, 'template'],
  [{ task: task({ phase: 'Failed', reason: 'cancelled', lastError: 'enough' }) }, 'cancelled'],
  [{ item: undefined }, 'not_queued'],
])('%#: a run that cannot continue has a reason', (input, code) => {
  expect(codes(explain(input))).toEqual([code]);
});
