// SQL that writes objects. Every write appends its change in the same transaction.
import { invariant, ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../../store.ts';
import type { Connection } from '../connection.ts';
import { termsOf } from '../terms.ts';
import type { Terms } from '../terms.ts';
import type { ChangeStatements } from './changes.ts';
import { termStatements } from './object-terms.ts';

interface StoredRow {
  id: number;
  uid: string;
  created_at: string;
  resource_version: number;
  terms: string;
}

export type ObjectWriteStatements = ReturnType<typeof objectWriteStatements>;

function conflict(key: ResourceKey, message: string): ServiceError {
  return new ServiceError('conflict', `${describeKey(key)} ${message}`);
}

/** Throws unless `object` is the next version of what is stored. */
function assertSucceeds(object: StoredObject, row: StoredRow | undefined): asserts row is StoredRow {
  if (!row) throw new ServiceError('not_found', `${describeKey(object)} does not exist`);
  const expected = object.resourceVersion - 1;
  if (row.resource_version !== expected) {
    throw conflict(object, `is at version ${row.resource_version}, not at ${expected}; read it again and repeat the change`);
  }
  if (row.uid !== object.uid) throw conflict(object, 'was deleted and created again; read it again and repeat the change');
  invariant(row.created_at === object.createdAt, `createdAt of ${describeKey(object)} is part of its indexes and never changes`);
}

export function objectWriteStatements(connection: Connection, changes: ChangeStatements) {
  const terms = termStatements(connection);
  const selectRow = connection.prepare<StoredRow>(
    'SELECT id, uid, created_at, resource_version, terms FROM objects WHERE kind = ? AND namespace = ? AND name = ?',
  );
  const selectDoc = connection.prepare<{ doc: string }>('SELECT doc FROM objects WHERE id = ?');
  const insert = connection.prepare<{ id: number }>(
    'INSERT INTO objects (kind, namespace, name, uid, created_at, resource_version, terms, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
  );
  // Names no column of an index, so that a status update rewrites none.
  const update = connection.prepare('UPDATE objects SET resource_version = ?, terms = ?, doc = ? WHERE id = ?');
  const remove = connection.prepare('DELETE FROM objects WHERE id = ?');

  const find = (key: ResourceKey) => selectRow.get(key.kind, key.namespace, key.name);
  const insertRow = (object: StoredObject, termText: string, doc: string): number => {
    const { kind, namespace, name, uid, createdAt, resourceVersion } = object;
    try {
      const row = insert.get(kind, namespace, name, uid, createdAt, resourceVersion, termText, doc);
      invariant(row, 'an insert returns the id of its row');
      return row.id;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'conflict') throw conflict(object, 'exists already');
      throw error;
    }
  };
  const record = (object: StoredObject, type: 'created' | 'updated', doc: string): void =>
    changes.append({ key: object, timestamp: object.updatedAt, type, resourceVersion: object.resourceVersion, object: doc });

  return {
    insert(object: StoredObject): void {
      const doc = JSON.stringify(object);
      const after = termsOf(object);
      terms.add(object, insertRow(object, JSON.stringify(after), doc), after);
      record(object, 'created', doc);
    },
    update(object: StoredObject): void {
      const row = find(object);
      assertSucceeds(object, row);
      const doc = JSON.stringify(object);
      const after = termsOf(object);
      const text = JSON.stringify(after);
      update.run(object.resourceVersion, text, doc, row.id);
      if (text !== row.terms) terms.replace(object, row.id, { before: JSON.parse(row.terms) as Terms, after });
      record(object, 'updated', doc);
    },
    delete(key: ResourceKey, timestamp: string, expectedVersion: number | undefined): StoredObject | undefined {
      const row = find(key);
      if (!row) return undefined;
      if (expectedVersion !== undefined && row.resource_version !== expectedVersion) {
        throw conflict(key, `is at version ${row.resource_version}, not at ${expectedVersion}`);
      }
      const doc = selectDoc.get(row.id)?.doc;
      invariant(doc !== undefined, 'a row that was just read has its document');
      terms.remove(key, JSON.parse(row.terms) as Terms);
      remove.run(row.id);
      changes.append({ key, timestamp, type: 'deleted', resourceVersion: row.resource_version, object: doc });
      return JSON.parse(doc) as StoredObject;
    },
  };
}
