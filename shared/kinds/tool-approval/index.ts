// The kind ToolApproval.
import { defineKind } from '../define.ts';
import { initialToolApprovalStatus, normalizeToolApproval, toolApprovalReferences, validateToolApproval } from './rules.ts';
import { TOOL_APPROVAL_PHASES, toolApprovalSpec, toolApprovalStatus } from './schema.ts';

export const toolApproval = defineKind({
  kind: 'ToolApproval',
  plural: 'tool-approvals',
  area: 'inbox',
  icon: 'UserCheck',
  shortNames: ['tool-approval', 'toolapprovals', 'ta'],
  description:
    'A tool call that needs approval. It is bound to the exact call: approval resumes the run in place; denial, deletion or expiry ends it. ' +
    'A call held by a rule runs with the original or an edited input, or is answered in its place; a call that was lost with its worker needs an outcome: ' +
    'done, not_done or run_again.',
  spec: toolApprovalSpec,
  status: toolApprovalStatus,
  phases: TOOL_APPROVAL_PHASES,
  terminalPhases: ['Approved', 'Denied', 'Expired'],
  normalize: normalizeToolApproval,
  validate: validateToolApproval,
  initialStatus: initialToolApprovalStatus,
  references: toolApprovalReferences,
  columns: [
    { title: 'State', path: 'status.phase' },
    { title: 'Task', path: 'spec.task_ref' },
    { title: 'Tool', path: 'spec.tool' },
    { title: 'Agent', path: 'spec.agent' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Operation', path: 'spec.operation_class', wide: true },
    { title: 'Decided by', path: 'status.decided_by', wide: true },
    { title: 'Expires', path: 'status.expires_at', wide: true },
    { title: 'Closed', path: 'status.closed_at', sort: true, wide: true },
    { title: 'Reason', path: 'spec.reason', wide: true },
  ],
  actions: [
    { action: 'approve', from: ['Pending'] },
    { action: 'deny', from: ['Pending'] },
  ],
  fieldSelectors: ['status.phase', 'spec.task_ref'],
  audited: true,
  serviceManaged: true,
  isRecord: true,
  applyOrder: 85,
});
