// A store whose transactions carry audit events: they are written once their transaction is durable, and not at all when it is rolled back or run again.
import { onWritten, servedRequest } from '../registry/written.ts';
import type { Clock } from '../clock.ts';
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
  const transaction: Store['transaction'] = async (work) => {
    let events: AuditEvent[] = [];
    const value = await inner.transaction(async (tx) => {
      events = [];
      kept.set(tx, events);
      onWritten(tx, (written) => events.push(writtenEvent(written, clock.now())));
      return work(tx);
    });
    for (const event of events) sink.write(event);
    return value;
  };
  return { store: withTransaction(inner, transaction), audit: (tx, event) => void kept.get(tx)?.push(withRequest(tx, event)) };
}

/** Nobody requested what a part of the service does. */
function withRequest(tx: StoreTransaction, event: AuditEvent): AuditEvent {
  const request_id = event.principal.method === 'system' ? undefined : servedRequest(tx);
  return request_id === undefined ? event : { ...event, request_id };
}

/** The same store; its methods may be those of a class. */
function withTransaction(inner: Store, transaction: Store['transaction']): Store {
  return {
    transaction,
    getObject: (key) => inner.getObject(key),
    listObjects: (query) => inner.listObjects(query),
    listPage: (query, bytesMax) => inner.listPage(query, bytesMax),
    searchPage: (query, bytesMax) => inner.searchPage(query, bytesMax),
    hasPendingTexts: () => inner.hasPendingTexts(),
    countObjects: (query) => inner.countObjects(query),
    findNames: (query) => inner.findNames(query),
    readIndexedFields: (keys) => inner.readIndexedFields(keys),
    listNamespaces: () => inner.listNamespaces(),
    listVersions: (uid, query) => inner.listVersions(uid, query),
    getVersion: (uid, generation) => inner.getVersion(uid, generation),
    readChanges: (query) => inner.readChanges(query),
    readChangePage: (query, bytesMax) => inner.readChangePage(query, bytesMax),
    changeBounds: () => inner.changeBounds(),
    readJournal: (stream, after, limit) => inner.readJournal(stream, after, limit),
    readSignals: (stream) => inner.readSignals(stream),
    readEvents: (owner, query) => inner.readEvents(owner, query),
    eventHead: (owner) => inner.eventHead(owner),
    getWorkItem: (queue, key) => inner.getWorkItem(queue, key),
    nextWorkAt: (queue, now) => inner.nextWorkAt(queue, now),
    listDemands: (queue) => inner.listDemands(queue),
    listReadyWork: (queue, requirements, page) => inner.listReadyWork(queue, requirements, page),
    countWork: (queue, now) => inner.countWork(queue, now),
    getDocument: (collection, id) => inner.getDocument(collection, id),
    listDocuments: (collection, after, limit) => inner.listDocuments(collection, after, limit),
    onCommit: (listener) => inner.onCommit(listener),
    broadcast: (messages) => inner.broadcast(messages),
    onBroadcast: (listener) => inner.onBroadcast(listener),
    checkHealth: () => inner.checkHealth(),
    pruneChanges: (options) => inner.pruneChanges(options),
    pruneVersions: (options) => inner.pruneVersions(options),
    close: () => inner.close(),
  };
}
