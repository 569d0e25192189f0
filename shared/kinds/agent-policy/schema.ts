// Shapes of AgentPolicy: limits on the runs of systems and tasks. Source: SPEC "AgentPolicy".
import { z } from 'zod';
import { commonStatus, integer, names, text } from '../fields.ts';

export const POLICY_APPLY_MODES = ['scoped', 'global'] as const;

export const agentPolicySpec = z.strictObject({
  max_tokens_per_run: integer('Tokens one Task may use, all attempts counted together. Absent or 0 sets no limit.'),
  allowed_models: names('The only models a governed run may use. Absent or empty allows every model.'),
  blocked_tools: names('Tools a governed run may never call.', { format: 'ref:Tool' }),
  apply_mode: text('`scoped` governs the listed targets, `global` every run of the namespace.', {
    defaultText: 'scoped',
    values: POLICY_APPLY_MODES,
  }),
  target_systems: names('AgentSystems this policy governs when scoped.', { format: 'ref:AgentSystem' }),
  target_tasks: names('Tasks this policy governs when scoped.', { format: 'ref:Task' }),
});

export const agentPolicyStatus = z.strictObject(commonStatus);

export type AgentPolicySpec = z.infer<typeof agentPolicySpec>;
export type AgentPolicyStatus = z.infer<typeof agentPolicyStatus>;
