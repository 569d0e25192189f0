// A run's progress lines, from trace entries as the API sends them.
import { describe, expect, it } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import type { TraceEntry } from '../trace-entry.ts';
import { createProgress, outcomeLines } from './run-progress.ts';
import { createStyle } from './style.ts';
import { traceTree } from './trace-tree.ts';

const plain = createStyle(false);
const at = (ms: number, entry: Omit<TraceEntry, 'timestamp'>): TraceEntry => ({
  timestamp: new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
  ...entry,
});

const RUN: TraceEntry[] = [
  at(0, { type: 'agent_start', agent: 'planner', branch_id: 'b001' }),
  at(3, { type: 'model_call', agent: 'planner', branch_id: 'b001', message: 'mock', latency_ms: 3, tokens: 42, output: 'the plan' }),
  at(5, { type: 'tool_call', agent: 'planner', branch_id: 'b001', tool: 'search', input: { query: 'tides' }, latency_ms: 2 }),
  at(6, { type: 'agent_message_received', agent: 'planner', branch_id: 'b001' }),
  at(9, { type: 'agent_end', agent: 'planner', branch_id: 'b001', latency_ms: 9, output: 'the plan' }),
  at(10, { type: 'agent_start', agent: 'writer', branch_id: 'b001' }),
  at(1_250, {
    type: 'agent_error',
    agent: 'writer',
    branch_id: 'b001',
    error_code: 'timeout',
    message: 'the model did not answer',
    latency_ms: 1_240,
  }),
];

const task = (status: Record<string, unknown>): Resource =>
  ({ metadata: { name: 't', createdAt: '2026-01-01T00:00:00.000Z' }, status }) as unknown as Resource;

describe('progress', () => {
  it('shows each step with the time since the start, the agent, what it is and how long it took', () => {
    const progress = createProgress(plain, 100);
    const lines = RUN.flatMap(progress.step);
    expect(lines[0]).toMatch(/^ {3}0\.000s {2}planner {7}▸ agent starts$/);
    expect(lines[2]).toMatch(/^ {3}0\.005s {2}planner {7}⚙ search {16}\{"query":"tides"\} {2}2 ms$/);
    expect(lines[5]).toMatch(/^ {3}1\.250s {2}writer {8}✗ agent failed {10}timeout: the model did not answer {2}1\.24 s$/);
    expect(lines).toHaveLength(6);
  });

  it('keeps lines within the width of the terminal', () => {
    const progress = createProgress(plain, 80);
    const [line = ''] = progress.step(at(0, { type: 'agent_end', agent: 'a', output: 'x'.repeat(500), latency_ms: 3 }));
    expect(line.length).toBeLessThanOrEqual(80);
  });

  it('names a type it does not know instead of hiding it', () => {
    expect(createProgress(plain, 80).step(at(0, { type: 'budget_asked', message: 'more?' }))[0]).toContain('· budget asked');
  });
});

describe('outcome', () => {
  it('gives phase, duration and tokens of a success', () => {
    const succeeded = task({
      phase: 'Succeeded',
      startedAt: '2026-01-01T00:00:00.000Z',
      completedAt: '2026-01-01T00:00:00.214Z',
      output: { tokens_used_total: '812' },
    });
    expect(outcomeLines(succeeded, plain)).toEqual(['✓ Succeeded in 214 ms · 812 tokens']);
  });

  it('says why a run failed', () => {
    expect(outcomeLines(task({ phase: 'Failed', reason: 'approval_denied', lastError: 'ToolApproval x was denied' }), plain)).toEqual([
      '✗ Failed',
      '  approval_denied: ToolApproval x was denied',
    ]);
  });
});

describe('trace tree', () => {
  it('hangs the steps of an agent turn below the agent', () => {
    const lines = traceTree(RUN, { style: plain, columns: 100 });
    expect(lines.map((line) => line.replace(/ {2,}.*/, ''))).toEqual(['├─ planner', '│', '│', '│', '└─ writer', '']);
    expect(lines[0]).toBe('├─ planner  b001  9 ms');
    expect(lines[5]).toMatch(/^ {3}└─ ✗ agent failed +1\.24 s +timeout: the model did not answer$/);
  });
});
