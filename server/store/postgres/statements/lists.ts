// SQL of lists: index ranges only. A page costs what it holds, plus what its filter steps over.
import { isDescending, orderColumns } from '../../list-ranges.ts';
import type { ListRow, ListShape } from '../../list-ranges.ts';
import { NO_ROOM } from '../../list-reading.ts';
import type { CountShape } from '../../list-reading.ts';
import { one, statement, statementCache } from '../session.ts';
import type { Session } from '../session.ts';

const statementOf = statementCache();

function rowsOf({ byTerm, order }: ListShape): { readonly source: 'o' | 't' | 'v'; readonly table: string } {
  if (order === 'value' || order === '-value') return { source: 'v', table: 'sort_values' };
  return byTerm ? { source: 't', table: 'object_terms' } : { source: 'o', table: 'objects' };
}

/** The one statement of a list shape. Its WHERE and ORDER BY follow one index from left to right, so no rows are sorted or skipped. */
export function listSql(shape: ListShape): string {
  let parameters = 0;
  const next = (): string => `$${(parameters += 1)}`;
  const { source, table } = rowsOf(shape);
  const columns = orderColumns(shape).map((column) => `${source}.${column}`);
  const descending = isDescending(shape.order);
  const conditions = [`${source}.kind = ${next()}`];
  if (source === 't') conditions.push(`t.term = ${next()}`, `t.value = ${next()}`);
  if (source === 'v') conditions.push(`v.field = ${next()}`);
  if (shape.inNamespace) conditions.push(`${source}.namespace = ${next()}`);
  if (shape.positioned) conditions.push(`(${columns.join(', ')}) ${descending ? '<' : '>'} (${columns.map(next).join(', ')})`);
  const from = source === 'o' ? 'objects o' : `${table} ${source} JOIN objects o ON o.id = ${source}.object_id`;
  const value = source === 'v' ? ' v.value,' : '';
  const order = columns.map((column) => (descending ? `${column} DESC` : column)).join(', ');
  const body = shape.filtered ? 'o.terms' : 'o.doc';
  const select = (size: string) => `SELECT o.id, o.namespace, o.name, o.created_at,${value} ${body} AS body${size} FROM ${from}
    WHERE ${conditions.join(' AND ')}
    ORDER BY ${order} LIMIT ${next()}`;
  if (!shape.sized) return select('');
  // The window runs in the order of the index, so nothing is sorted; the length of a large text is known without reading it.
  const running = `, sum(octet_length(${body})) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS total,
    row_number() OVER (ORDER BY ${order}) AS place`;
  const rows = select(running);
  const room = next();
  return `SELECT id, namespace, name, created_at,
    CASE WHEN total <= ${room}::bigint OR place = 1 THEN body ELSE '${NO_ROOM}' END AS body
    FROM (${rows}) page WHERE total - octet_length(body) <= ${room}::bigint OR place = 2`;
}

/** Counts rows of one range of an index, up to a limit. */
export function countSql({ byTerm, inNamespace, positioned }: CountShape): string {
  let parameters = 0;
  const next = (): string => `$${(parameters += 1)}`;
  const fixed = ['kind', ...(byTerm ? ['term', 'value'] : []), ...(inNamespace ? ['namespace'] : [])];
  const conditions = fixed.map((column) => `${column} = ${next()}`);
  const columns = orderColumns({ inNamespace, order: 'createdAt' });
  const order = positioned ? ` ORDER BY ${columns.join(', ')}` : '';
  if (positioned) conditions.push(`(${columns.join(', ')}) > (${columns.map(next).join(', ')})`);
  const rows = `SELECT 1 FROM ${byTerm ? 'object_terms' : 'objects'} WHERE ${conditions.join(' AND ')}${order} LIMIT ${next()}`;
  return `SELECT count(*) AS count FROM (${rows}) AS counted`;
}

/** The next value of a term, whatever the namespace: one step in an index. */
const nextValue = {
  true: statement(`SELECT value FROM object_terms WHERE kind = $1 AND term = $2 AND value < $3 ORDER BY value DESC LIMIT 1`),
  false: statement(`SELECT value FROM object_terms WHERE kind = $1 AND term = $2 AND value > $3 ORDER BY value LIMIT 1`),
};

export interface TermPlace {
  readonly kind: string;
  readonly term: string;
  readonly value: string;
}

export async function readNextValue(session: Session, { kind, term, value }: TermPlace, descending: boolean): Promise<string | undefined> {
  return (await one(session.run<{ value: string }>(nextValue[`${descending}`], [kind, term, value])))?.value;
}

export async function countRows(session: Session, shape: CountShape, values: readonly (string | number)[]): Promise<number> {
  return (await one(session.run<{ count: number }>(statementOf(countSql(shape)), values)))?.count ?? 0;
}

export async function fetchListRows(session: Session, shape: ListShape, values: readonly (string | number)[]): Promise<ListRow[]> {
  return (await session.run<ListRow>(statementOf(listSql(shape)), values)).rows;
}
