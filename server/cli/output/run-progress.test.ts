// A run's progress lines, from trace entries as the API sends them.
import { describe, expect, it } from 'vitest';
import type { Resource } from '@svc/shared/resource';
import type { TraceEntry } from '../api/trace-entry.ts';
import { stepView } from './step-view.ts';
import { createProgress, outcomeLines } from './run-progress.ts';
import { createStyle } from './style.ts';
import { traceTree } from './trace-tree.ts';

const plain = createStyle(false);
const at = (ms: number, entry: Omit<TraceEntry, 'timestamp'>): TraceEntry => ({
  timestamp: new Date(Date.UTC(2026, 0, 1) + ms).toISOString(),
  ...entry,
});

const planner = { agent: 'planner', branch_id: 'b001' };
const writer = { agent: 'writer', branch_id: 'b001' };
const RUN: TraceEntry[] = [
  at(0, { type: 'agent_start', ...planner, message: 'turn 1' }),
  at(0, { type: 'model_call', step_id: 'a001.s0001', ...planner }),
  at(3, { type: 'model_output', step_id: 'a001.s0001', ...planner, latency_ms: 3, tokens: 42, output: 'looking it up' }),
  at(5, {
    type: 'tool_call',
    step_id: 'a001.s0001',
    ...planner,
    tool: 'search',
    tool_request_id: 'r1',
    input: { query: 'tides' },
    output: 'the Moon',
    latency_ms: 2,
  }),
  at(9, { type: 'agent_end', ...planner, output: 'the plan' }),
  at(9, { type: 'agent_message_processed', ...planner }),
  at(9, { type: 'agent_message', agent: 'planner', branch_id: 'b001.001', message: 'planner -> writer' }),
  at(10, { type: 'agent_start', ...writer }),
  at(1_250, { type: 'agent_error', ...writer, error_code: 'timeout', message: 'the model did not answer' }),
];

const task = (status: Record<string, unknown>): Resource =>
  ({ metadata: { name: 't', createdAt: '2026-01-01T00:00:00.000Z' }, status }) as unknown as Resource;

describe('progress', () => {
  it('shows where a call ran that did not run in the worker', () => {
    const call = { tool: 'resize', input: { width: 10 }, isolation: { mode: 'sandboxed', backend: 'docker' }, latency_ms: 2 };
    const done = at(1, { type: 'tool_call', ...planner, ...call, output: 'done' });
    const failed = at(2, { type: 'tool_error', ...planner, ...call, error_code: 'timeout', message: 'too slow' });
    const details = [done, failed].map((entry) => stepView(entry)?.detail);
    expect(details).toEqual(['resize (isolation sandboxed) {"width":10} → done', 'resize (isolation sandboxed) timeout: too slow']);
  });

  it('shows beside an output that max_turns ended the branch', () => {
    const ended = at(1, { type: 'agent_end', ...planner, output: 'a draft', message: 'max_turns reached: the branch ends here' });
    expect(stepView(ended)?.detail).toBe('max_turns reached: the branch ends here · a draft');
  });

  it('shows each step with the time since the start, the agent, the kind of step and its duration', () => {
    const progress = createProgress(plain, 100);
    const lines = RUN.flatMap(progress.step);
    expect(lines).toEqual([
      '   0.000s  planner       ▸ agent starts                 turn 1',
      '   0.000s  planner       ◇ model call',
      '   0.003s  planner       ◆ model answer           3 ms  42 tokens · looking it up',
      '   0.005s  planner       ⚙ tool call              2 ms  search {"query":"tides"} → the Moon',
      '   0.009s  planner       ✓ agent done             9 ms  the plan',
      '   0.009s  planner       → hand-over                    planner → writer',
      '   0.010s  writer        ▸ agent starts',
      '   1.250s  writer        ✗ agent failed         1.24 s  timeout: the model did not answer',
    ]);
  });

  it('keeps lines within the width of the terminal', () => {
    const progress = createProgress(plain, 80);
    const [line = ''] = progress.step(at(0, { type: 'agent_end', agent: 'a', output: 'x'.repeat(500), latency_ms: 3 }));
    expect(line.length).toBeLessThanOrEqual(80);
  });

  it('prints a failure in full once, and by its code in the entries that follow from it', () => {
    const failure = { ...planner, error_code: 'auth_invalid', message: 'the key was refused' };
    const lines = [at(0, { type: 'agent_error', ...failure }), at(0, { type: 'agent_message_deadletter', ...failure })].flatMap(
      createProgress(plain, 100).step,
    );
    expect(lines).toEqual([
      '   0.000s  planner       ✗ agent failed                 auth_invalid: the key was refused',
      '   0.000s  planner       ✗ dead letter                  auth_invalid',
    ]);
  });

  it('prints an unknown type instead of hiding it', () => {
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

  it('reports why a run failed', () => {
    expect(outcomeLines(task({ phase: 'Failed', reason: 'approval_denied', lastError: 'ToolApproval x was denied' }), plain)).toEqual([
      '✗ Failed',
      '  approval_denied: ToolApproval x was denied',
    ]);
  });
});

describe('trace tree', () => {
  it('hangs the steps of an agent turn below the agent, each call once', () => {
    expect(traceTree(RUN, { style: plain, columns: 100 })).toEqual([
      '├─ planner  b001  9 ms',
      '│  ├─ ◆ model answer          3 ms       42 tokens · looking it up',
      '│  ├─ ⚙ tool call             2 ms       search {"query":"tides"} → the Moon',
      '│  ├─ ✓ agent done                       the plan',
      '│  └─ → hand-over                        planner → writer',
      '└─ writer  b001  1.24 s',
      '   └─ ✗ agent failed                     timeout: the model did not answer',
    ]);
  });

  it('keeps a call that has no answer yet', () => {
    expect(traceTree(RUN.slice(0, 2), { style: plain, columns: 100 }).at(-1)).toBe('   └─ ◇ model call');
  });
});
