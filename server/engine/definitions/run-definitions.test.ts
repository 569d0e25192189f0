import { expect, test } from 'vitest';
import { agentSnapshot, runSnapshot } from '../../testing/simulate-run.ts';
import { toolSpec } from '../../testing/specs.ts';
import { runDefinitions } from './run-definitions.ts';

const agent = { ...agentSnapshot('a'), prompt: 'Be kind.', tools: ['search'] };
const frozen = (endpoint: string) => {
  const spec = toolSpec({ description: 'Finds.', endpoint, auth: { secretRef: 'key-of-search' } });
  return runDefinitions(2, { ...runSnapshot({ agents: [agent] }), tools: { search: { namespace: 'n', name: 'search', spec } } });
};

test('definitions hold prompt, model, tools and graph of the attempt', () => {
  expect(frozen('https://inner/')).toMatchObject({
    attempt: 2,
    system: { generation: expect.any(Number), graph: { nodes: expect.any(Object) } },
    agents: [{ name: 'a', prompt: 'Be kind.', tools: ['search'], settings: { maxSteps: expect.any(Number) } }],
    tools: [{ name: 'search', description: 'Finds.', fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }],
  });
});

test('an endpoint and the name of a Secret stay on the server, and a change of them changes the fingerprint', () => {
  const [before, after] = [frozen('https://inner/'), frozen('https://other/')];
  expect(JSON.stringify(before)).not.toMatch(/inner|key-of-search/);
  expect(before.tools[0]?.fingerprint).not.toBe(after.tools[0]?.fingerprint);
  expect(frozen('https://inner/').tools[0]?.fingerprint).toBe(before.tools[0]?.fingerprint);
});
