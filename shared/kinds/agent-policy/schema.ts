// Shapes of AgentPolicy: limits on the runs of systems and tasks.
import { z } from 'zod';
import { commonStatus, integer, names, text } from '../fields.ts';

export const POLICY_APPLY_MODES = ['scoped', 'global'] as const;

export const agentPolicySpec = z.strictObject({
  max_tokens_per_run: integer(
    'Tokens one Task may use, all branches and attempts counted together; of several policies the smallest limit holds. Absent or 0 sets no limit.',
  ),
  allowed_models: names(
    'The only models a governed run may use, by the name that is sent: the default_model of a ModelEndpoint, else its own name. Compared exactly. Absent or empty allows every model.',
  ),
  blocked_tools: names('Tools a governed run may never call, even if other rules allow them.', { format: 'ref:Tool' }),
  apply_mode: text('`scoped` governs the runs of the listed targets, `global` every run whose Task or AgentSystem is in the namespace.', {
    defaultText: 'scoped',
    values: POLICY_APPLY_MODES,
  }),
  target_systems: names('AgentSystems this policy governs when scoped.', { format: 'ref:AgentSystem' }),
  target_tasks: names('Tasks this policy governs when scoped, by their own name: a schedule or a retry makes Tasks of other names.', {
    format: 'ref:Task',
  }),
});

export const agentPolicyStatus = z.strictObject(commonStatus);

export type WrittenAgentPolicySpec = z.infer<typeof agentPolicySpec>;
