// Role matrix of writes, as pure checks of an authenticated caller (docs/security.md "Roles and trust").
import { ServiceError } from '@svc/shared/errors';
import type { KindDefinition } from '@svc/shared/kinds/define';
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

/** Throws `forbidden` unless the caller may write this spec, by the kind's rule for administrators. */
export function requireSpecRole(context: RequestContext, { adminOnly }: KindDefinition, spec: unknown): void {
  const reason = adminOnly(spec);
  if (reason !== undefined) requireRole(context, 'admin', `writing ${reason}`);
}

/** Caller without a role: of public routes, and of public systems. */
export const NOBODY: Identity = { method: 'none', name: '', role: 'a2a' };

/** An agent system that a call over A2A invokes. */
export interface SystemTarget {
  readonly namespace: string;
  readonly name: string;
  /** Callers without a token may invoke it. */
  readonly isPublic: boolean;
}

/** `forbidden`: a token of role a2a does not list the system. */
export class UnlistedSystem extends ServiceError {
  constructor({ namespace, name }: Pick<SystemTarget, 'namespace' | 'name'>) {
    super('forbidden', `Your token of role a2a may not invoke AgentSystem ${namespace}/${name}`);
  }
}

/**
 * Throws unless the caller may invoke the system: `unauthorized` without a token, except for a public system; `forbidden` for a browser sign-in and for a
 * role that only reads; UnlistedSystem for a token of role a2a that does not list it.
 */
export function requireSystemAccess(identity: Identity | undefined, target: SystemTarget): void {
  if (identity === undefined && target.isPublic) return;
  if (!listsSystem(requireAgentCaller(identity), target)) throw new UnlistedSystem(target);
}

/** Only a token of role a2a has a list. A listed bare name stands for the default namespace. */
export function listsSystem(
  { role, a2aAgentSystems = [] }: Identity,
  { namespace, name }: Pick<SystemTarget, 'namespace' | 'name'>,
): boolean {
  if (role !== 'a2a') return true;
  return a2aAgentSystems.some((ref) => (ref.includes('/') ? ref : `${DEFAULT_NAMESPACE}/${ref}`) === `${namespace}/${name}`);
}

/** The checks of the caller that depend on no system, for calls that name none: `unauthorized` without a token, `forbidden` as above. */
export function requireAgentCaller(identity: Identity | undefined): Identity {
  if (identity === undefined) throw new ServiceError('unauthorized', 'Invoking an AgentSystem needs a token');
  const { method, role } = identity;
  if (method === 'session') throw new ServiceError('forbidden', 'A browser sign-in does not invoke systems over A2A; send a token');
  if (role === 'writer' || role === 'admin' || role === 'a2a') return identity;
  throw new ServiceError('forbidden', `Your token of role ${role} may not invoke AgentSystems`);
}
