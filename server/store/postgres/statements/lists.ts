// SQL of lists: index ranges only. A page costs what it holds, plus what its filter steps over.
import type { ListRow, ListShape } from '../../list-reading.ts';
import { orderColumns } from '../../list-reading.ts';
import { statementCache } from '../session.ts';
import type { Session } from '../session.ts';

const statementOf = statementCache();

/** The one statement of a list shape. Its WHERE and ORDER BY follow one index from left to right, so no rows are sorted or skipped. */
export function listSql(shape: ListShape): string {
  let parameters = 0;
  const next = (): string => `$${(parameters += 1)}`;
  const source = shape.byTerm ? 't' : 'o';
  const columns = orderColumns(shape).map((column) => `${source}.${column}`);
  const descending = shape.order === '-createdAt';
  const conditions = [`${source}.kind = ${next()}`];
  if (shape.byTerm) conditions.push(`t.term = ${next()}`, `t.value = ${next()}`);
  if (shape.inNamespace) conditions.push(`${source}.namespace = ${next()}`);
  if (shape.positioned) conditions.push(`(${columns.join(', ')}) ${descending ? '<' : '>'} (${columns.map(next).join(', ')})`);
  const from = shape.byTerm ? 'object_terms t JOIN objects o ON o.id = t.object_id' : 'objects o';
  return `SELECT o.id, o.namespace, o.name, o.created_at, ${shape.filtered ? 'o.terms' : 'o.doc'} AS body FROM ${from}
    WHERE ${conditions.join(' AND ')}
    ORDER BY ${columns.map((column) => (descending ? `${column} DESC` : column)).join(', ')} LIMIT ${next()}`;
}

export async function fetchListRows(session: Session, shape: ListShape, values: readonly (string | number)[]): Promise<ListRow[]> {
  return (await session.run<ListRow>(statementOf(listSql(shape)), values)).rows;
}
