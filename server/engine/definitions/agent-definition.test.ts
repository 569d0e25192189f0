// Definition of an agent as the run froze it, and nothing beyond.
import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot } from '../../testing/simulate-run.ts';
import { agentDefinition } from './agent-definition.ts';
import { toolSpec } from '../../testing/specs.ts';

const agent = { ...agentSnapshot('a'), prompt: 'Be kind.', tools: ['search', 'built-in'] };
const spec = toolSpec({ description: 'Finds.', input_schema: { type: 'object' }, endpoint: 'https://inner/', auth: { secretRef: 's' } });
const snapshot = { ...runSnapshot({ agents: [agent] }), tools: { search: { namespace: 'n', name: 'search', spec } } };

test('prompt and tools are those that the model receives', () => {
  expect(agentDefinition(snapshot, 'a')).toMatchObject({
    agent: 'a',
    prompt: 'Be kind.',
    tools: [{ name: 'search', description: 'Finds.', input_schema: { type: 'object' } }, { name: 'built-in' }],
  });
  expect(JSON.stringify(agentDefinition(snapshot, 'a'))).not.toMatch(/inner|secretRef/);
});

test('a definition with labelled routes holds the tool that chooses one', () => {
  const agents = [agentSnapshot('a'), agentSnapshot('b')];
  const routed = runSnapshot({ agents, nodes: { a: { routes: [{ to: 'b', labels: { lane: 'x' }, condition: { kind: 'success' } }] } } });
  expect(agentDefinition(routed, 'a')?.choice).toMatchObject({ name: 'route.choose', input_schema: { required: ['route'] } });
  expect(agentDefinition(routed, 'b')).not.toHaveProperty('choice');
});

test.each(['nobody', 'constructor', '__proto__'])('there is none of %s', (name) => {
  expect(agentDefinition(snapshot, name)).toBeUndefined();
});
