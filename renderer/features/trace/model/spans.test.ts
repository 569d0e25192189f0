import type { TraceEntry } from '@svc/shared/kinds/task/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import doomed from '../fixtures/doomed.json';
import decided from '../fixtures/invoice-decided.json';
import report from '../fixtures/report-q3.json';
import { idleStretches } from './idle.ts';
import { SpanFold, type Span } from './spans.ts';
import { traceFixture } from '../../../testing/trace-fixture.ts';

function foldOf(entries: readonly TraceEntry[], sizes: readonly number[] = [entries.length]): SpanFold {
  const fold = new SpanFold();
  let at = 0;
  for (let turn = 0; at < entries.length; turn += 1) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1);
    fold.append(entries.slice(at, at + size));
    at += size;
  }
  return fold;
}

/** `  tool invoice-delete ok` for each span, in order of nesting. */
function outline(fold: SpanFold): string[] {
  const lines: string[] = [];
  const add = (span: Span, depth: number) => {
    lines.push(`${'  '.repeat(depth)}${span.kind} ${span.name} ${span.state}${span.tries > 1 ? ` ×${span.tries}` : ''}`);
    for (const child of span.children) add(child, depth + 1);
  };
  if (fold.root) add(fold.root, 0);
  return lines;
}

const at = (ms: number, fields: Partial<TraceEntry> & Pick<TraceEntry, 'type'>): TraceEntry => ({
  timestamp: new Date(1_000_000 + ms).toISOString(),
  attempt: 1,
  ...fields,
});
const of = (ms: number, type: TraceEntry['type'], more: Partial<TraceEntry> = {}) =>
  at(ms, { type, agent: 'a', branch_id: 'b001', ...more });

describe('a model call that outlived its worker', () => {
  const trace = (latency: number) => [
    at(0, { type: 'task_start' }),
    of(0, 'agent_start'),
    of(10, 'model_call', { step: 1 }),
    of(12_010, 'model_output', { step: 1, model: 'm', latency_ms: latency }),
  ];
  const callOf = (fold: SpanFold) => fold.spans.find(({ kind }) => kind === 'model');

  test('is shown as sent again, at the time that its answer records', () => {
    const fold = foldOf(trace(1_500));
    expect(callOf(fold)).toMatchObject({ tries: 2, ticks: [1_010_510], start: 1_000_010, end: 1_012_010 });
    expect(idleStretches(fold.spans, { start: 1_000_000, end: 1_012_010 })).toEqual([{ start: 1_000_260, end: 1_010_260 }]);
  });

  test('differs from a call that took long', () => {
    expect(callOf(foldOf(trace(11_900)))).toMatchObject({ tries: 1, ticks: [] });
  });
});

describe('traces of real runs', () => {
  test('a fan-out with a join, whose output waits for a review', () => {
    expect(outline(foldOf(report as TraceEntry[]))).toEqual([
      'task Task waiting',
      '  attempt Attempt 1 waiting',
      '    turn collector ok',
      '      model mock-desk ok',
      '      tool ledger-search ok',
      '      model mock-desk ok',
      '      note → market ok',
      '      note → risk ok',
      '    turn market ok',
      '      model mock-desk ok',
      '      note → editor ok',
      '    turn risk ok',
      '      model mock-desk ok',
      '      note → editor ok',
      '    join editor ok',
      '    turn editor ok',
      '      model mock-desk ok',
      '    review Review waiting',
    ]);
  });

  test('a call that was approved with another input', () => {
    const fold = foldOf(decided as TraceEntry[]);
    expect(outline(fold)).toEqual([
      'task Task ok',
      '  attempt Attempt 1 ok',
      '    turn triage ok',
      '      model mock-desk ok',
      '      note → billing ok',
      '    turn billing ok',
      '      model mock-desk ok',
      '      tool ledger-search ok',
      '      model mock-desk ok',
      '      tool invoice-delete ok',
      '        approval Approval ok',
      '      model mock-desk ok',
    ]);
    expect(fold.open.size).toBe(0);
  });

  test('a run that fails at its first model call', () => {
    expect(outline(foldOf(doomed as TraceEntry[]))).toEqual([
      'task Task failed',
      '  attempt Attempt 1 failed',
      '    turn flaky failed',
      '      model Model failed',
    ]);
  });
});

describe('calls', () => {
  test('appear when the model requests them', () => {
    const entries = [
      of(0, 'agent_start'),
      of(1, 'model_call', { step: 1 }),
      of(5, 'model_output', { step: 1, asked_tools: ['x', 'x', 'y'] }),
    ];
    expect(outline(foldOf(entries)).slice(-3)).toEqual(['      tool x running', '      tool x running', '      tool y running']);
  });

  test('to the same tool end independently, and begin when they were sent', () => {
    const entries = [
      of(0, 'agent_start'),
      of(5, 'model_output', { step: 1, asked_tools: ['x', 'x'] }),
      of(30, 'tool_error', { step: 1, tool: 'x', tool_request_id: 'r1', latency_ms: 10, error_code: 'timeout' }),
    ];
    const calls = foldOf(entries).spans.filter(({ kind }) => kind === 'tool');
    expect(calls.map(({ state, start, end }) => [state, start - 1_000_000, end && end - 1_000_000])).toEqual([
      ['failed', 20, 30],
      ['running', 5, undefined],
    ]);
  });

  test('without a result when the turn ends have an unknown outcome, and a later result completes them', () => {
    const entries = [
      of(0, 'agent_start'),
      of(5, 'model_output', { step: 1, asked_tools: ['x'] }),
      of(9, 'agent_error', { error_code: 'timeout' }),
      of(9, 'agent_message_retry_scheduled'),
    ];
    expect(outline(foldOf(entries)).slice(-2)).toEqual(['      tool x unknown', '      pause Pause after try 1 waiting']);
    const later = [...entries, of(50, 'agent_start'), of(60, 'tool_call', { step: 1, tool: 'x', tool_request_id: 'r' })];
    expect(outline(foldOf(later)).slice(2)).toEqual([
      '    turn a running ×2',
      '      model Model ok',
      '      tool x ok',
      '      pause Pause after try 1 ok',
    ]);
  });
});

test('another attempt of the task is placed beside the first, after a pause', () => {
  const entries = [
    at(0, { type: 'task_start' }),
    of(0, 'agent_start'),
    of(9, 'agent_error', { error_code: 'timeout' }),
    at(500, { type: 'task_start', attempt: 2 }),
    of(500, 'agent_start', { attempt: 2 }),
  ];
  const fold = foldOf(entries);
  expect(outline(fold)).toEqual([
    'task Task running ×2',
    '  attempt Attempt 1 failed',
    '    turn a failed',
    '  pause Pause before the next attempt ok',
    '  attempt Attempt 2 running',
    '    turn a running',
  ]);
  expect(fold.root?.children[1]).toMatchObject({ start: 1_000_009, end: 1_000_500 });
});

test('work that a reviewer sends back continues in the same turn', () => {
  const entries = [of(0, 'agent_start'), of(5, 'agent_end'), of(9, 'model_call', { step: 2 })];
  expect(outline(foldOf(entries)).slice(2)).toEqual(['    turn a running', '      model Model running']);
});

test('an entry of unknown type changes nothing', () => {
  const strange = { ...at(0, { type: 'task_start' }), type: 'from_the_future' } as unknown as TraceEntry;
  expect(outline(foldOf([at(0, { type: 'task_start' }), strange]))).toHaveLength(2);
});

const TYPES = [
  'task_start',
  'agent_start',
  'agent_end',
  'agent_error',
  'agent_message',
  'agent_message_received',
  'agent_message_retry_scheduled',
  'agent_message_deadletter',
  'agent_message_join_wait',
  'model_call',
  'model_output',
  'model_error',
  'tool_call',
  'tool_error',
  'tool_approval_pending',
  'tool_approval_resolved',
  'task_approval_pending',
  'task_approval_resolved',
  'policy_violation',
  'contract_warning',
  'task_summary',
] as const;
const anyTrace = fc
  .array(
    fc.record(
      {
        type: fc.constantFrom(...TYPES),
        after: fc.nat(5_000),
        attempt: fc.integer({ min: 1, max: 2 }),
        agent: fc.constantFrom('a', 'b'),
        branch_id: fc.constantFrom('b001', 'b001.001'),
        tool: fc.constantFrom('x', 'y'),
        step: fc.integer({ min: 1, max: 3 }),
        to_agent: fc.constantFrom('a', 'b'),
        tool_request_id: fc.constantFrom('r1', 'r2'),
        approval: fc.constantFrom('q1', 'q2'),
        decision: fc.constantFrom('approved', 'denied'),
        asked_tools: fc.array(fc.constantFrom('x', 'y'), { maxLength: 2 }),
        error_code: fc.constant('timeout'),
        input_tokens: fc.nat(100),
        latency_ms: fc.nat(100),
      },
      { requiredKeys: ['type', 'after', 'attempt'] },
    ),
    { maxLength: 120 },
  )
  .map((entries) => {
    let now = 1_000_000;
    return entries.map(({ after, ...fields }): TraceEntry => ({ timestamp: new Date((now += after)).toISOString(), ...fields }));
  });

describe('every trace', () => {
  test('gives the same spans in batches as all at once', () => {
    const property = fc.property(anyTrace, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), (entries, sizes) => {
      expect(outline(foldOf(entries, sizes))).toEqual(outline(foldOf(entries)));
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('has sums and open spans equal to a count from scratch', () => {
    const property = fc.property(anyTrace, (entries) => {
      const { spans, root, open } = foldOf(entries);
      const below = (span: Span): Span[] => span.children.flatMap((child) => [child, ...below(child)]);
      for (const span of spans) {
        const all = below(span);
        const leaves = all.filter((each) => each.end === undefined && !['task', 'attempt', 'turn'].includes(each.kind));
        expect(span.below).toBe(all.length);
        expect(span.failedBelow).toBe(all.filter(({ state }) => state === 'failed' || state === 'denied').length);
        expect(span.underWay).toEqual({
          working: leaves.filter(({ state }) => state !== 'waiting').length,
          waiting: leaves.filter(({ state }) => state === 'waiting').length,
        });
      }
      const answered = entries.filter(({ type }) => type === 'model_output').reduce((sum, { input_tokens = 0 }) => sum + input_tokens, 0);
      expect(root?.inputTokens ?? 0).toBe(answered);
      expect(new Set(spans.filter(({ end }) => end === undefined))).toEqual(open);
    });
    fc.assert(property, { numRuns: 300 });
  });

  test('gives every span a unique id, and none ends before it begins', () => {
    const property = fc.property(anyTrace, (entries) => {
      const { spans } = foldOf(entries);
      expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
      for (const { start, end } of spans) expect(end ?? start).toBeGreaterThanOrEqual(start);
    });
    fc.assert(property, { numRuns: 200 });
  });
});

test('an additional entry costs the same at the end of a long trace as at its beginning', () => {
  const entries = traceFixture({ entries: 20_000, live: true });
  const fold = new SpanFold();
  const costs: number[] = [];
  for (let from = 0; from < entries.length; from += 200) {
    const before = performance.now();
    for (const entry of entries.slice(from, from + 200)) fold.append([entry]);
    costs.push(performance.now() - before);
  }
  // The minimum of many runs is free of other load on the machine.
  const least = (part: readonly number[]) => Math.min(...part);
  expect(least(costs.slice(-40))).toBeLessThan(least(costs.slice(10, 50)) * 5 + 1);
});

describe('an end that a person chose is not a failure', () => {
  const run = (...end: readonly TraceEntry[]) =>
    outline(foldOf([at(0, { type: 'task_start' }), of(0, 'agent_start'), of(10, 'model_call', { step: 1 }), ...end]));

  test('a cancelled run has cancelled turns, and calls without a result', () => {
    const lines = run(at(50, { type: 'task_summary', error_code: 'cancelled' }));
    expect(lines.map((line) => line.trim().split(' ').at(-1))).toEqual(['cancelled', 'cancelled', 'cancelled', 'unknown']);
  });

  test('a denied run has denied turns and calls', () => {
    const lines = run(
      of(20, 'model_output', { step: 1 }),
      of(50, 'tool_error', { step: 1, tool: 'pay', error_code: 'approval_denied' }),
      of(50, 'agent_error', { error_code: 'approval_denied' }),
      at(50, { type: 'task_summary', error_code: 'approval_denied' }),
    );
    expect(lines.map((line) => line.trim().split(' ').at(-1))).toEqual(['denied', 'denied', 'denied', 'ok', 'denied']);
  });
});
