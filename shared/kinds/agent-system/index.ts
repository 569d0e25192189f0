// The kind AgentSystem.
import { defineKind } from '../define.ts';
import { adviseAgentSystem, agentSystemReferences, normalizeAgentSystem, validateAgentSystem } from './rules.ts';
import { agentSystemSpec, agentSystemStatus } from './schema.ts';

export const agentSystem = defineKind({
  kind: 'AgentSystem',
  plural: 'agent-systems',
  area: 'systems',
  icon: 'Workflow',
  shortNames: ['agent-system', 'agentsystems', 'system', 'systems', 'sys', 'as'],
  description: 'Agents and the graph that routes output between them: sequences, parallel branches, joins and loops.',
  spec: agentSystemSpec,
  status: agentSystemStatus,
  normalize: normalizeAgentSystem,
  validate: validateAgentSystem,
  advise: adviseAgentSystem,
  references: agentSystemReferences,
  namesMissing: true,
  columns: [
    { title: 'Agents', path: 'spec.agents' },
    { title: 'A2A', path: 'spec.a2a.enabled' },
    { title: 'Age', path: 'metadata.createdAt' },
  ],
  audited: true,
  keepsVersions: true,
  countsRuns: true,
  verdictPart: 'system',
  localNames: { list: 'agents', map: 'graph', fields: ['to', 'next'] },
  applyOrder: 60,
});
