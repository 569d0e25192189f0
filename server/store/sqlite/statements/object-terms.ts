// SQL of the index rows that objects are found by, one per label and per indexed field, and sorted by, one per sort value.
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../../store.ts';
import { sortRows, termChange, termRows } from '../../terms.ts';
import type { Terms } from '../../terms.ts';
import type { Connection } from '../connection.ts';
import { pendingTexts } from './search.ts';

export function termStatements(connection: Connection) {
  const texts = pendingTexts(connection);
  const insert = connection.prepare(
    // A row that a server of another version left behind does no harm.
    'INSERT OR REPLACE INTO object_terms (kind, term, value, namespace, name, created_at, object_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = connection.prepare('DELETE FROM object_terms WHERE kind = ? AND term = ? AND value = ? AND namespace = ? AND name = ?');

  const insertValue = connection.prepare(
    'INSERT OR REPLACE INTO sort_values (kind, field, value, namespace, name, object_id) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const removeValue = connection.prepare(
    'DELETE FROM sort_values WHERE kind = ? AND field = ? AND value = ? AND namespace = ? AND name = ?',
  );

  const addValues = ({ kind, namespace, name }: ResourceKey, id: number, rows: readonly [string, string][]): void => {
    for (const [field, value] of rows) insertValue.run(kind, field, value, namespace, name, id);
  };
  const removeValues = ({ kind, namespace, name }: ResourceKey, rows: readonly [string, string][]): void => {
    for (const [field, value] of rows) removeValue.run(kind, field, value, namespace, name);
  };
  const addRows = (object: StoredObject, id: number, rows: readonly [string, string][]): void => {
    for (const [term, value] of rows) insert.run(object.kind, term, value, object.namespace, object.name, object.createdAt, id);
  };
  const removeRows = (key: ResourceKey, rows: readonly [string, string][]): void => {
    for (const [term, value] of rows) remove.run(key.kind, term, value, key.namespace, key.name);
  };

  return {
    add(object: StoredObject, id: number, terms: Terms): void {
      addRows(object, id, termRows(terms));
      addValues(object, id, sortRows(terms));
      if (terms.text !== undefined) texts.add(id);
    },
    remove(key: ResourceKey, id: number, terms: Terms): void {
      removeRows(key, termRows(terms));
      removeValues(key, sortRows(terms));
      if (terms.text !== undefined) texts.remove(id);
    },
    /** Writes only what differs. */
    replace(object: StoredObject, id: number, change: { before: Terms; after: Terms }): void {
      const { removed, added, sorting, newText } = termChange(change.before, change.after);
      removeRows(object, removed);
      addRows(object, id, added);
      removeValues(object, sorting.removed);
      addValues(object, id, sorting.added);
      if (newText) texts.add(id);
    },
  };
}
