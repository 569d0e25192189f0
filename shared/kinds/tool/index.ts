// The kind Tool.
import { defineKind } from '../define.ts';
import { normalizeTool } from './normalize.ts';
import { adviseTool, toolAdminOnly, toolReferences, toolServerRules, validateTool } from './rules.ts';
import { toolSpec, toolStatus } from './schema.ts';

export const tool = defineKind({
  kind: 'Tool',
  plural: 'tools',
  area: 'tools',
  icon: 'Wrench',
  shortNames: ['tool', 'tl'],
  description: 'Something an agent may call: its endpoint, input schema, risk and runtime settings.',
  spec: toolSpec,
  status: toolStatus,
  normalize: normalizeTool,
  derivedDefaults: ['input_schema', 'operation_classes', 'runtime.isolation_mode', 'runtime.on_unknown_outcome', 'auth.profile'],
  validate: validateTool,
  advise: adviseTool,
  serverRules: toolServerRules,
  adminOnly: toolAdminOnly,
  references: toolReferences,
  namesMissing: true,
  columns: [
    { title: 'Type', path: 'spec.type' },
    { title: 'Risk', path: 'spec.risk_level' },
    { title: 'Operations', path: 'spec.operation_classes' },
    { title: 'Age', path: 'metadata.createdAt' },
    { title: 'Isolation', path: 'spec.runtime.isolation_mode', wide: true },
    { title: 'Timeout', path: 'spec.runtime.timeout', wide: true, sort: false },
    { title: 'Endpoint', path: 'spec.endpoint', wide: true },
  ],
  audited: true,
  keepsVersions: true,
  verdictPart: 'tool',
  enablesCalls: true,
  applyOrder: 32,
});
