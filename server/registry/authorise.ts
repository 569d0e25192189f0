// Role matrix of writes, as pure checks of an authenticated caller (docs/security.md "Roles and trust").
import { ServiceError } from '@svc/shared/errors';
import { isObject } from '@svc/shared/json';
import { DEFAULT_NAMESPACE } from '@svc/shared/resource';
import type { Identity, RequestContext, Role } from './registry.ts';

type ResourceRole = Exclude<Role, 'a2a'>;

const RANK: Readonly<Record<Role, number>> = { a2a: 0, reader: 1, approver: 2, writer: 3, admin: 4 };

/** Throws `forbidden`, naming the role that is needed. `what` completes "… needs role writer". */
export function requireRole(context: RequestContext, needed: ResourceRole, what: string): void {
  const { role } = context.identity;
  if (RANK[role] >= RANK[needed]) return;
  throw new ServiceError('forbidden', `${what} needs role ${needed}; you have role ${role}`);
}

/** Reason why only an administrator may write a spec, or undefined when any writer may: it would run programs or read files on the server's own machine. */
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

/** An agent system that a call over A2A invokes. */
export interface SystemTarget {
  readonly namespace: string;
  readonly name: string;
  /** Callers without a token may invoke it. */
  readonly isPublic: boolean;
}

/**
 * Throws unless the caller may invoke the system: `unauthorized` without a token, except for a public system; `forbidden` for a browser sign-in, for a role
 * that only reads, and for a token of role a2a that does not list the system. A listed bare name stands for the default namespace.
 */
export function requireSystemAccess(identity: Identity | undefined, { namespace, name, isPublic }: SystemTarget): void {
  if (identity === undefined) {
    if (isPublic) return;
    throw new ServiceError('unauthorized', `Invoking AgentSystem ${namespace}/${name} needs a token`);
  }
  if (identity.method === 'session')
    throw new ServiceError('forbidden', 'A browser sign-in does not invoke systems over A2A; send a token');
  const { role, a2aAgentSystems = [] } = identity;
  if (role === 'writer' || role === 'admin') return;
  const listed =
    role === 'a2a' && a2aAgentSystems.some((ref) => (ref.includes('/') ? ref : `${DEFAULT_NAMESPACE}/${ref}`) === `${namespace}/${name}`);
  if (!listed) throw new ServiceError('forbidden', `Your token of role ${role} may not invoke AgentSystem ${namespace}/${name}`);
}
