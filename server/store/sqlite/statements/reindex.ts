// SQL that brings the index entries of stored objects up to what this process computes, page by page. The objects stay as they are.
import type { ListCursor } from '../../list-order.ts';
import type { StoredObject } from '../../store.ts';
import type { Terms, TermsOf } from '../../terms.ts';
import type { Connection } from '../connection.ts';
import { termStatements } from './object-terms.ts';

export function reindexStatements(connection: Connection, termsOf: TermsOf) {
  const terms = termStatements(connection);
  const selectPage = connection.prepare<{ id: number; terms: string; doc: string }>(
    'SELECT id, terms, doc FROM objects WHERE kind = ? AND (namespace, name) > (?, ?) ORDER BY namespace, name LIMIT ?',
  );
  const update = connection.prepare('UPDATE objects SET terms = ? WHERE id = ?');

  return {
    /** Returns the last object examined, undefined when it was the last of all. */
    page(kind: string, after: ListCursor | undefined, limit: number): StoredObject | undefined {
      const rows = selectPage.all(kind, after?.namespace ?? '', after?.name ?? '', limit);
      let last: StoredObject | undefined;
      for (const row of rows) {
        last = JSON.parse(row.doc) as StoredObject;
        const wanted = termsOf(last);
        const text = JSON.stringify(wanted);
        if (text === row.terms) continue;
        update.run(text, row.id);
        terms.replace(last, row.id, { before: JSON.parse(row.terms) as Terms, after: wanted });
      }
      return rows.length < limit ? undefined : last;
    },
  };
}
