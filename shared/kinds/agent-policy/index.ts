// The kind AgentPolicy.
import { defineKind } from '../define.ts';
import { agentPolicyReferences, normalizeAgentPolicy, validateAgentPolicy } from './rules.ts';
import { agentPolicySpec, agentPolicyStatus } from './schema.ts';

export const agentPolicy = defineKind({
  kind: 'AgentPolicy',
  plural: 'agent-policies',
  area: 'access',
  icon: 'ScrollText',
  shortNames: ['agent-policy', 'agentpolicies', 'policy', 'policies', 'ap'],
  description:
    'Limits on what runs may use: a token budget, allowed models and blocked tools, for chosen systems and tasks or for all of a namespace. Nothing lifts them: what an Agent allows in advance is still denied.',
  spec: agentPolicySpec,
  status: agentPolicyStatus,
  normalize: normalizeAgentPolicy,
  validate: validateAgentPolicy,
  references: agentPolicyReferences,
  namesMissing: true,
  columns: [
    { title: 'Mode', path: 'spec.apply_mode' },
    { title: 'Max tokens', path: 'spec.max_tokens_per_run' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Blocked tools', path: 'spec.blocked_tools', wide: true },
    { title: 'Allowed models', path: 'spec.allowed_models', wide: true },
  ],
  audited: true,
  keepsVersions: true,
  verdictPart: 'rule',
  applyOrder: 44,
});
