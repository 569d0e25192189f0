// SQL of lists: index ranges only. A page costs what it holds, plus what its filter steps over.
import { invariant } from '@svc/shared/errors';
import { readCount } from '../../count-reading.ts';
import { isDescending, orderColumns } from '../../list-ranges.ts';
import type { ListRow, ListShape } from '../../list-ranges.ts';
import { NO_ROOM, readList } from '../../list-reading.ts';
import type { CountShape, LoadedObjects } from '../../list-reading.ts';
import type { CountQuery, ObjectCount, ObjectPage, PageQuery, StoredObject } from '../../store.ts';
import type { Connection, Statement } from '../connection.ts';
import type { KnownVersion, KnownVersions } from '../known-versions.ts';
import type { ChangeStatements } from './changes.ts';
import type { ObjectStatements } from './objects.ts';
import { parseObject } from '../../parse-object.ts';

function rowsOf({ byTerm, order }: ListShape): { readonly source: 'o' | 't' | 'v'; readonly table: string } {
  if (order === 'value' || order === '-value') return { source: 'v', table: 'sort_values' };
  return byTerm ? { source: 't', table: 'object_terms' } : { source: 'o', table: 'objects' };
}

/** Names an object, its version and its row. No part of it holds a space or a comma. */
const VERSION = `o.uid || ' ' || o.resource_version || ' ' || o.id`;

/** The one statement of a list shape. Its WHERE and ORDER BY follow one index from left to right, so no rows are sorted or skipped. */
export function listSql(shape: ListShape): string {
  const { source } = rowsOf(shape);
  const value = source === 'v' ? ' v.value,' : '';
  return rangeSql(shape, `o.id, o.namespace, o.name, o.created_at,${value} ${shape.filtered ? 'o.terms' : 'o.doc'} AS body`);
}

/** The versions of the same rows as one text: a row of its own for each costs several times more. A limit keeps their order. */
export function versionsSql(shape: ListShape): string {
  return `SELECT group_concat(version) AS versions FROM (${rangeSql(shape, `${VERSION} AS version`)})`;
}

function rangeSql(shape: ListShape, selected: string): string {
  const { source, table } = rowsOf(shape);
  const columns = orderColumns(shape).map((column) => `${source}.${column}`);
  const descending = isDescending(shape.order);
  const conditions = [`${source}.kind = ?`];
  if (source === 't') conditions.push('t.term = ?', 't.value = ?');
  if (source === 'v') conditions.push('v.field = ?');
  if (shape.inNamespace) conditions.push(`${source}.namespace = ?`);
  if (shape.positioned) conditions.push(`(${columns.join(', ')}) ${descending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`);
  const from = source === 'o' ? 'objects o' : `${table} ${source} CROSS JOIN objects o ON o.id = ${source}.object_id`;
  return `SELECT ${selected} FROM ${from}
    WHERE ${conditions.join(' AND ')}
    ORDER BY ${columns.map((column) => (descending ? `${column} DESC` : column)).join(', ')} LIMIT ?`;
}

/** The next value of a term, whatever the namespace: one step in an index. */
function nextValueSql(descending: boolean): string {
  return `SELECT value FROM object_terms WHERE kind = ? AND term = ? AND value ${descending ? '<' : '>'} ?
    ORDER BY value${descending ? ' DESC' : ''} LIMIT 1`;
}

/** Counts rows of one range of an index, up to a limit. */
export function countSql({ byTerm, inNamespace, positioned }: CountShape): string {
  const conditions = ['kind = ?', ...(byTerm ? ['term = ?', 'value = ?'] : []), ...(inNamespace ? ['namespace = ?'] : [])];
  const columns = orderColumns({ inNamespace, order: 'createdAt' }).join(', ');
  if (positioned) conditions.push(inNamespace ? `(${columns}) > (?, ?)` : `(${columns}) > (?, ?, ?)`);
  const rows = `SELECT 1 FROM ${byTerm ? 'object_terms' : 'objects'} WHERE ${conditions.join(' AND ')}`;
  return `SELECT count(*) AS count FROM (${rows}${positioned ? ` ORDER BY ${columns}` : ''} LIMIT ?)`;
}

/** Prepares the statement of each text once. */
function statementCache<Row>(connection: Connection): (sql: string) => Statement<Row> {
  const prepared = new Map<string, Statement<Row>>();
  return (sql) => {
    const statement = prepared.get(sql) ?? connection.prepare<Row>(sql);
    prepared.set(sql, statement);
    return statement;
  };
}

function rowOf({ id, object }: KnownVersion, fits: boolean): ListRow {
  const { namespace, name, createdAt } = object;
  return { id, namespace, name, created_at: createdAt, body: NO_ROOM, ...(fits && { object }) };
}

export type ListStatements = ReturnType<typeof listStatements>;

export interface ListParts {
  readonly objects: ObjectStatements;
  readonly changes: ChangeStatements;
  readonly known: KnownVersions;
  /** Awaited between stretches of a filtered list, so that a long one does not hold up the process. */
  readonly pause: () => Promise<void>;
}

export function listStatements(connection: Connection, { objects, changes, known, pause }: ListParts) {
  const statementOf = statementCache<ListRow>(connection);
  const versionsOf = statementCache<{ versions: string | null }>(connection);
  const load = (ids: readonly number[], bytesMax: number): LoadedObjects => {
    const found = new Map<number, StoredObject>();
    let size = 0;
    for (const id of ids) {
      const doc = objects.docById(id);
      if (doc === undefined) continue;
      if (found.size > 0 && size + doc.length > bytesMax) return { objects: found, size, full: true };
      found.set(id, parseObject(doc));
      size += doc.length;
    }
    return { objects: found, size, full: false };
  };

  const readVersion = (version: string): KnownVersion => {
    const id = Number(version.slice(version.lastIndexOf(' ') + 1));
    const doc = objects.docById(id);
    invariant(doc !== undefined, 'a row that was just read has its document');
    return { id, object: parseObject(doc), size: doc.length };
  };

  /** Stops at the first row that does not fit. Only versions that are not known are loaded. */
  const fetchSized = (shape: ListShape, values: (string | number)[]): ListRow[] => {
    const bytesMax = Number(values.at(-1));
    const { versions } = versionsOf(versionsSql(shape)).get(...values.slice(0, -1)) ?? {};
    const rows: ListRow[] = [];
    let size = 0;
    for (const version of versions?.split(',') ?? []) {
      const found = known.of(version, readVersion);
      size += found.size;
      const fits = size <= bytesMax || rows.length === 0;
      rows.push(rowOf(found, fits));
      if (!fits) break;
    }
    return rows;
  };
  const fetch = (shape: ListShape, values: (string | number)[]): ListRow[] =>
    shape.sized ? fetchSized(shape, values) : statementOf(listSql(shape)).all(...values);
  const nextValues = {
    true: connection.prepare<{ value: string }>(nextValueSql(true)),
    false: connection.prepare<{ value: string }>(nextValueSql(false)),
  };
  const nextValue = ({ kind, term }: { readonly kind: string; readonly term: string }, value: string, descending: boolean) =>
    nextValues[`${descending}`].get(kind, term, value)?.value;
  const countOf = statementCache<{ count: number }>(connection);
  const count = (shape: CountShape, values: (string | number)[]): number => countOf(countSql(shape)).get(...values)?.count ?? 0;

  return {
    load,
    count: (query: CountQuery): Promise<ObjectCount> => readCount({ fetch, count, pause }, query),
    list: (query: PageQuery, bytesMax?: number): Promise<ObjectPage> =>
      readList(
        {
          fetch,
          load,
          count,
          nextValue,
          lastKnown: (key) => objects.get(key) ?? changes.lastState(key),
          pause,
        },
        query,
        bytesMax,
      ),
  };
}
