// Shape of an audit line and the port that writes it. Identities and names only: never an input, an output or a secret.

export interface AuditPrincipal {
  readonly name: string;
  /** How they were known: `none`, `session`, `bearer`; `run` for an agent of a run, `system` for nobody (a time ran out). */
  readonly method: string;
  readonly role?: string;
  readonly on_behalf_of?: string;
}

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
  /** Dotted, such as `token.create`. */
  readonly action: string;
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
