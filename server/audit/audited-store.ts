// A store whose transactions carry audit events: they are written once their transaction is durable, and not at all when it is rolled back or run again.
import { onWritten, servedRequest } from '../registry/written.ts';
import type { Clock } from '../clock.ts';
import { overlay } from '../overlay.ts';
import type { Store, StoreTransaction } from '../store/store.ts';
import type { AuditEvent, AuditSink } from './audit-event.ts';
import { writtenEvent } from './audit-writes.ts';

/** Adds an event to a transaction of the audited store. Does nothing for one of another store. */
export type AuditInTransaction = (tx: StoreTransaction, event: AuditEvent) => void;

export interface AuditedStore {
  /** Reports its own commits to its listeners too, as registry/written.ts requires. */
  readonly store: Store;
  readonly audit: AuditInTransaction;
}

export function auditedStore(inner: Store, sink: AuditSink, clock: Clock): AuditedStore {
  const kept = new WeakMap<StoreTransaction, AuditEvent[]>();
  const transaction: Store['transaction'] = async (work, options) => {
    let events: AuditEvent[] = [];
    const value = await inner.transaction(async (tx) => {
      events = [];
      kept.set(tx, events);
      onWritten(tx, (written) => events.push(writtenEvent(written, clock.now())));
      return work(tx);
    }, options);
    for (const event of events) sink.write(event);
    return value;
  };
  return { store: overlay(inner, { transaction }), audit: (tx, event) => void kept.get(tx)?.push(withRequest(tx, event)) };
}

/** Work of a part of the service has no requester. */
function withRequest(tx: StoreTransaction, event: AuditEvent): AuditEvent {
  const request_id = event.principal.method === 'system' ? undefined : servedRequest(tx);
  return request_id === undefined ? event : { ...event, request_id };
}
