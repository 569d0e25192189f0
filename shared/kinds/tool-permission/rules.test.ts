import { expect, test } from 'vitest';
import { normalizeToolPermission, toolPermissionReferences } from './rules.ts';

const context = { namespace: 'team-a', name: 'mail' };

test('a permission without tool_ref governs, and refers to, the tool of its own name', () => {
  const spec = normalizeToolPermission({ target_agents: ['writer', 'team-b/writer'] }, context);
  expect(toolPermissionReferences(spec, context)).toEqual([
    { kind: 'Tool', namespace: 'team-a', name: 'mail', path: 'spec.tool_ref' },
    { kind: 'Agent', namespace: 'team-a', name: 'writer', path: 'spec.target_agents[0]' },
    { kind: 'Agent', namespace: 'team-b', name: 'writer', path: 'spec.target_agents[1]' },
  ]);
});

test('a tool_ref once stored does not follow the name of another object', () => {
  const stored = normalizeToolPermission({}, context);
  expect(normalizeToolPermission(stored, { namespace: 'team-a', name: 'copy' }).tool_ref).toBe('mail');
});
