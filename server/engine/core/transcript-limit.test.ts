// Conversations of agents that outgrow every model.
import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot, simulate } from '../../testing/simulate-run.ts';

test.each([
  ['results of tools', { output: 'x'.repeat(1024 * 1024), input: {} }],
  ['arguments of calls', { output: 'short', input: { text: 'x'.repeat(1024 * 1000) } }],
])('a turn ends with conversation_too_long when its %s have too many characters', (_, { output, input }) => {
  const agents = [agentSnapshot('solo', { tools: ['t'], maxSteps: 100 })];
  const { journal, state } = simulate(runSnapshot({ agents }), {
    world: {
      model: ({ agentStep }) => ({
        toolCalls: [1, 2, 3, 4].map((n) => ({ id: `c${n}`, name: 't', arguments: JSON.stringify({ ...input, n, agentStep }) })),
      }),
      tool: () => output,
    },
  });
  expect(state.end).toMatchObject({ phase: 'Failed', failure: { code: 'conversation_too_long', retryable: false } });
  expect(journal.filter(({ type }) => type === 'model.requested').length).toBeLessThan(12);
});
