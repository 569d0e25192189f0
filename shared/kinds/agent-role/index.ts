// The kind AgentRole.
import { defineKind } from '../define.ts';
import { normalizeAgentRole } from './rules.ts';
import { agentRoleSpec, agentRoleStatus } from './schema.ts';

export const agentRole = defineKind({
  kind: 'AgentRole',
  plural: 'agent-roles',
  area: 'access',
  icon: 'UserCog',
  shortNames: ['agent-role', 'agentroles', 'role', 'roles', 'ar'],
  description: 'A named set of permissions. Agents bound to the role may call tools whose ToolPermission requires these permissions.',
  spec: agentRoleSpec,
  status: agentRoleStatus,
  normalize: normalizeAgentRole,
  columns: [
    { title: 'Permissions', path: 'spec.permissions' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Description', path: 'spec.description', wide: true },
  ],
  audited: true,
  keepsVersions: true,
  verdictPart: 'rule',
  applyOrder: 40,
});
