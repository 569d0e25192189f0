// SQL of objects and of the terms they are found by. Every write appends its change in the same transaction.
import { invariant, ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../../store.ts';
import type { Connection } from '../connection.ts';
import { termRows, termsOf } from '../terms.ts';
import type { Terms } from '../terms.ts';
import type { ChangeStatements } from './changes.ts';

interface StoredRow {
  id: number;
  uid: string;
  created_at: string;
  resource_version: number;
  terms: string;
}

export type ObjectStatements = ReturnType<typeof objectStatements>;

function conflict(key: ResourceKey, message: string): ServiceError {
  return new ServiceError('conflict', `${describeKey(key)} ${message}`);
}

export function objectStatements(connection: Connection, changes: ChangeStatements) {
  const selectDoc = connection.prepare<{ doc: string }>('SELECT doc FROM objects WHERE kind = ? AND namespace = ? AND name = ?');
  const selectDocById = connection.prepare<{ doc: string }>('SELECT doc FROM objects WHERE id = ?');
  const selectRow = connection.prepare<StoredRow>(
    'SELECT id, uid, created_at, resource_version, terms FROM objects WHERE kind = ? AND namespace = ? AND name = ?',
  );
  const selectNextNamespace = connection.prepare<{ kind: string; namespace: string }>(
    'SELECT kind, namespace FROM objects WHERE (kind, namespace) > (?, ?) ORDER BY kind, namespace LIMIT 1',
  );
  const insert = connection.prepare<{ id: number }>(
    'INSERT INTO objects (kind, namespace, name, uid, created_at, resource_version, terms, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id',
  );
  // Columns that rarely change are left out, so that their indexes are not rewritten by every status update.
  const updateDoc = connection.prepare('UPDATE objects SET resource_version = ?, doc = ? WHERE id = ?');
  const updateTerms = connection.prepare('UPDATE objects SET terms = ? WHERE id = ?');
  const deleteRow = connection.prepare('DELETE FROM objects WHERE id = ?');
  const insertTerm = connection.prepare(
    'INSERT INTO object_terms (kind, term, value, namespace, name, created_at, object_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const deleteTerm = connection.prepare(
    'DELETE FROM object_terms WHERE kind = ? AND term = ? AND value = ? AND namespace = ? AND name = ?',
  );

  const findRow = (key: ResourceKey) => selectRow.get(key.kind, key.namespace, key.name);
  const addTerms = (object: StoredObject, id: number, rows: readonly [string, string][]) => {
    for (const [term, value] of rows) insertTerm.run(object.kind, term, value, object.namespace, object.name, object.createdAt, id);
  };
  const removeTerms = (key: ResourceKey, rows: readonly [string, string][]) => {
    for (const [term, value] of rows) deleteTerm.run(key.kind, term, value, key.namespace, key.name);
  };
  const replaceTerms = (object: StoredObject, row: StoredRow): void => {
    const next = termsOf(object);
    const text = JSON.stringify(next);
    if (text === row.terms) return;
    const before = termRows(JSON.parse(row.terms) as Terms);
    const after = termRows(next);
    const holds = (rows: readonly [string, string][], [term, value]: [string, string]) => rows.some(([t, v]) => t === term && v === value);
    updateTerms.run(text, row.id);
    removeTerms(
      object,
      before.filter((term) => !holds(after, term)),
    );
    addTerms(
      object,
      row.id,
      after.filter((term) => !holds(before, term)),
    );
  };
  const insertRow = (object: StoredObject, terms: Terms, doc: string): number => {
    const { kind, namespace, name, uid, createdAt, resourceVersion } = object;
    try {
      return insert.get(kind, namespace, name, uid, createdAt, resourceVersion, JSON.stringify(terms), doc)?.id ?? 0;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'conflict') throw conflict(object, 'exists already');
      throw error;
    }
  };

  return {
    get(key: ResourceKey): StoredObject | undefined {
      const doc = selectDoc.get(key.kind, key.namespace, key.name)?.doc;
      return doc === undefined ? undefined : (JSON.parse(doc) as StoredObject);
    },
    getById(id: number): StoredObject | undefined {
      const doc = selectDocById.get(id)?.doc;
      return doc === undefined ? undefined : (JSON.parse(doc) as StoredObject);
    },
    /** Steps from one (kind, namespace) to the next, so that the cost is their number and not the number of objects. */
    namespaces(): string[] {
      const found = new Set<string>();
      let at = selectNextNamespace.get('', '');
      while (at) {
        found.add(at.namespace);
        at = selectNextNamespace.get(at.kind, at.namespace);
      }
      return [...found].sort();
    },
    insert(object: StoredObject): void {
      const doc = JSON.stringify(object);
      const terms = termsOf(object);
      addTerms(object, insertRow(object, terms, doc), termRows(terms));
      const { updatedAt: timestamp, resourceVersion } = object;
      changes.append({ key: object, timestamp, type: 'created', resourceVersion, object: doc });
    },
    update(object: StoredObject): void {
      const row = findRow(object);
      if (!row) throw new ServiceError('not_found', `${describeKey(object)} does not exist`);
      if (row.resource_version !== object.resourceVersion - 1) {
        throw conflict(
          object,
          `is at version ${row.resource_version}, not at ${object.resourceVersion - 1}; read it again and repeat the change`,
        );
      }
      if (row.uid !== object.uid) throw conflict(object, 'was deleted and created again; read it again and repeat the change');
      invariant(row.created_at === object.createdAt, `createdAt of ${describeKey(object)} is part of its indexes and never changes`);
      const doc = JSON.stringify(object);
      updateDoc.run(object.resourceVersion, doc, row.id);
      replaceTerms(object, row);
      const { updatedAt: timestamp, resourceVersion } = object;
      changes.append({ key: object, timestamp, type: 'updated', resourceVersion, object: doc });
    },
    delete(key: ResourceKey, timestamp: string, expectedVersion: number | undefined): StoredObject | undefined {
      const row = findRow(key);
      if (!row) return undefined;
      if (expectedVersion !== undefined && row.resource_version !== expectedVersion) {
        throw conflict(key, `is at version ${row.resource_version}, not at ${expectedVersion}`);
      }
      const doc = selectDocById.get(row.id)?.doc;
      invariant(doc !== undefined, 'a row that was just read has its document');
      removeTerms(key, termRows(JSON.parse(row.terms) as Terms));
      deleteRow.run(row.id);
      changes.append({ key, timestamp, type: 'deleted', resourceVersion: row.resource_version, object: doc });
      return JSON.parse(doc) as StoredObject;
    },
  };
}
