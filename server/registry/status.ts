// How internal writers (engine, controllers) change an object's status inside a transaction of their own.
// No roles, no validation: callers own the status they write. Specs never pass through here.
import { jsonEquals } from '@svc/shared/json';
import type { ResourceKey } from '@svc/shared/resource';
import { timestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { StoredObject, StoreTransaction } from '../store/store.ts';

export type Status = Readonly<Record<string, unknown>>;

export interface StatusUpdate {
  readonly key: ResourceKey;
  readonly clock: Clock;
  /** Principal of the write, by name. */
  readonly by: string;
  /** Only the object of this uid is changed: one of the same name made later is left alone. */
  readonly uid?: string;
  /** Pure; gets the stored status and returns the whole new one. */
  readonly change: (status: Status, object: StoredObject) => Status;
}

/** Replaces the status and raises the resourceVersion by one. Returns the object as it now is, or undefined when it is gone. An unchanged status writes nothing. */
export async function updateStatus(tx: StoreTransaction, update: StatusUpdate): Promise<StoredObject | undefined> {
  const current = await tx.getObjectForUpdate(update.key);
  if (!current || (update.uid !== undefined && current.uid !== update.uid)) return undefined;
  const status = update.change(current.status, current);
  if (status === current.status || jsonEquals(status, current.status)) return current;
  const next = {
    ...current,
    status,
    resourceVersion: current.resourceVersion + 1,
    updatedAt: timestamp(update.clock.now()),
    updatedBy: update.by,
  };
  await tx.updateObject(next);
  return next;
}
