// Audit lines of requests that were refused with 401 or 403. Any client can cause them, so their rate is limited and the rest is counted.
import { timestamp, type Clock } from '../clock.ts';
import { NOBODY, type AuditEvent, type AuditSink } from './audit-event.ts';

/** A request that was refused with 401 or 403. */
export interface RefusedAccess {
  readonly code: 'unauthorized' | 'forbidden';
  /** Message of the refusal, as the caller got it. */
  readonly reason: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** Namespace that the query or the input names. */
  readonly namespace?: string;
  readonly clientAddress: string;
  readonly requestId: string;
  /** Absent when nobody was recognised. */
  readonly identity?: { readonly name: string; readonly method: string; readonly role: string };
}

export interface AccessAudit {
  refused(access: RefusedAccess): void;
  /** Writes the number of events that were left out. */
  close(): void;
}

const WINDOW_MS = 10_000;
const LINES_PER_WINDOW = 200;

export function auditAccess(sink: AuditSink, clock: Clock): AccessAudit {
  let windowEnd = 0;
  let lines = 0;
  let left = 0;
  const writeLeftOut = (now: number) => {
    if (left > 0) sink.write(leftOut(now, left));
    left = 0;
  };
  return {
    refused(access) {
      const now = clock.now();
      if (now >= windowEnd || now < windowEnd - WINDOW_MS) {
        writeLeftOut(now);
        windowEnd = now + WINDOW_MS;
        lines = 0;
      }
      lines += 1;
      if (lines > LINES_PER_WINDOW) left += 1;
      else sink.write(eventOf(now, access));
    },
    close: () => writeLeftOut(clock.now()),
  };
}

function eventOf(now: number, { code, reason, method, path, namespace, clientAddress, requestId, identity }: RefusedAccess): AuditEvent {
  const principal = identity ? { name: identity.name, method: identity.method, role: identity.role } : NOBODY;
  return {
    timestamp: timestamp(now),
    component: 'http',
    action: 'request',
    outcome: 'denied',
    principal,
    resource: { kind: 'Path', ...(namespace !== undefined && { namespace }), name: path },
    request_id: requestId,
    details: { method, code, reason, client_address: clientAddress },
  };
}

function leftOut(now: number, count: number): AuditEvent {
  return {
    timestamp: timestamp(now),
    component: 'audit',
    action: 'request',
    outcome: 'left_out',
    principal: NOBODY,
    resource: { kind: 'Path', name: '*' },
    details: { count },
  };
}
