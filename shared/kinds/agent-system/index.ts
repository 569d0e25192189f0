// The kind AgentSystem.
import { defineKind } from '../define.ts';
import { agentSystemReferences, normalizeAgentSystem, validateAgentSystem } from './rules.ts';
import { agentSystemSpec, agentSystemStatus } from './schema.ts';

export const agentSystem = defineKind({
  kind: 'AgentSystem',
  plural: 'agent-systems',
  area: 'design',
  shortNames: ['agent-system', 'agentsystems', 'system', 'systems', 'sys', 'as'],
  description: 'Agents and the graph that routes output between them: sequences, parallel branches, joins and loops.',
  spec: agentSystemSpec,
  status: agentSystemStatus,
  normalize: normalizeAgentSystem,
  validate: validateAgentSystem,
  references: agentSystemReferences,
  columns: [
    { title: 'Agents', path: 'spec.agents' },
    { title: 'A2A', path: 'spec.a2a.enabled' },
    { title: 'Age', path: 'metadata.createdAt' },
  ],
  audited: true,
  applyOrder: 60,
});
