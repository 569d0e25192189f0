// Trace entries of approvals, reviews and denied calls.
import type { DataOf, EntryOf } from '../core/entries.ts';
import { reviewedOutput } from '../core/review-messages.ts';

export type Fields = Readonly<Record<string, unknown>>;

const until = (ms: number) => new Date(ms).toISOString();

export function callApprovalFields(entry: EntryOf<'approval.requested'> | EntryOf<'approval.resolved'>): Fields {
  const { tool, request_id: tool_request_id, name: approval, reason: tool_reason } = entry.data;
  const call = { tool, tool_request_id, approval, tool_reason };
  if (entry.type === 'approval.resolved') return { ...call, ...resolvedCall(entry.data) };
  const { reason, expires_at, input, rule, operation } = entry.data;
  const asked =
    reason === 'unknown_outcome'
      ? 'must report the outcome of the call'
      : `is asked before the ${operation === undefined ? '' : `${operation} `}call runs`;
  const message = `ToolApproval ${approval}: a person ${asked}, until ${until(expires_at)}`;
  return { ...call, type: 'tool_approval_pending', input, rule, message };
}

function resolvedCall(data: DataOf<'approval.resolved'>): Fields {
  const { name, decision, outcome, edited_input, output, decision_record } = data;
  const words = [decision, outcome, edited_input && 'with edited input'].filter((word) => word !== undefined);
  const message = `ToolApproval ${name}: ${words.join(', ')}`;
  return { type: 'tool_approval_resolved', ...decidedBy(data), decision, decision_record, edited_input, output, message };
}

function decidedBy({ decided_by: reviewer, comment }: { readonly decided_by?: string; readonly comment?: string }): Fields {
  return { reviewer, comment };
}

export function reviewFields(entry: EntryOf<'review.requested'> | EntryOf<'review.resolved'>): Fields {
  const { attempt, branch_id, agent, name: approval, review_cycle, checkpoint_id } = entry.data;
  const place = { attempt, step: 0, branch_id: branch_id || undefined, agent: agent || undefined, approval };
  const cycle = `review ${checkpoint_id}, cycle ${review_cycle}`;
  if (entry.type === 'review.requested') {
    const { output, expires_at, max_review_cycles } = entry.data;
    const what = reviewedOutput({ tag: entry.data });
    const message = `TaskApproval ${approval}: a person reviews ${what}, ${cycle} of at most ${max_review_cycles}, until ${until(expires_at)}`;
    return { ...place, type: 'task_approval_pending', output, message };
  }
  const { decision, decision_record } = entry.data;
  const message = `TaskApproval ${approval}: ${decision}, ${cycle}`;
  return { ...place, type: 'task_approval_resolved', ...decidedBy(entry.data), decision, decision_record, message };
}

/** Governance ended the turn outside a tool call. */
export function refusalType({ code }: DataOf<'turn.refused'>): string {
  return code === 'token_budget_exceeded' ? code : 'policy_violation';
}

/** Separates a call that a rule refused from one that failed. */
export function toolErrorType({ code }: DataOf<'tool.failed'>): string {
  if (code === 'permission_denied') return 'tool_permission_denied';
  return code === 'policy_violation' || code === 'token_budget_exceeded' ? code : 'tool_error';
}
