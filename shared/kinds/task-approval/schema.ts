// Shapes of TaskApproval: an output of a run that needs review.
import { z } from 'zod';
import { anyObject, commonStatus, duration, flag, integer, requiredText, text } from '../fields.ts';
import { needsOtherStatus } from '../needs-other.ts';

export const TASK_APPROVAL_PHASES = ['Pending', 'Approved', 'Denied', 'ChangesRequested', 'Expired'] as const;
export const CHECKPOINT_TYPES = ['agent_output', 'task_output'] as const;
export const OUTPUT_FORMATS = ['text', 'json'] as const;

export const taskApprovalSpec = z.strictObject({
  task_ref: requiredText('The Task under review, as name or namespace/name.', { format: 'ref:Task' }),
  checkpoint_id: requiredText('The review point of the AgentSystem.'),
  checkpoint_type: text('Whether the output of an agent or of the whole task is reviewed.', { values: CHECKPOINT_TYPES }),
  agent: text('The Agent whose output is reviewed.', { format: 'ref:Agent' }),
  reason: text('Reason for the review.'),
  ttl: duration('How long a decision may take before the approval expires.', { defaultText: '10m' }),
  allow_request_changes: flag('Whether the reviewer may send the work back.', { defaultText: 'true' }),
  max_review_cycles: integer('The review cycle from which work can no longer be sent back.', { defaultText: '3' }),
  review_cycle: integer('Which review of this checkpoint this is, counted from 1.', { defaultText: '1' }),
  supersedes: text('The TaskApproval of the review cycle before.', { format: 'ref:TaskApproval' }),
  output: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .optional()
    .meta({ description: 'The output under review, text or an object, frozen when the review was requested.' }),
  output_format: text('How to read the output.', { values: OUTPUT_FORMATS }),
  resume_context: anyObject('State that the runtime needs to continue; owned by the runtime.'),
});

export const taskApprovalStatus = z.strictObject({
  ...commonStatus,
  decision: z.enum(['approved', 'denied', 'request_changes']).optional().meta({ description: 'What was decided.' }),
  decided_by: text('Who decided.'),
  on_behalf_of: text('The person named in the request, if not the caller.'),
  decided_at: text('When it was decided.', { format: 'date-time' }),
  comment: text('Comment of the reviewer; required to request changes, and then sent to the agent.'),
  decision_record: integer('Number of the signed decision record (`GET /v1/decisions`).'),
  ...needsOtherStatus,
  expires_at: text('When the approval expires without a decision.', { format: 'date-time' }),
  closed_at: text('When it was decided, expired, or was closed with its run.', { format: 'date-time' }),
});

export type WrittenTaskApprovalSpec = z.infer<typeof taskApprovalSpec>;
export type TaskApprovalStatus = z.infer<typeof taskApprovalStatus>;
