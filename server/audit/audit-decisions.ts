// Audit lines of decisions on approvals: each that is recorded by this process, once its transaction is durable. Independent of any approval.
import type { DecisionDraft } from '@svc/shared/decision-record';
import type { RecordDecision } from '../decisions/record-decision.ts';
import type { AuditEvent, AuditPrincipal } from './audit-event.ts';
import type { AuditInTransaction } from './audited-store.ts';

const OUTCOMES: Readonly<Record<DecisionDraft['decision'], string>> = {
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  request_changes: 'changes_requested',
};

/** Nobody decided: the approval expired, or an object was deleted or written by other means. */
const SYSTEM: AuditPrincipal = { name: 'system', method: 'system' };

/** Records decisions, and audits each in its transaction. */
export function auditDecisions(record: RecordDecision, audit: AuditInTransaction): RecordDecision {
  return async (tx, draft) => {
    const written = await record(tx, draft);
    audit(tx, eventOf(draft, written.seq));
    return written;
  };
}

function eventOf(
  { timestamp, type, approval, task, tool, agent, decision, outcome, edited_input, decider }: DecisionDraft,
  seq: number,
): AuditEvent {
  const { kind, namespace, name } = approval;
  return {
    timestamp,
    component: 'approvals',
    action: 'approval.decide',
    outcome: OUTCOMES[decision],
    principal: decider ?? SYSTEM,
    resource: { kind, namespace, name },
    details: {
      type,
      task: `${task.namespace}/${task.name}`,
      ...(agent !== undefined && { agent }),
      ...(tool !== undefined && { tool }),
      ...(outcome !== undefined && { call_outcome: outcome }),
      ...(edited_input !== undefined && { edited: true }),
      decision_record: seq,
    },
  };
}
