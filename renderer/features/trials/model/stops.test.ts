import type { TraceEntry } from '@svc/shared/kinds/task/records';
import { expect, test } from 'vitest';
import { overlayAt } from '../../trace/model/run-overlay.ts';
import { TraceStore } from '../../trace/model/trace-store.ts';
import { leftSentence, stopsOf } from './stops.ts';
import { trialParts } from './trial-text.ts';

const START = 1_000_000;
const entry = (ms: number, type: TraceEntry['type'], more: Partial<TraceEntry> = {}): TraceEntry => ({
  timestamp: new Date(START + ms).toISOString(),
  attempt: 1,
  branch_id: 'b001',
  type,
  ...more,
});
const before = { agent: 'writer', breakpoint: 'before', turn_id: 't2' };

const WAITING: readonly TraceEntry[] = [
  entry(0, 'task_start'),
  entry(0, 'agent_start', { agent: 'planner' }),
  entry(5, 'agent_end', { agent: 'planner', output: 'Plan', pinned: 'default/report-1' }),
  entry(5, 'agent_message', { agent: 'planner', to_agent: 'writer' }),
  entry(10, 'breakpoint_reached', { ...before, input: 'The plan' }),
];
const CONTINUED: readonly TraceEntry[] = [
  ...WAITING,
  entry(900, 'breakpoint_resolved', { ...before, decision: 'continued', reviewer: 'ada', input: 'Another plan' }),
  entry(901, 'agent_message_received', { agent: 'writer' }),
  entry(901, 'agent_start', { agent: 'writer' }),
];

function storeOf(entries: readonly TraceEntry[]): TraceStore {
  const store = new TraceStore('run');
  store.append(entries);
  return store;
}

test('a turn that waits before its start has its message, its deadline and no end', () => {
  const [stop, ...rest] = stopsOf(storeOf(WAITING), '30m');
  expect(rest).toEqual([]);
  expect(stop).toMatchObject({ turnId: 't2', agent: 'writer', place: 'before', text: 'The plan', cut: false, left: undefined });
  expect(stop?.until).toBe(START + 10 + 1_800_000);
});

test('a breakpoint that somebody continued names that person, and its turn remains one span', () => {
  const store = storeOf(CONTINUED);
  const [stop] = stopsOf(store, '30m');
  expect(stop?.left).toEqual({ decision: 'continued', by: 'ada', reason: undefined });
  expect(stop && leftSentence(stop)).toBe('The breakpoint before writer was continued by ada.');
  const turns = store.fold.spans.filter(({ kind, agent }) => kind === 'turn' && agent === 'writer');
  expect(turns.map(({ state, children }) => [state, children.map(({ kind }) => kind)])).toEqual([['running', ['breakpoint']]]);
});

test('the picture shows where a run waits and which output was reused', () => {
  const { nodes } = overlayAt(WAITING, WAITING.length);
  expect(nodes.get('writer')).toMatchObject({ state: 'waiting', stop: 'before' });
  expect(nodes.get('planner')).toMatchObject({ state: 'succeeded', pinned: 'default/report-1' });
  expect(overlayAt(CONTINUED, CONTINUED.length).nodes.get('writer')).toMatchObject({ state: 'running' });
  expect(overlayAt(CONTINUED, CONTINUED.length).nodes.get('writer')?.stop).toBeUndefined();
});

test('a trial is described by its part of the system, its pins and its breakpoints', () => {
  const parts = trialParts({
    wait: '1h',
    from: { node: 'writer', task: 'report-1' },
    pins: [{ node: 'planner', output: 'Plan' }],
    breakpoints: [{ node: 'writer', at: 'after' }],
  });
  expect(parts.map(({ words, task = '' }) => `${words} ${task}`.trim())).toEqual([
    'runs from writer, with the results before it from report-1',
    'planner pinned',
    'stops after writer',
  ]);
});
