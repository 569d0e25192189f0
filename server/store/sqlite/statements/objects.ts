// SQL that reads objects.
import type { ResourceKey } from '@svc/shared/resource';
import type { StoredObject } from '../../store.ts';
import type { Terms } from '../../terms.ts';
import type { Connection } from '../connection.ts';
import { parseObject } from '../../parse-object.ts';

export type ObjectStatements = ReturnType<typeof objectStatements>;

function parse(row: { doc: string } | undefined): StoredObject | undefined {
  return row && parseObject(row.doc);
}

export function objectStatements(connection: Connection) {
  const selectDoc = connection.prepare<{ doc: string }>('SELECT doc FROM objects WHERE kind = ? AND namespace = ? AND name = ?');
  const selectDocById = connection.prepare<{ doc: string }>('SELECT doc FROM objects WHERE id = ?');
  const selectTerms = connection.prepare<{ terms: string }>('SELECT terms FROM objects WHERE kind = ? AND namespace = ? AND name = ?');
  const selectNextNamespace = connection.prepare<{ kind: string; namespace: string }>(
    'SELECT kind, namespace FROM objects WHERE (kind, namespace) > (?, ?) ORDER BY kind, namespace LIMIT 1',
  );

  return {
    get: (key: ResourceKey): StoredObject | undefined => parse(selectDoc.get(key.kind, key.namespace, key.name)),
    /** The object's JSON. */
    docById: (id: number): string | undefined => selectDocById.get(id)?.doc,
    terms(key: ResourceKey): Terms | undefined {
      const row = selectTerms.get(key.kind, key.namespace, key.name);
      return row && (JSON.parse(row.terms) as Terms);
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
  };
}
