// SQL of lists: index ranges only. A page costs what it holds, plus what its filter steps over.
import { readCount } from '../../count-reading.ts';
import { isDescending, orderColumns } from '../../list-ranges.ts';
import type { ListRow, ListShape } from '../../list-ranges.ts';
import { NO_ROOM, readList } from '../../list-reading.ts';
import type { CountShape, LoadedObjects } from '../../list-reading.ts';
import type { CountQuery, ObjectCount, ObjectPage, PageQuery, StoredObject } from '../../store.ts';
import type { Connection, Statement } from '../connection.ts';
import type { ChangeStatements } from './changes.ts';
import type { ObjectStatements } from './objects.ts';
import { parseObject } from '../../parse-object.ts';

function rowsOf({ byTerm, order }: ListShape): { readonly source: 'o' | 't' | 'v'; readonly table: string } {
  if (order === 'value' || order === '-value') return { source: 'v', table: 'sort_values' };
  return byTerm ? { source: 't', table: 'object_terms' } : { source: 'o', table: 'objects' };
}

/** The one statement of a list shape. Its WHERE and ORDER BY follow one index from left to right, so no rows are sorted or skipped. */
export function listSql(shape: ListShape): string {
  const { source, table } = rowsOf(shape);
  const columns = orderColumns(shape).map((column) => `${source}.${column}`);
  const descending = isDescending(shape.order);
  const conditions = [`${source}.kind = ?`];
  if (source === 't') conditions.push('t.term = ?', 't.value = ?');
  if (source === 'v') conditions.push('v.field = ?');
  if (shape.inNamespace) conditions.push(`${source}.namespace = ?`);
  if (shape.positioned) conditions.push(`(${columns.join(', ')}) ${descending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`);
  const from = source === 'o' ? 'objects o' : `${table} ${source} CROSS JOIN objects o ON o.id = ${source}.object_id`;
  const value = source === 'v' ? ' v.value,' : '';
  return `SELECT o.id, o.namespace, o.name, o.created_at,${value} ${shape.filtered ? 'o.terms' : 'o.doc'} AS body FROM ${from}
    WHERE ${conditions.join(' AND ')}
    ORDER BY ${columns.map((column) => (descending ? `${column} DESC` : column)).join(', ')} LIMIT ?`;
}

/** The next value of a term, whatever the namespace: one step in an index. */
function nextValueSql(descending: boolean): string {
  return `SELECT value FROM object_terms WHERE kind = ? AND term = ? AND value ${descending ? '<' : '>'} ?
    ORDER BY value${descending ? ' DESC' : ''} LIMIT 1`;
}

/** Counts rows of one range of an index, up to a limit. */
export function countSql({ byTerm, inNamespace }: CountShape): string {
  const conditions = ['kind = ?', ...(byTerm ? ['term = ?', 'value = ?'] : []), ...(inNamespace ? ['namespace = ?'] : [])];
  return `SELECT count(*) AS count FROM (SELECT 1 FROM ${byTerm ? 'object_terms' : 'objects'} WHERE ${conditions.join(' AND ')} LIMIT ?)`;
}

export type ListStatements = ReturnType<typeof listStatements>;

export function listStatements(connection: Connection, objects: ObjectStatements, changes: ChangeStatements) {
  const statements = new Map<string, Statement<ListRow>>();

  const statementOf = (shape: ListShape): Statement<ListRow> => {
    const sql = listSql(shape);
    const known = statements.get(sql);
    if (known) return known;
    const statement = connection.prepare<ListRow>(sql);
    statements.set(sql, statement);
    return statement;
  };
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

  /** Steps through the range and stops at the first row that does not fit. */
  const fetchSized = (shape: ListShape, values: (string | number)[]): ListRow[] => {
    const bytesMax = Number(values.at(-1));
    const rows: ListRow[] = [];
    let size = 0;
    for (const row of statementOf(shape).iterate(...values.slice(0, -1))) {
      size += row.body.length;
      const fits = size <= bytesMax || rows.length === 0;
      rows.push(fits ? row : { ...row, body: NO_ROOM });
      if (!fits) break;
    }
    return rows;
  };
  const fetch = (shape: ListShape, values: (string | number)[]): ListRow[] =>
    shape.sized ? fetchSized(shape, values) : statementOf(shape).all(...values);
  const nextValues = {
    true: connection.prepare<{ value: string }>(nextValueSql(true)),
    false: connection.prepare<{ value: string }>(nextValueSql(false)),
  };
  const nextValue = ({ kind, term }: { readonly kind: string; readonly term: string }, value: string, descending: boolean) =>
    nextValues[`${descending}`].get(kind, term, value)?.value;
  const counts = new Map<string, Statement<{ count: number }>>();
  const count = (shape: CountShape, values: (string | number)[]): number => {
    const sql = countSql(shape);
    const statement = counts.get(sql) ?? connection.prepare<{ count: number }>(sql);
    counts.set(sql, statement);
    return statement.get(...values)?.count ?? 0;
  };

  return {
    load,
    count: (query: CountQuery, pause: () => Promise<void>): Promise<ObjectCount> => readCount({ fetch, count, pause }, query),
    /** `pause` is awaited between stretches of a filtered list, so that a long one does not hold up the process. */
    list: (query: PageQuery, pause: () => Promise<void>, bytesMax?: number): Promise<ObjectPage> =>
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
