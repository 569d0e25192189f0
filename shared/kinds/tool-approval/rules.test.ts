import { expect, test } from 'vitest';
import { normalizeToolApproval, toolApprovalReferences } from './rules.ts';

test('references are the task, which may be of another namespace, the tool and the agent', () => {
  const spec = { task_ref: 'team-b/nightly', tool: 'mail', agent: 'writer' };
  expect(toolApprovalReferences(normalizeToolApproval(spec), { namespace: 'team-a', name: 'approval-1' })).toEqual([
    { kind: 'Task', namespace: 'team-b', name: 'nightly', path: 'spec.task_ref' },
    { kind: 'Tool', namespace: 'team-a', name: 'mail', path: 'spec.tool' },
    { kind: 'Agent', namespace: 'team-a', name: 'writer', path: 'spec.agent' },
  ]);
});
