// The rules of replacing and deleting a stored object: which version may follow which. Pure; both engines judge by the same columns.
import { invariant, ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from './store.ts';

/** The columns of a stored object that its writes are judged by. */
export interface ObjectRow {
  id: number;
  uid: string;
  created_at: string;
  resource_version: number;
  terms: string;
}

export function existsAlready(key: ResourceKey): ServiceError {
  return conflict(key, 'exists already');
}

/** Throws `conflict` unless the row is at the version that a deletion expects; undefined expects any. */
export function assertVersion(key: ResourceKey, row: Pick<ObjectRow, 'resource_version'>, expected: number | undefined): void {
  if (expected === undefined || row.resource_version === expected) return;
  throw conflict(key, `is at version ${row.resource_version}, not at ${expected}`);
}

function conflict(key: ResourceKey, message: string): ServiceError {
  return new ServiceError('conflict', `${describeKey(key)} ${message}`);
}

/** Throws `not_found` or `conflict` unless `object` is the next version of what is stored. */
export function assertSucceeds(object: StoredObject, row: ObjectRow | undefined): asserts row is ObjectRow {
  if (!row) throw new ServiceError('not_found', `${describeKey(object)} does not exist`);
  const expected = object.resourceVersion - 1;
  if (row.resource_version !== expected) {
    throw conflict(object, `is at version ${row.resource_version}, not at ${expected}; read it again and repeat the change`);
  }
  if (row.uid !== object.uid) throw conflict(object, 'was deleted and created again; read it again and repeat the change');
  invariant(row.created_at === object.createdAt, `createdAt of ${describeKey(object)} is part of its indexes and never changes`);
}

/** Throws `conflict` unless the row is at the version of `object`, and of the same object. */
export function assertSame<R extends Pick<ObjectRow, 'uid' | 'resource_version'>>(
  object: StoredObject,
  row: R | undefined,
): asserts row is R {
  if (row?.uid === object.uid && row.resource_version === object.resourceVersion) return;
  throw conflict(object, 'was written meanwhile; read it again and repeat the change');
}
