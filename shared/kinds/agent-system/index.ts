// The kind AgentSystem.
import { defineKind } from '../define.ts';
import { agentSystemReferences, normalizeAgentSystem, validateAgentSystem } from './rules.ts';
import { agentSystemSpec, agentSystemStatus } from './schema.ts';

export const agentSystem = defineKind({
  kind: 'AgentSystem',
  plural: 'agent-systems',
  shortNames: ['agent-system', 'agentsystems', 'system', 'systems', 'as'],
  description: 'Agents and the graph that routes between them: fan-out, joins, cycles and review points. A Task runs a system.',
  spec: agentSystemSpec,
  status: agentSystemStatus,
  normalize: normalizeAgentSystem,
  validate: validateAgentSystem,
  references: agentSystemReferences,
  columns: [
    { title: 'Agents', path: 'spec.agents' },
    { title: 'A2A', path: 'spec.a2a.enabled' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'A2A auth', path: 'spec.a2a.auth', wide: true },
  ],
  applyOrder: 60,
});
