// SQL that writes objects. Every write appends its change in the same transaction.
import { invariant, ServiceError } from '@svc/shared/errors';
import type { ResourceKey } from '@svc/shared/resource';
import { deletedDoc } from '../../change-row.ts';
import { objectText } from '../../parse-object.ts';
import { assertSame, assertSucceeds, assertVersion, existsAlready } from '../../object-row.ts';
import type { ObjectRow } from '../../object-row.ts';
import type { DeleteOptions, StoredObject } from '../../store.ts';
import type { Terms, TermsOf } from '../../terms.ts';
import type { Connection } from '../connection.ts';
import type { ChangeStatements } from './changes.ts';
import { termStatements } from './object-terms.ts';

export function objectWriteStatements(connection: Connection, changes: ChangeStatements, termsOf: TermsOf) {
  const terms = termStatements(connection);
  const selectRow = connection.prepare<ObjectRow>(
    'SELECT id, uid, created_at, resource_version, terms FROM objects WHERE kind = ? AND namespace = ? AND name = ?',
  );
  const selectDoc = connection.prepare<{ doc: string }>('SELECT doc FROM objects WHERE id = ?');
  const insert = connection.prepare(
    'INSERT INTO objects (kind, namespace, name, uid, created_at, resource_version, terms, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  // Names no column of an index, so that a status update rewrites none.
  const update = connection.prepare('UPDATE objects SET resource_version = ?, terms = ?, doc = ? WHERE id = ?');
  const rewrite = connection.prepare('UPDATE objects SET doc = ? WHERE id = ?');
  const remove = connection.prepare('DELETE FROM objects WHERE id = ?');

  const find = (key: ResourceKey) => selectRow.get(key.kind, key.namespace, key.name);
  const insertRow = (object: StoredObject, termText: string, doc: string): number => {
    const { kind, namespace, name, uid, createdAt, resourceVersion } = object;
    try {
      return insert.insert(kind, namespace, name, uid, createdAt, resourceVersion, termText, doc);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'conflict') throw existsAlready(object);
      throw error;
    }
  };
  const record = (object: StoredObject, type: 'created' | 'updated', doc: string): void =>
    changes.append({ key: object, timestamp: object.updatedAt, type, resourceVersion: object.resourceVersion, object: doc });

  return {
    insert(object: StoredObject): void {
      const doc = objectText(object);
      const after = termsOf(object);
      terms.add(object, insertRow(object, JSON.stringify(after), doc), after);
      record(object, 'created', doc);
    },
    update(object: StoredObject): void {
      const row = find(object);
      assertSucceeds(object, row);
      const doc = objectText(object);
      const after = termsOf(object);
      const text = JSON.stringify(after);
      update.run(object.resourceVersion, text, doc, row.id);
      if (text !== row.terms) terms.replace(object, row.id, { before: JSON.parse(row.terms) as Terms, after });
      record(object, 'updated', doc);
    },
    rewrite(object: StoredObject): void {
      const row = find(object);
      assertSame(object, row);
      rewrite.run(JSON.stringify(object), row.id);
    },
    delete(key: ResourceKey, timestamp: string, { expectedVersion, by }: DeleteOptions = {}): StoredObject | undefined {
      const row = find(key);
      if (!row) return undefined;
      assertVersion(key, row, expectedVersion);
      const doc = selectDoc.get(row.id)?.doc;
      invariant(doc !== undefined, 'a row that was just read has its document');
      terms.remove(key, row.id, JSON.parse(row.terms) as Terms);
      remove.run(row.id);
      const last = JSON.parse(doc) as StoredObject;
      changes.append({ key, timestamp, type: 'deleted', resourceVersion: row.resource_version, object: deletedDoc(last, by) });
      return last;
    },
  };
}
