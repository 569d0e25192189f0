// SQL of the index rows that objects are found by: one per label and per indexed field.
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../../store.ts';
import { termChange, termRows } from '../../terms.ts';
import type { Terms } from '../../terms.ts';
import type { Connection } from '../connection.ts';

export function termStatements(connection: Connection) {
  const insert = connection.prepare(
    // A row that a server of another version left behind is no obstacle.
    'INSERT OR REPLACE INTO object_terms (kind, term, value, namespace, name, created_at, object_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = connection.prepare('DELETE FROM object_terms WHERE kind = ? AND term = ? AND value = ? AND namespace = ? AND name = ?');

  const addRows = (object: StoredObject, id: number, rows: readonly [string, string][]): void => {
    for (const [term, value] of rows) insert.run(object.kind, term, value, object.namespace, object.name, object.createdAt, id);
  };
  const removeRows = (key: ResourceKey, rows: readonly [string, string][]): void => {
    for (const [term, value] of rows) remove.run(key.kind, term, value, key.namespace, key.name);
  };

  return {
    add: (object: StoredObject, id: number, terms: Terms): void => addRows(object, id, termRows(terms)),
    remove: (key: ResourceKey, terms: Terms): void => removeRows(key, termRows(terms)),
    /** Writes only what differs. */
    replace(object: StoredObject, id: number, change: { before: Terms; after: Terms }): void {
      const { removed, added } = termChange(change.before, change.after);
      removeRows(object, removed);
      addRows(object, id, added);
    },
  };
}
