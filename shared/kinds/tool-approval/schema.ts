// Shapes of ToolApproval: one tool call that needs approval, bound to its exact input.
import { z } from 'zod';
import { commonStatus, duration, integer, requiredText, text } from '../fields.ts';
import { needsOtherStatus } from '../needs-other.ts';
import { ANSWERED, CALL_OUTCOMES } from './outcomes.ts';

export const TOOL_APPROVAL_PHASES = ['Pending', 'Approved', 'Denied', 'Expired'] as const;

export const toolApprovalSpec = z.strictObject({
  task_ref: requiredText('The Task whose call waits, as name or namespace/name.', { format: 'ref:Task' }),
  tool: requiredText('The Tool to be called.', { format: 'ref:Tool' }),
  operation_class: text('The operation class of the call that needed the approval.'),
  agent: text('The Agent that wants to call the tool.', { format: 'ref:Agent' }),
  input: text('The input of the call, as JSON text.'),
  input_hash: text('Hash of the canonical JSON of the input: the approval is valid for exactly this input.'),
  reason: text('Reason for the approval.'),
  ttl: duration('How long a decision may take before the approval expires.', { defaultText: '10m' }),
});

export const toolApprovalStatus = z.strictObject({
  ...commonStatus,
  decision: z.enum(['approved', 'denied']).optional().meta({ description: 'What was decided.' }),
  decided_by: text('Who decided.'),
  on_behalf_of: text('Person for whom the decider decided, by their own statement; absent when they decided for themselves.'),
  decided_at: text('When it was decided.', { format: 'date-time' }),
  comment: text('Comment of the reviewer.'),
  outcome: z
    .enum([...CALL_OUTCOMES, ANSWERED])
    .optional()
    .meta({
      description:
        'Outcome of the call, as the decider reported it; answered: it was not made, and the model gets the output of the decider.',
    }),
  output: text('With outcome done or answered: the answer that the model gets.'),
  edited_input: text('The input the reviewer approved instead of the original, as JSON text.'),
  decision_record: integer('Number of the signed decision record (`GET /v1/decisions`).'),
  ...needsOtherStatus,
  expires_at: text('When the approval expires without a decision.', { format: 'date-time' }),
  closed_at: text('When it was decided, expired, or was closed with its run.', { format: 'date-time' }),
});

export type WrittenToolApprovalSpec = z.infer<typeof toolApprovalSpec>;
export type ToolApprovalStatus = z.infer<typeof toolApprovalStatus>;
