// SQL that looks for objects by name: ranges of names, and the newest names of a kind, both read from an index that holds all it needs.
import type { ResourceKey } from '@svc/shared/resource';
import { foldedText, looksInside, nameRange, NEWEST_NAMES } from '../../name-search.ts';
import type { NameQuery } from '../../store.ts';
import type { Connection } from '../connection.ts';

type Found = Pick<ResourceKey, 'namespace' | 'name'>;

/** The names of a kind from new to old, those that hold a text. */
function newestSql(inNamespace: boolean, folded: string): string {
  const newest = inNamespace
    ? 'kind = ? AND namespace = ? ORDER BY created_at DESC, name DESC'
    : 'kind = ? ORDER BY created_at DESC, namespace DESC, name DESC';
  return `SELECT namespace, name FROM (SELECT namespace, name FROM objects WHERE ${newest} LIMIT ${NEWEST_NAMES})
    WHERE instr(${folded}, ?) > 0 LIMIT ?`;
}

const FOLDED = { part: 'lower(name)', word: `'-' || replace(replace(lower(name), '.', '-'), '_', '-')` };

export function nameStatements(connection: Connection) {
  const rangeAnywhere = connection.prepare<Found>(
    'SELECT namespace, name FROM objects WHERE kind = ? AND lower(name) >= ? AND lower(name) < ? ORDER BY lower(name), namespace, name LIMIT ?',
  );
  const rangeInNamespace = connection.prepare<Found>(
    'SELECT namespace, name FROM objects WHERE kind = ? AND namespace = ? AND name >= ? AND name < ? ORDER BY name LIMIT ?',
  );
  const newest = (folded: string) => ({
    anywhere: connection.prepare<Found>(newestSql(false, folded)),
    inNamespace: connection.prepare<Found>(newestSql(true, folded)),
  });
  const inside = { part: newest(FOLDED.part), word: newest(FOLDED.word) };

  const inRange = (kind: string, query: NameQuery): Found[] => {
    const { namespace, limit } = query;
    const bounds = nameRange(query);
    return namespace === undefined ? rangeAnywhere.all(kind, ...bounds, limit) : rangeInNamespace.all(kind, namespace, ...bounds, limit);
  };
  const amongNewest = (kind: string, query: NameQuery): Found[] => {
    const { anywhere, inNamespace } = inside[query.match === 'word' ? 'word' : 'part'];
    const text = foldedText(query);
    return query.namespace === undefined
      ? anywhere.all(kind, text, query.limit)
      : inNamespace.all(kind, query.namespace, text, query.limit);
  };

  return {
    find(query: NameQuery): ResourceKey[] {
      const look = looksInside(query) ? amongNewest : inRange;
      return query.kinds.flatMap((kind) => look(kind, query).map((found) => ({ kind, ...found })));
    },
  };
}
