// Elements of a Task's records: trace, history, messages, their idempotency, join states.
import { z } from 'zod';
import { flag, group, integer, names, text } from '../fields.ts';

export const TRACE_TYPES = [
  'task_start',
  'task_takeover',
  'agent_start',
  'agent_end',
  'agent_error',
  'agent_message',
  'agent_message_received',
  'agent_message_processed',
  'agent_message_join_wait',
  'agent_message_retry_scheduled',
  'agent_message_non_retryable',
  'agent_message_deadletter',
  'model_call',
  'call_resent',
  'model_output',
  'model_error',
  'model_resolution_error',
  'tool_call',
  'tool_error',
  'tool_permission_denied',
  'tool_approval_pending',
  'tool_approval_resolved',
  'task_approval_pending',
  'task_approval_resolved',
  'breakpoint_reached',
  'breakpoint_resolved',
  'policy_violation',
  'token_budget_exceeded',
  'agent_contract_violation',
  'contract_warning',
  'task_summary',
] as const;

export const HISTORY_TYPES = [
  'claim',
  'running',
  'takeover',
  'waiting_approval',
  'paused',
  'breakpoint',
  'resumed',
  'retry_scheduled',
  'succeeded',
  'failed',
  'deadletter',
  'cancelled',
  'released',
] as const;

export const BREAKPOINT_PLACES = ['before', 'after'] as const;

export const JOIN_STEPS = ['waiting', 'released', 'skipped', 'failed'] as const;

export const MESSAGE_TYPES = ['task_start', 'task_handoff'] as const;
export const MESSAGE_PHASES = ['Queued', 'Running', 'RetryPending', 'Succeeded', 'DeadLetter', 'Skipped'] as const;

const timestamp = (description: string) => z.string().meta({ description, format: 'date-time' });
const count = (description: string) => z.int().meta({ description });
const word = (description: string) => z.string().meta({ description });
const number = (description: string) => z.number().optional().meta({ description });
const anything = (description: string) => z.unknown().optional().meta({ description });

export const traceEntry = z.strictObject({
  timestamp: timestamp('When it happened.'),
  step_id: text('Attempt and step, `a001.s0003`.'),
  attempt: integer('Attempt of the task, from 1.'),
  step: integer('Step within the attempt, from 1.'),
  branch_id: text('Branch of the graph, `b001`, children `b001.001`.'),
  type: z.enum(TRACE_TYPES).meta({ description: 'What happened.' }),
  agent: text('The agent concerned.', { format: 'ref:Agent' }),
  to_agent: text('The agent a message goes to.', { format: 'ref:Agent' }),
  from_agent: text('The agent whose message arrived at a join.', { format: 'ref:Agent' }),
  join: text('State of a join after this entry.', { values: JOIN_STEPS }),
  worker: text('The worker that took the task over.', { format: 'ref:Worker' }),
  from_worker: text('The worker that lost it.', { format: 'ref:Worker' }),
  tool: text('The tool concerned.', { format: 'ref:Tool' }),
  tool_contract_version: text('Version of the tool protocol spoken.'),
  tool_request_id: text('Stable id of the tool call.'),
  tool_attempt: integer('Attempt of the tool call, from 1.'),
  error_code: text('Machine-readable code of the error.'),
  error_reason: text('Machine-readable detail of the error.'),
  retryable: flag('Whether a retry may succeed.'),
  message: text('What happened, for people.'),
  input: anything('Input, redacted and cut at 64 KiB.'),
  output: anything('Output, redacted and cut at 64 KiB.'),
  truncated: flag('Whether input or output was cut.'),
  latency_ms: number('How long it took.'),
  tokens: integer('Tokens in and out together.'),
  input_tokens: integer('Tokens sent to the model.'),
  output_tokens: integer('Tokens the model wrote.'),
  cached_input_tokens: integer('How many of the input tokens came from the provider’s cache; absent when it does not say.'),
  model: text('The model that answered, as its provider names it.'),
  finish_reason: text('Why the model stopped.'),
  asked_tools: names('The tools that the answer calls, one for each call.'),
  cost_usd: number('What it cost.'),
  token_usage_source: text('Who counted the tokens.', { values: ['provider', 'estimated'] }),
  tool_code: text('Code of a governance decision.'),
  tool_reason: text('Reason of a governance decision.'),
  tool_auth_profile: text('How the tool call was authenticated.'),
  tool_auth_secret_ref: text('Name of the Secret used, never its value.', { format: 'ref:Secret' }),
  rule: group('The rule that decided: an object and the place in it, or a default of the server.', {
    kind: text('Kind of the object, or `default`.'),
    namespace: text('Namespace of the object.'),
    name: text('Name of the object.'),
    path: text('Place in the object, `spec.operation_rules[1]`.'),
  }),
  approval: text('The ToolApproval or TaskApproval concerned.'),
  decision: text('What was decided: approved, denied, request_changes or expired.'),
  decision_record: integer('Number of the signed decision record.'),
  edited_input: anything('The input a reviewer approved in place of the model’s, cut at 64 KiB.'),
  reviewer: text('Who decided an approval.'),
  comment: text('Comment of the reviewer.'),
  trial: flag('With the start of an attempt: the run is a trial.'),
  pinned: text('With an output that replaced the turn of the agent: the earlier Task of the output, or `spec`.'),
  breakpoint: text('Place of a breakpoint.', { values: BREAKPOINT_PLACES }),
  turn_id: text('The turn that waits at a breakpoint; `at` of a request to continue it.'),
  isolation: z.record(z.string(), z.unknown()).optional().meta({ description: 'Effective facts of the sandbox the tool ran in.' }),
});

export const historyEntry = z.strictObject({
  timestamp: timestamp('When it happened.'),
  type: z.enum(HISTORY_TYPES).meta({ description: 'What happened.' }),
  worker: text('The worker concerned.', { format: 'ref:Worker' }),
  message: text('What happened, for people.'),
});

export const messageEntry = z.strictObject({
  timestamp: timestamp('When it was queued.'),
  message_id: word('Deterministic id of the message.'),
  idempotency_key: word('Equal for every delivery of the same message.'),
  task_id: word('The Task, as namespace/name.'),
  attempt: count('Attempt of the task, from 1.'),
  system: word('The AgentSystem.'),
  from_agent: text('The agent that sent it; absent for the first ones.', { format: 'ref:Agent' }),
  to_agent: z.string().meta({ description: 'The agent it goes to.', format: 'ref:Agent' }),
  branch_id: word('Branch of the graph, `b001`, children `b001.001`.'),
  parent_branch_id: text('The branch this one split off from.'),
  type: z.enum(MESSAGE_TYPES).meta({ description: 'The start of a task, or one agent handing over to the next.' }),
  content: word('What it says, cut at 64 KiB.'),
  truncated: flag('Whether the content was cut.'),
  trace_id: text('Id of the trace it belongs to.'),
  parent_id: text('The message whose processing sent it.'),
  phase: z.enum(MESSAGE_PHASES).meta({ description: 'State of the message.' }),
  attempts: count('Attempts begun.'),
  max_attempts: count('Attempts at most.'),
  last_error: text('The last error, in one sentence.'),
  worker: text('The worker that processed it.', { format: 'ref:Worker' }),
  processed_at: text('When it was processed.', { format: 'date-time' }),
  next_attempt_at: text('Time of the next attempt.', { format: 'date-time' }),
});

export const messageIdempotencyEntry = z.strictObject({
  key: word('The idempotency key of the message.'),
  message_id: word('The message.'),
  state: word('State of its processing.'),
  updated_at: timestamp('When the state last changed.'),
  expires_at: text('Time after which the record may be deleted.', { format: 'date-time' }),
  worker: text('The worker that processes or processed it.', { format: 'ref:Worker' }),
});

export const joinStateEntry = z.strictObject({
  attempt: count('Attempt of the task, from 1.'),
  node: word('The node that joins.'),
  mode: word('wait_for_all or quorum.'),
  expected: count('Sources that may still arrive or have.'),
  quorum_required: count('Sources that must have arrived.'),
  activated: z.boolean().meta({ description: 'Whether the node has been let run.' }),
  activated_at: text('When it was.', { format: 'date-time' }),
  activated_by: text('The source whose message made the join complete.', { format: 'ref:Agent' }),
  sources: z.array(z.unknown()).meta({ description: 'The sources and the state of each.' }),
});

export type TraceEntry = z.infer<typeof traceEntry>;
export type HistoryEntry = z.infer<typeof historyEntry>;
export type MessageEntry = z.infer<typeof messageEntry>;
export type JoinStateEntry = z.infer<typeof joinStateEntry>;
