// Role matrix of writes, as pure checks of an authenticated caller (docs/security.md "Roles and trust").
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import type { RequestContext, Role } from './registry.ts';

type ResourceRole = Exclude<Role, 'a2a'>;

const RANK: Readonly<Record<Role, number>> = { a2a: 0, reader: 1, approver: 2, writer: 3, admin: 4 };

/** Throws `forbidden`, naming the role that is needed. `what` completes "… needs role writer". */
export function requireRole(context: RequestContext, needed: ResourceRole, what: string): void {
  const { role } = context.identity;
  if (RANK[role] >= RANK[needed]) return;
  throw new ServiceError('forbidden', `${what} needs role ${needed}; you have role ${role}`);
}

/** What makes a spec the administrator's to write, or undefined when any writer may: it would run programs or read files on the server's own machine. */
export function adminOnlyReason(kind: string, spec: unknown): string | undefined {
  if (!isObject(spec)) return undefined;
  if (kind === 'McpServer' && spec.transport === 'stdio') return 'an McpServer with transport stdio';
  if (kind !== 'Tool') return undefined;
  if (spec.type === 'cli' && isObject(spec.runtime) && spec.runtime.isolation_mode === 'none') return 'a cli Tool with isolation_mode none';
  const endpoint = typeof spec.endpoint === 'string' ? spec.endpoint.trim().toLowerCase() : '';
  if (spec.type === 'wasm' && endpoint.startsWith('file:')) return 'a wasm Tool with a file: endpoint';
  return undefined;
}

/** Applies `adminOnlyReason` to a normalised spec. */
export function requireSpecRole(context: RequestContext, kind: string, spec: unknown): void {
  const reason = adminOnlyReason(kind, spec);
  if (reason !== undefined) requireRole(context, 'admin', `writing ${reason}`);
}
