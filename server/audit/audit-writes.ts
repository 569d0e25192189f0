// Audit lines of writes: of objects whose kind is audited, of statuses, and of cancels and retries. Names and numbers, never a value.
import { timestamp } from '../clock.ts';
import { partIdentity } from '../registry/principal.ts';
import type { WriteRecord } from '../registry/written.ts';
import { principalOf, type AuditEvent } from './audit-event.ts';

/** Tasks that retention removed in one namespace. */
interface Removal {
  readonly namespace: string;
  readonly removed: number;
}

/** Task is not an audited kind, and a walk removes up to thousands: one line covers them. */
export function removalEvent({ namespace, removed }: Removal, now: number): AuditEvent {
  const { name, method } = partIdentity('controllers');
  return {
    timestamp: timestamp(now),
    component: 'controllers',
    action: 'task.expire',
    outcome: 'success',
    principal: { name, method },
    resource: { kind: 'Task', namespace, name: '*' },
    details: { removed },
  };
}

export function writtenEvent({ action, by, object, details }: WriteRecord, now: number): AuditEvent {
  const { kind, namespace, name, generation } = object;
  const { identity, requestId } = by;
  return {
    timestamp: timestamp(now),
    component: identity.method === 'system' ? identity.name.slice(identity.name.indexOf(':') + 1) : 'registry',
    action,
    outcome: 'success',
    principal: principalOf(identity),
    resource: { kind, namespace, name },
    ...(requestId !== undefined && { request_id: requestId }),
    details: { generation, ...details },
  };
}
