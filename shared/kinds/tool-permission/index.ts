// The kind ToolPermission.
import { defineKind } from '../define.ts';
import { normalizeToolPermission, toolPermissionReferences, validateToolPermission } from './rules.ts';
import { toolPermissionSpec, toolPermissionStatus } from './schema.ts';

export const toolPermission = defineKind({
  kind: 'ToolPermission',
  plural: 'tool-permissions',
  area: 'access',
  icon: 'ShieldCheck',
  shortNames: ['tool-permission', 'toolpermissions', 'permission', 'permissions', 'tp'],
  description:
    'Governs calls of one Tool: the permissions they need, and by operation class whether they are allowed, denied or need an approval. Of several that govern a call the strictest verdict wins.',
  spec: toolPermissionSpec,
  status: toolPermissionStatus,
  normalize: normalizeToolPermission,
  validate: validateToolPermission,
  references: toolPermissionReferences,
  namesMissing: true,
  columns: [
    { title: 'Tool', path: 'spec.tool_ref' },
    { title: 'Mode', path: 'spec.apply_mode' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Action', path: 'spec.action', wide: true },
    { title: 'Match', path: 'spec.match_mode', wide: true },
    { title: 'Permissions', path: 'spec.required_permissions', wide: true },
    { title: 'Agents', path: 'spec.target_agents', wide: true },
  ],
  audited: true,
  keepsVersions: true,
  verdictPart: 'rule',
  applyOrder: 42,
});
