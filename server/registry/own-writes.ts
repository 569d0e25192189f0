// Writes by parts of the service (engine, worker, controllers) inside a transaction of their own: statuses, and the objects that runs create.
// No roles, no validation, no KindHooks: the part owns what it writes, and a hook that reacted to its own part's write would run twice.
// Reactions to the end of a run belong to RunListener; writes that need the whole pipeline go through `Registry.within`.
import { jsonEquals } from '@svc/shared/json';
import type { ResourceKey } from '@svc/shared/resource';
import { timestamp } from '../clock.ts';
import type { Clock } from '../clock.ts';
import type { StoredObject, StoreTransaction } from '../store/store.ts';
import { racing } from '../store/write-race.ts';
import { creatorsOf, type ServicePart } from './principal.ts';
import { recordObjectWritten, writtenBy } from './written.ts';

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
  return replaceStatus(tx, current, { status, now: update.clock.now(), by: update.by });
}

export interface StatusReplacement {
  readonly status: Status;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Principal of the write, by name. */
  readonly by: string;
}

/**
 * The write of `updateStatus`. `current` is locked by `getObjectForUpdate` of this transaction, or the last state that the caller has written: then it
 * throws `conflict` or `not_found` when another write came first. Always writes.
 */
export async function replaceStatus(
  tx: StoreTransaction,
  current: StoredObject,
  { status, now, by }: StatusReplacement,
): Promise<StoredObject> {
  const next = { ...current, status, resourceVersion: current.resourceVersion + 1, updatedAt: timestamp(now), updatedBy: by };
  await tx.updateObject(next, current);
  return next;
}

/** Counts somebody as a creator too, where a decision takes another person. `current` as for `replaceStatus`. Returns the object as it now is. */
export async function addCreator(
  tx: StoreTransaction,
  current: StoredObject,
  { by, now }: { readonly by: string; readonly now: number },
): Promise<StoredObject> {
  if (creatorsOf(current).includes(by)) return current;
  const alsoBy = [...(current.alsoBy ?? []), by];
  const next = { ...current, alsoBy, resourceVersion: current.resourceVersion + 1, updatedAt: timestamp(now), updatedBy: by };
  await racing(tx.updateObject(next, current));
  return next;
}

/** Creates an object that a part of the service owns. Another object of that name is deleted first: a client may have made one by hand. */
export async function createOwned(tx: StoreTransaction, object: StoredObject, part: ServicePart): Promise<void> {
  const by = writtenBy(part);
  const replaced = await tx.deleteObject(object, object.createdAt, { by: by.identity.name });
  if (replaced) recordObjectWritten(tx, { action: 'resource.delete', by, object: replaced });
  await tx.insertObject(object);
  recordObjectWritten(tx, { action: 'resource.create', by, object });
}
