// Audit lines of decisions on approvals: each that is recorded by this process, once its transaction is durable. Knows no approval.
import type { DecisionDraft } from '@svc/shared/decision-record';
import type { RecordDecision } from '../decisions/record-decision.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { AuditEvent, AuditPrincipal, AuditSink } from './audit-event.ts';

const OUTCOMES: Readonly<Record<DecisionDraft['decision'], string>> = {
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  request_changes: 'changes_requested',
};

/** Nobody decided: a time ran out, or an object was deleted or written by other means. */
const SYSTEM: AuditPrincipal = { name: 'system', method: 'system' };

/**
 * A store and a way to record decisions that belong together: what is recorded in a transaction of this store is audited when it is durable,
 * and not at all when it is rolled back or run again.
 */
export function auditDecisions(inner: Store, record: RecordDecision, sink: AuditSink): { store: Store; recordDecision: RecordDecision } {
  const recorded = new WeakMap<StoreTransaction, AuditEvent[]>();
  const transaction: Store['transaction'] = async (work) => {
    let events: AuditEvent[] = [];
    const value = await inner.transaction(async (tx) => {
      events = [];
      recorded.set(tx, events);
      return work(tx);
    });
    for (const event of events) sink.write(event);
    return value;
  };
  return {
    store: withTransaction(inner, transaction),
    async recordDecision(tx, draft) {
      const written = await record(tx, draft);
      recorded.get(tx)?.push(eventOf(draft, written.seq));
      return written;
    },
  };
}

/** The same store; its methods may be those of a class. */
function withTransaction(inner: Store, transaction: Store['transaction']): Store {
  return {
    transaction,
    getObject: (key) => inner.getObject(key),
    listObjects: (query) => inner.listObjects(query),
    countObjects: (query) => inner.countObjects(query),
    findNames: (query) => inner.findNames(query),
    readIndexedFields: (keys) => inner.readIndexedFields(keys),
    listNamespaces: () => inner.listNamespaces(),
    readChanges: (query) => inner.readChanges(query),
    changeBounds: () => inner.changeBounds(),
    readJournal: (stream, after, limit) => inner.readJournal(stream, after, limit),
    readSignals: (stream) => inner.readSignals(stream),
    getWorkItem: (queue, key) => inner.getWorkItem(queue, key),
    nextWorkAt: (queue, now) => inner.nextWorkAt(queue, now),
    listDemands: (queue) => inner.listDemands(queue),
    listReadyWork: (queue, requirements, page) => inner.listReadyWork(queue, requirements, page),
    countWork: (queue, now) => inner.countWork(queue, now),
    getDocument: (collection, id) => inner.getDocument(collection, id),
    listDocuments: (collection, after, limit) => inner.listDocuments(collection, after, limit),
    onCommit: (listener) => inner.onCommit(listener),
    checkHealth: () => inner.checkHealth(),
    pruneChanges: (options) => inner.pruneChanges(options),
    close: () => inner.close(),
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
