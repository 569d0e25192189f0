import { expect, test } from 'vitest';
import { agentPolicyReferences, normalizeAgentPolicy } from './rules.ts';

test('references are the blocked tools and the targets, each at its entry', () => {
  const spec = {
    allowed_models: ['fast'],
    blocked_tools: ['shell'],
    target_systems: ['research', 'team-b/research'],
    target_tasks: ['nightly'],
  };
  expect(agentPolicyReferences(normalizeAgentPolicy(spec), { namespace: 'team-a', name: 'limits' })).toEqual([
    { kind: 'Tool', namespace: 'team-a', name: 'shell', path: 'spec.blocked_tools[0]' },
    { kind: 'AgentSystem', namespace: 'team-a', name: 'research', path: 'spec.target_systems[0]' },
    { kind: 'AgentSystem', namespace: 'team-b', name: 'research', path: 'spec.target_systems[1]' },
    { kind: 'Task', namespace: 'team-a', name: 'nightly', path: 'spec.target_tasks[0]' },
  ]);
});

test('a policy without targets refers to nothing', () => {
  expect(agentPolicyReferences(normalizeAgentPolicy({}), { namespace: 'team-a', name: 'limits' })).toEqual([]);
});
