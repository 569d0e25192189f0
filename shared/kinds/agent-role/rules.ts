// Rules of AgentRole at write time: permissions are trimmed and deduplicated.
import { defined, uniqueIgnoringCase } from '../clean.ts';
import type { AgentRoleSpec } from './schema.ts';

export function normalizeAgentRole(spec: AgentRoleSpec): AgentRoleSpec {
  return defined({ ...spec, permissions: uniqueIgnoringCase(spec.permissions) });
}
