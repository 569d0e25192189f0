// Runs to draw at random: graphs without cycles whose agents use tools and fail now and then. For property tests.
import fc from 'fast-check';
import type { Entry } from '../engine/core/entries.ts';
import type { RunSnapshot } from '../engine/core/snapshot.ts';
import { agentSnapshot, runSnapshot, SimulatedFailure, type World } from './simulate-run.ts';

const success = { kind: 'success' } as const;

export interface Case {
  readonly snapshot: RunSnapshot;
  readonly world: World;
}

/** A graph without cycles, some agents that use tools over two steps, and some that fail at one of their steps on the first try. */
export const cases: fc.Arbitrary<Case> = fc
  .record({
    size: fc.integer({ min: 1, max: 6 }),
    edges: fc.array(fc.tuple(fc.nat(5), fc.nat(5)), { maxLength: 10 }),
    tools: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
    /** 0: none. */
    failsAt: fc.array(fc.nat(3), { minLength: 6, maxLength: 6 }),
    tries: fc.integer({ min: 1, max: 3 }),
    onFailure: fc.constantFrom('deadletter', 'skip', 'continue_partial'),
  })
  .map(({ size, edges, tools, failsAt, tries, onFailure }) => {
    const names = Array.from({ length: size }, (_, index) => `a${index}`);
    const nodes = Object.fromEntries(
      names.map((name, index) => {
        const to = [
          ...new Set(edges.filter(([from, target]) => from === index && target > from && target < size).map(([, target]) => `a${target}`)),
        ];
        const join = { mode: 'wait_for_all', quorumCount: 0, quorumPercent: 0, onFailure } as const;
        return [name, { routes: to.map((target) => ({ to: target, labels: {}, condition: success })), join }];
      }),
    );
    const messageRetry = {
      maxAttempts: tries,
      backoffMs: 10,
      maxBackoffMs: 100,
      jitter: 'full',
      nonRetryable: [],
      inherited: false,
    } as const;
    const snapshot = runSnapshot({ agents: names.map((name) => agentSnapshot(name, { tools: ['tool'] })), nodes, task: { messageRetry } });
    const numberOf = (agent: string) => Number(agent.slice(1));
    const world: World = {
      model: ({ agent, agentStep, messageAttempt, user }) => {
        if (failsAt[numberOf(agent)] === agentStep && messageAttempt === 1) return new SimulatedFailure('execution_failed', true);
        const calls = agentStep < 3 ? (tools[numberOf(agent)] ?? 0) : 0;
        if (calls === 0) return { content: `${agent} on ${user.length}` };
        return {
          toolCalls: Array.from({ length: calls }, (_, index) => ({
            id: `c${index}`,
            name: 'tool',
            arguments: `{"n":${agentStep * 10 + index}}`,
          })),
        };
      },
      tool: ({ agent, input }) => `${agent} ${JSON.stringify(input)}`,
    };
    return { snapshot, world };
  });

/** How a run ended; undefined while it has not. */
export const resultOf = (journal: readonly Entry[]) => {
  const last = journal.at(-1);
  if (last?.type === 'run.completed')
    return { phase: 'Succeeded', last: last.data.output['last_output'], tokens: last.data.output['tokens_used_total'] };
  return last?.type === 'run.failed' ? { phase: last.data.phase, code: last.data.code } : undefined;
};
