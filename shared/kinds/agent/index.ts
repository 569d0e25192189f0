// The kind Agent.
import { defineKind } from '../define.ts';
import { agentReferences, normalizeAgent, validateAgent } from './rules.ts';
import { agentSpec, agentStatus } from './schema.ts';

export const agent = defineKind({
  kind: 'Agent',
  plural: 'agents',
  area: 'agents',
  icon: 'Bot',
  shortNames: ['agent', 'ag'],
  description: 'One participant of a system: a prompt, a model, the tools it may use and the limits of its turn.',
  spec: agentSpec,
  status: agentStatus,
  normalize: normalizeAgent,
  validate: validateAgent,
  references: agentReferences,
  namesMissing: true,
  columns: [
    { title: 'Model', path: 'spec.model_ref' },
    { title: 'Tools', path: 'spec.tools' },
    { title: 'Profile', path: 'spec.execution.profile' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Max steps', path: 'spec.limits.max_steps', wide: true },
    { title: 'Memory', path: 'spec.memory.ref', wide: true },
    { title: 'Roles', path: 'spec.roles', wide: true },
  ],
  audited: true,
  keepsVersions: true,
  countsRuns: true,
  renamable: true,
  verdictPart: 'agent',
  applyOrder: 50,
});
