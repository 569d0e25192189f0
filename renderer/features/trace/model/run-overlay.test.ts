import type { TraceEntry } from '@svc/shared/kinds/task/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { routeKey } from '../../../graph/overlay.ts';
import { OverlayScan, overlayAt } from './run-overlay.ts';

const at = (ms: number, fields: Partial<TraceEntry> & Pick<TraceEntry, 'type'>): TraceEntry => ({
  timestamp: new Date(1_000_000 + ms).toISOString(),
  attempt: 1,
  ...fields,
});
const turn = (ms: number, type: TraceEntry['type'], agent: string, branch_id = 'b001', more: Partial<TraceEntry> = {}) =>
  at(ms, { type, agent, branch_id, ...more });

const FAN_OUT: readonly TraceEntry[] = [
  at(0, { type: 'task_start' }),
  turn(0, 'agent_start', 'collector'),
  turn(10, 'model_call', 'collector'),
  turn(50, 'model_output', 'collector', 'b001', { tokens: 30 }),
  turn(50, 'agent_end', 'collector'),
  turn(50, 'agent_message', 'collector', 'b001.001', { to_agent: 'market' }),
  turn(50, 'agent_message', 'collector', 'b001.002', { to_agent: 'risk' }),
  turn(60, 'agent_start', 'market', 'b001.001'),
  turn(60, 'agent_start', 'risk', 'b001.002'),
  turn(90, 'agent_end', 'risk', 'b001.002'),
  turn(90, 'agent_message', 'risk', 'b001.002', { to_agent: 'editor' }),
  turn(90, 'agent_message_join_wait', 'editor', 'b001.002', { join: 'waiting', from_agent: 'risk' }),
  turn(120, 'agent_end', 'market', 'b001.001'),
  turn(120, 'agent_message', 'market', 'b001.001', { to_agent: 'editor' }),
  turn(120, 'agent_message_join_wait', 'editor'),
  turn(120, 'agent_start', 'editor'),
  turn(150, 'agent_end', 'editor'),
  turn(150, 'task_approval_pending', 'editor', 'b001', { approval: 'review-1' }),
];
const JOINS = new Map([['editor', 2]]);
const states = (entries: readonly TraceEntry[], position: number) =>
  Object.fromEntries([...overlayAt(entries, position, JOINS).nodes].map(([name, { state }]) => [name, state]));

describe('agents of a fan-out', () => {
  test('run side by side', () => expect(states(FAN_OUT, 9)).toEqual({ collector: 'succeeded', market: 'running', risk: 'running' }));
  test('a waiting join shows how many sources have arrived', () =>
    expect(overlayAt(FAN_OUT, 12, JOINS).nodes.get('editor')).toEqual({ state: 'waiting', arrived: '1/2' }));
  test('a released join waits no longer', () => {
    const overlay = overlayAt(FAN_OUT, 16, JOINS);
    expect(overlay.nodes.get('editor')).toMatchObject({ state: 'running', elapsedMs: 0 });
    expect([...overlay.edges.values()].some(({ active }) => active)).toBe(false);
  });
  test('the duration of a turn grows only at the end of the recording', () => {
    const started = FAN_OUT.slice(0, 9);
    const since = Date.parse(started.findLast(({ agent, type }) => agent === 'market' && type === 'agent_start')?.timestamp ?? '');
    expect(overlayAt(started, 9).nodes.get('market')?.growingFrom).toBe(since);
    expect(overlayAt(started, 9).nodes.get('collector')?.growingFrom).toBeUndefined();
    expect(overlayAt(FAN_OUT, 9).nodes.get('market')?.growingFrom).toBeUndefined();
  });
  test('tokens and time are attributed to the agent that spent them', () =>
    expect(overlayAt(FAN_OUT, 9).nodes.get('collector')).toEqual({ state: 'succeeded', attempt: 1, tokens: 30, elapsedMs: 50 }));
  test('a review of an output makes its agent wait', () =>
    expect(overlayAt(FAN_OUT, FAN_OUT.length).nodes.get('editor')?.state).toBe('waiting'));
});

test('a message is in flight from its handover until its agent begins', () => {
  const edge = (position: number) => overlayAt(FAN_OUT, position).edges.get(routeKey('collector', 'market'));
  expect([5, 6, 8].map(edge)).toEqual([undefined, { active: true, count: 1, dead: false }, { active: false, count: 1, dead: false }]);
});

test('a retried turn waits between its attempts, and counts them', () => {
  const entries = [
    at(0, { type: 'task_start' }),
    turn(0, 'agent_start', 'a'),
    turn(10, 'agent_error', 'a', 'b001', { error_code: 'timeout' }),
    turn(10, 'agent_message_retry_scheduled', 'a'),
    turn(500, 'agent_start', 'a'),
  ];
  expect(states(entries, 3)).toEqual({ a: 'failed' });
  expect(states(entries, 4)).toEqual({ a: 'waiting' });
  expect(overlayAt(entries, 5).nodes.get('a')).toMatchObject({ state: 'running', attempt: 2 });
});

test('a finally failed message marks its route', () => {
  const entries = [
    at(0, { type: 'task_start' }),
    turn(0, 'agent_start', 'a'),
    turn(5, 'agent_end', 'a'),
    turn(5, 'agent_message', 'a', 'b001', { to_agent: 'b' }),
    turn(5, 'agent_start', 'b'),
    turn(9, 'agent_error', 'b', 'b001', { error_code: 'timeout' }),
    turn(9, 'agent_message_deadletter', 'b'),
    at(9, { type: 'task_summary', error_code: 'timeout' }),
  ];
  expect(overlayAt(entries, 8).edges.get(routeKey('a', 'b'))).toEqual({ active: false, count: 1, dead: true });
  expect(states(entries, 8)).toEqual({ a: 'succeeded', b: 'failed' });
});

test('the next attempt of the task begins with nothing done', () => {
  const entries = [...FAN_OUT, at(400, { type: 'task_start', attempt: 2 })];
  expect(states(entries, entries.length)).toEqual({ collector: 'idle', market: 'idle', risk: 'idle', editor: 'idle' });
});

const anyEntry: fc.Arbitrary<TraceEntry> = fc.record({
  timestamp: fc.nat(100_000).map((ms) => new Date(ms).toISOString()),
  type: fc.constantFrom(
    'task_start',
    'agent_start',
    'agent_end',
    'agent_error',
    'agent_message',
    'agent_message_retry_scheduled',
    'agent_message_deadletter',
    'agent_message_join_wait',
    'model_call',
    'model_output',
    'tool_approval_pending',
    'tool_approval_resolved',
    'task_summary',
  ),
  agent: fc.constantFrom('a', 'b', 'c'),
  branch_id: fc.constantFrom('b001', 'b001.001'),
  to_agent: fc.constantFrom('a', 'b', 'c'),
  approval: fc.constantFrom('x', 'y'),
  tokens: fc.nat(10),
});

test('a scan of any place, in any order, equals a fold from the start', () => {
  const places = fc.array(fc.nat(700), { minLength: 1, maxLength: 12 });
  const property = fc.property(fc.array(anyEntry, { minLength: 300, maxLength: 700 }), places, (entries, positions) => {
    const scan = new OverlayScan();
    for (const position of positions) expect(scan.at(entries, position, JOINS)).toEqual(overlayAt(entries, position, JOINS));
  });
  fc.assert(property, { numRuns: 40 });
});

test('an end that a person chose is not a failure of an agent', () => {
  const begun = FAN_OUT.slice(0, 9);
  const end = (code: string) => states([...begun, at(95, { type: 'task_summary', error_code: code })], begun.length + 1);
  expect(end('cancelled')).toEqual({ collector: 'succeeded', market: 'cancelled', risk: 'cancelled' });
  expect(end('execution_failed')).toMatchObject({ market: 'failed' });
  const denied = turn(95, 'agent_error', 'market', 'b001.001', { error_code: 'approval_denied' });
  expect(states([...begun, denied], begun.length + 1)).toMatchObject({ market: 'denied', risk: 'running' });
});
