import { expect, test } from 'vitest';
import { normalizeTaskApproval, taskApprovalReferences } from './rules.ts';

test('references are the task, the agent and the approval it supersedes', () => {
  const spec = { task_ref: 'team-b/nightly', checkpoint_id: 'draft', agent: 'writer', supersedes: 'nightly-draft-1' };
  expect(taskApprovalReferences(normalizeTaskApproval(spec), { namespace: 'team-a', name: 'nightly-draft-2' })).toEqual([
    { kind: 'Task', namespace: 'team-b', name: 'nightly', path: 'spec.task_ref' },
    { kind: 'Agent', namespace: 'team-a', name: 'writer', path: 'spec.agent' },
    { kind: 'TaskApproval', namespace: 'team-a', name: 'nightly-draft-1', path: 'spec.supersedes' },
  ]);
});

test('an answer of false to allow_request_changes is kept, not taken for absent', () => {
  expect(normalizeTaskApproval({ task_ref: 'a', checkpoint_id: 'b', allow_request_changes: false }).allow_request_changes).toBe(false);
});
