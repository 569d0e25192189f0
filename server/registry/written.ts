// Writes that an audit records, kept with the transaction that makes them: its opener takes them once they are durable. Independent of any audit log.
import { kindByName } from '@svc/shared/kinds';
import type { StoredObject, StoreTransaction } from '../store/store.ts';
import { partIdentity, type ServicePart } from './principal.ts';
import type { RequestContext } from './registry.ts';

type WrittenAction =
  | 'resource.create'
  | 'resource.update'
  | 'resource.delete'
  | 'status.write'
  | 'task.cancel'
  | 'task.retry'
  | 'task.continue'
  | 'session.control'
  | 'experiment.cancel'
  | 'experiment.rate';

/** One write: names and numbers, never a value. */
export interface WriteRecord {
  readonly action: WrittenAction;
  /** A part of the service has no request. */
  readonly by: Pick<RequestContext, 'identity'> & Partial<Pick<RequestContext, 'requestId'>>;
  readonly object: Pick<StoredObject, 'kind' | 'namespace' | 'name' | 'generation'>;
  readonly details?: Readonly<Record<string, string | number>>;
}

const requests = new WeakMap<StoreTransaction, string>();

/** Names the request that a transaction serves, for records that are made without it. */
export function serveRequest(tx: StoreTransaction, { requestId }: RequestContext): void {
  requests.set(tx, requestId);
}

export const servedRequest = (tx: StoreTransaction): string | undefined => requests.get(tx);

const listeners = new WeakMap<StoreTransaction, (written: WriteRecord) => void>();

/** Calls the listener for each write of this transaction, when it is made. The listener must forget writes that are rolled back. */
export function onWritten(tx: StoreTransaction, listener: (written: WriteRecord) => void): void {
  listeners.set(tx, listener);
}

/** For actions that are always recorded. */
export function recordWritten(tx: StoreTransaction, written: WriteRecord): void {
  listeners.get(tx)?.(written);
}

/** For writes of objects: recorded if the object's kind requires it. */
export function recordObjectWritten(tx: StoreTransaction, written: WriteRecord): void {
  const { action, by, object } = written;
  const audited = kindByName(object.kind)?.audited;
  if (audited === 'deletion' ? action === 'resource.delete' && by.identity.method !== 'system' : audited) recordWritten(tx, written);
}

/** A part of the service as the principal of a write. */
export const writtenBy = (part: ServicePart): WriteRecord['by'] => ({ identity: partIdentity(part) });
