// The kind ToolApproval.
import { defineKind } from '../define.ts';
import { initialToolApprovalStatus, normalizeToolApproval, toolApprovalReferences, validateToolApproval } from './rules.ts';
import { TOOL_APPROVAL_PHASES, toolApprovalSpec, toolApprovalStatus } from './schema.ts';

export const toolApproval = defineKind({
  kind: 'ToolApproval',
  plural: 'tool-approvals',
  area: 'inbox',
  shortNames: ['tool-approval', 'toolapprovals', 'ta'],
  description:
    'A tool call that waits for a person: it is bound to the exact call, approving resumes the run in place, denying, deletion or expiry ends it. ' +
    'A call that a rule holds back runs as it was asked or with edited input; one that was sent before its worker was lost asks what became of it: ' +
    'done, not_done or run_again.',
  spec: toolApprovalSpec,
  status: toolApprovalStatus,
  phases: TOOL_APPROVAL_PHASES,
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
    { title: 'Reason', path: 'spec.reason', wide: true },
  ],
  actions: [
    { action: 'approve', from: ['Pending'] },
    { action: 'deny', from: ['Pending'] },
  ],
  fieldSelectors: ['status.phase', 'spec.task_ref'],
  audited: true,
  applyOrder: 85,
});
