// SQL that looks for objects by name: ranges of names, and the newest names of a kind, both read from an index that holds all it needs.
import type { ResourceKey } from '@svc/shared/resource';
import { foldedText, looksInside, nameRange, NEWEST_NAMES } from '../../name-search.ts';
import type { NameQuery } from '../../store.ts';
import { statement } from '../session.ts';
import type { Session } from '../session.ts';

const rangeAnywhere = statement(
  `SELECT k.kind, m.namespace, m.name FROM unnest($1::text[]) AS k (kind) CROSS JOIN LATERAL
     (SELECT o.namespace, o.name FROM objects o WHERE o.kind = k.kind AND lower(o.name) >= $2 AND lower(o.name) < $3
      ORDER BY lower(o.name), o.namespace, o.name LIMIT $4) m`,
);
const rangeInNamespace = statement(
  `SELECT k.kind, m.namespace, m.name FROM unnest($1::text[]) AS k (kind) CROSS JOIN LATERAL
     (SELECT o.namespace, o.name FROM objects o WHERE o.kind = k.kind AND o.namespace = $5 AND o.name >= $2 AND o.name < $3
      ORDER BY o.name LIMIT $4) m`,
);

const FOLDED = { part: 'lower(newest.name)', word: `'-' || translate(lower(newest.name), '._', '--')` };

/** The names of each kind from new to old, those that hold a text. */
function newestSql(inNamespace: boolean, folded: string): string {
  const newest = inNamespace
    ? 'o.kind = k.kind AND o.namespace = $4 ORDER BY o.created_at DESC, o.name DESC'
    : 'o.kind = k.kind ORDER BY o.created_at DESC, o.namespace DESC, o.name DESC';
  return `SELECT k.kind, m.namespace, m.name FROM unnest($1::text[]) AS k (kind) CROSS JOIN LATERAL (
     SELECT newest.namespace, newest.name FROM
       (SELECT o.namespace, o.name FROM objects o WHERE ${newest} LIMIT ${NEWEST_NAMES}) newest
     WHERE strpos(${folded}, $2) > 0 LIMIT $3
   ) m`;
}

function newestStatements(folded: string) {
  return { anywhere: statement(newestSql(false, folded)), inNamespace: statement(newestSql(true, folded)) };
}

const inside = { part: newestStatements(FOLDED.part), word: newestStatements(FOLDED.word) };

export async function findNames(session: Session, query: NameQuery): Promise<ResourceKey[]> {
  const { kinds, namespace, match, limit } = query;
  const scope = namespace === undefined ? [] : [namespace];
  if (!looksInside(query)) {
    const sql = namespace === undefined ? rangeAnywhere : rangeInNamespace;
    return (await session.run<ResourceKey>(sql, [kinds, ...nameRange(query), limit, ...scope])).rows;
  }
  const { anywhere, inNamespace } = inside[match === 'word' ? 'word' : 'part'];
  const sql = namespace === undefined ? anywhere : inNamespace;
  return (await session.run<ResourceKey>(sql, [kinds, foldedText(query), limit, ...scope])).rows;
}
