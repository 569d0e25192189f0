// SQL that looks for objects by name: ranges of names, and the newest names of a kind, both read from an index that holds all it needs.
import type { ResourceKey } from '@svc/shared/resource';
import { foldedText, looksInside, nameRange, NAMESPACES_MAX, NEWEST_NAMES } from '../../name-search.ts';
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

export type NameStatements = ReturnType<typeof nameStatements>;

export function nameStatements(connection: Connection) {
  const range = connection.prepare<Found>(
    'SELECT namespace, name FROM objects WHERE kind = ? AND namespace = ? AND name >= ? AND name < ? ORDER BY name LIMIT ?',
  );
  const nextNamespace = connection.prepare<{ namespace: string }>(
    'SELECT namespace FROM objects WHERE kind = ? AND namespace > ? ORDER BY namespace LIMIT 1',
  );
  const newest = (folded: string) => ({
    anywhere: connection.prepare<Found>(newestSql(false, folded)),
    inNamespace: connection.prepare<Found>(newestSql(true, folded)),
  });
  const inside = { part: newest(FOLDED.part), word: newest(FOLDED.word) };

  /** Steps from one namespace to the next. */
  function* namespaces(kind: string): Generator<string> {
    let at = nextNamespace.get(kind, '');
    for (let steps = 0; at && steps < NAMESPACES_MAX; steps += 1) {
      yield at.namespace;
      at = nextNamespace.get(kind, at.namespace);
    }
  }
  const inRange = (kind: string, query: NameQuery): Found[] => {
    const bounds = nameRange(query);
    const found: Found[] = [];
    for (const namespace of query.namespace === undefined ? namespaces(kind) : [query.namespace]) {
      found.push(...range.all(kind, namespace, ...bounds, query.limit - found.length));
      if (found.length >= query.limit) break;
    }
    return found;
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
