// The kind TaskApproval.
import { defineKind } from '../define.ts';
import { initialTaskApprovalStatus, normalizeTaskApproval, taskApprovalReferences, validateTaskApproval } from './rules.ts';
import { TASK_APPROVAL_PHASES, taskApprovalSpec, taskApprovalStatus } from './schema.ts';

export const taskApproval = defineKind({
  kind: 'TaskApproval',
  plural: 'task-approvals',
  area: 'inbox',
  icon: 'ClipboardCheck',
  shortNames: ['task-approval', 'taskapprovals', 'tka'],
  description: 'The output of an agent or of a whole task that waits for a review: approve it, deny it, or send it back with a comment.',
  spec: taskApprovalSpec,
  status: taskApprovalStatus,
  phases: TASK_APPROVAL_PHASES,
  terminalPhases: ['Approved', 'Denied', 'ChangesRequested', 'Expired'],
  normalize: normalizeTaskApproval,
  validate: validateTaskApproval,
  initialStatus: initialTaskApprovalStatus,
  references: taskApprovalReferences,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Task', path: 'spec.task_ref' },
    { title: 'Checkpoint', path: 'spec.checkpoint_id' },
    { title: 'Cycle', path: 'spec.review_cycle' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Agent', path: 'spec.agent', wide: true },
    { title: 'Decided by', path: 'status.decided_by', wide: true },
    { title: 'Expires', path: 'status.expires_at', wide: true },
    { title: 'Closed', path: 'status.closed_at', sort: true, wide: true },
    { title: 'Reason', path: 'spec.reason', wide: true },
  ],
  actions: [
    { action: 'approve', from: ['Pending'] },
    { action: 'deny', from: ['Pending'] },
    { action: 'request-changes', from: ['Pending'] },
  ],
  fieldSelectors: ['status.phase', 'spec.task_ref'],
  audited: true,
  serviceManaged: true,
  isRecord: true,
  applyOrder: 86,
});
