// Shape of an audit line and the port that writes it. Identities and names only: never an input, an output or a secret.
import type { Decider } from '@svc/shared/decision-record';
import type { Identity } from '../registry/registry.ts';

/** A caller; `method` is also `run` for an agent of a run, and `system` for the service itself (an expiry). */
export type AuditPrincipal = Decider;

/** A caller without a credential. */
export const NOBODY: AuditPrincipal = { name: 'anonymous', method: 'none' };

/** The principal of a caller; one without a credential has no name. */
export const principalOf = ({ name, method, role }: Identity): AuditPrincipal => (name === '' ? NOBODY : { name, method, role });

/** Actions of audit lines; docs/audit.md describes each. */
export const AUDIT_ACTIONS = [
  'token.create',
  'token.delete',
  'terminal.open',
  'terminal.close',
  'session.create',
  'session.delete',
  'user.setup',
  'user.create',
  'user.set_role',
  'user.delete',
  'user.reset_password',
  'user.change_password',
  'approval.decide',
  'resource.create',
  'resource.update',
  'resource.delete',
  'status.write',
  'task.cancel',
  'task.retry',
  'task.continue',
  'task.expire',
  'experiment.cancel',
  'experiment.rate',
  'session.control',
  'model.try',
  'memory_entry.write',
  'memory_entry.delete',
  'request',
  'tool.call',
  'agent.turn',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

interface AuditResource {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface AuditEvent {
  /** Unique; present in events that are sent, so that receivers detect repeated ones. */
  readonly id?: string;
  /** RFC 3339 in UTC. */
  readonly timestamp: string;
  /** `auth`, `http`, `approvals`, `engine` or `audit`. */
  readonly component: string;
  readonly action: AuditAction;
  readonly outcome: string;
  readonly principal: AuditPrincipal;
  readonly resource: AuditResource;
  readonly request_id?: string;
  /** Further details of this action; short texts and numbers. */
  readonly details?: Readonly<Record<string, string | number | boolean>>;
}

export interface AuditSink {
  /** Never throws and never blocks. */
  write(event: AuditEvent): void;
}
