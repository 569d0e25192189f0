// Arguments of calls with more characters than a tool may be given.
import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot, simulate } from '../../testing/simulate-run.ts';
import { ARGUMENTS_MAX_CHARS, MEMORY_ARGUMENTS_MAX_CHARS } from './limits.ts';

test.each([
  ['http', ARGUMENTS_MAX_CHARS],
  ['memory', MEMORY_ARGUMENTS_MAX_CHARS],
] as const)('a tool of type %s takes arguments of up to %i characters', (type, maxChars) => {
  const name = 'the-tool';
  const base = runSnapshot({ agents: [agentSnapshot('solo', { tools: [name] })] });
  const tool = base.tools[name];
  const snapshot = { ...base, tools: { [name]: { ...tool, spec: { ...tool?.spec, type } } } } as typeof base;
  const ended = (chars: number) => {
    const text = JSON.stringify({ text: '' });
    const request = { id: 'c', name, arguments: JSON.stringify({ text: 'x'.repeat(chars - text.length) }) };
    const { journal } = simulate(snapshot, {
      world: { model: ({ agentStep }) => (agentStep === 1 ? { toolCalls: [request] } : { content: 'done' }), tool: () => 'taken' },
    });
    return journal.find((entry) => entry.type === 'tool.completed' || entry.type === 'tool.failed');
  };
  expect(ended(maxChars)).toMatchObject({ type: 'tool.completed' });
  expect(ended(maxChars + 1)).toMatchObject({ type: 'tool.failed', data: { reason: 'invalid_arguments' } });
});
