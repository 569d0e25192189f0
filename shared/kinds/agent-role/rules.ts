// Rules of AgentRole at write time: permissions are trimmed and deduplicated.
import { defined, uniqueIgnoringCase } from '../clean.ts';
import type { WrittenAgentRoleSpec } from './schema.ts';

export function normalizeAgentRole(spec: WrittenAgentRoleSpec) {
  return defined({ ...spec, permissions: uniqueIgnoringCase(spec.permissions) });
}
