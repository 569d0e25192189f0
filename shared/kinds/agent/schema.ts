// Shapes of Agent: a prompt, a model and the tools it may use.
import { z } from 'zod';
import { commonStatus, duration, group, integer, names, requiredText, text } from '../fields.ts';
import { MEMORY_OPERATIONS } from '../tool/built-in.ts';

export const EXECUTION_PROFILES = ['dynamic', 'contract'] as const;
export const DUPLICATE_POLICIES = ['short_circuit', 'deny'] as const;
export const VIOLATION_MODES = ['observe', 'non_retryable_error'] as const;
export const TOOL_USE_BEHAVIORS = ['run_llm_again', 'stop_on_first_tool'] as const;

export const agentSpec = z.strictObject({
  model_ref: requiredText('ModelEndpoint of the agent, as name or namespace/name.', { format: 'ref:ModelEndpoint' }),
  prompt: text('Instruction prompt, sent to the model as the system message.'),
  tools: names('Tools the agent may use.', { format: 'ref:Tool' }),
  allowed_tools: names('Tools authorised in advance, without role or permission checks.', { format: 'ref:Tool' }),
  roles: names('AgentRoles bound to the agent.', { format: 'ref:AgentRole' }),
  memory: group('The memory of the agent, and its operations on it.', {
    ref: text('Memory to attach, as name or namespace/name.', { format: 'ref:Memory' }),
    allow: names('Built-in memory operations the agent may use; needs memory.ref.', { values: MEMORY_OPERATIONS }),
    type: text('Kind of memory; informational.'),
    provider: text('Provider of the memory; informational.'),
  }),
  limits: group('Bounds of one agent turn.', {
    max_steps: integer('Model steps at most.', { defaultText: '10' }),
    timeout: duration('How long one agent turn may take; waiting for approvals does not count.'),
  }),
  execution: group('How strictly the agent runs.', {
    profile: text('`dynamic` lets the model choose; `contract` demands the tools of tool_sequence.', {
      defaultText: 'dynamic',
      values: EXECUTION_PROFILES,
    }),
    tool_sequence: names('Tools that must have run, in any order. Required by profile contract.', { format: 'ref:Tool' }),
    required_output_markers: names('Texts expected in the final output under profile contract; best effort.'),
    duplicate_tool_call_policy: text('What a repeated identical tool call gets: the recorded result with a hint, or an error.', {
      defaultText: 'short_circuit',
      values: DUPLICATE_POLICIES,
    }),
    on_contract_violation: text('`observe` records a violation and continues; `non_retryable_error` ends the run.', {
      defaultText: 'non_retryable_error',
      values: VIOLATION_MODES,
    }),
    tool_use_behavior: text('After a successful tool call: ask the model again, or make the tool output the final output.', {
      defaultText: 'run_llm_again',
      values: TOOL_USE_BEHAVIORS,
    }),
  }),
});

export const agentStatus = z.strictObject(commonStatus);

export type WrittenAgentSpec = z.infer<typeof agentSpec>;
