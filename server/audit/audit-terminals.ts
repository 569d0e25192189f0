// Audit lines of terminals: who opened one, and why it ended. Never what was typed or shown.
import { timestamp } from '../clock.ts';
import type { TerminalEvent } from '../terminal/terminals.ts';
import type { AuditEvent } from './audit-event.ts';

export function terminalEvent({ action, id, identity, requestId, reason }: TerminalEvent, now: number): AuditEvent {
  const { name, method, role } = identity;
  return {
    timestamp: timestamp(now),
    component: 'auth',
    action,
    outcome: 'success',
    principal: { name, method, role },
    resource: { kind: 'Terminal', name: id },
    request_id: requestId,
    details: { ...(reason !== undefined && { reason }) },
  };
}
