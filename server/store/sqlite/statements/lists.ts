// SQL of lists: index ranges only. A page costs what it holds, plus what its filter steps over.
import { ServiceError } from '@svc/shared/errors';
import { describeKey } from '@svc/shared/resource';
import type { ListCursor, ListOrder, ListQuery, StoredObject } from '../../store.ts';
import type { Connection, SqlValue, Statement } from '../connection.ts';
import { planList } from '../list-plan.ts';
import type { ListPlan } from '../list-plan.ts';
import type { Terms } from '../terms.ts';
import type { ChangeStatements } from './changes.ts';
import type { ObjectStatements } from './objects.ts';

interface ListRow {
  id: number;
  namespace: string;
  name: string;
  created_at: string;
  /** The object's JSON, or its terms when the list has a filter. */
  body: string;
}

/** A place in the order: strictly after it. */
type Position = Readonly<Pick<ListRow, 'namespace' | 'name' | 'created_at'>>;

/** One read of a list: up to `limit` rows after `position`. */
interface Stretch {
  readonly query: ListQuery;
  readonly plan: ListPlan;
  readonly position: Position | undefined;
  readonly limit: number;
}

interface Shape {
  readonly byTerm: boolean;
  readonly inNamespace: boolean;
  readonly order: ListOrder;
  readonly positioned: boolean;
  readonly filtered: boolean;
}

/** Rows looked at between two pauses of a filtered list. */
const SCAN_ROWS = 256;
/** Above every name in bytewise order (names are ASCII). */
const AFTER_ALL_NAMES = '\u{10ffff}';

function orderColumns(shape: Shape): string[] {
  const key = shape.inNamespace ? ['name'] : ['namespace', 'name'];
  return shape.order === 'name' ? key : ['created_at', ...key];
}

/** The one statement of a list shape. Its WHERE and ORDER BY follow one index from left to right, so no rows are sorted or skipped. */
export function listSql(shape: Shape): string {
  const source = shape.byTerm ? 't' : 'o';
  const columns = orderColumns(shape).map((column) => `${source}.${column}`);
  const descending = shape.order === '-createdAt';
  const conditions = [`${source}.kind = ?`];
  if (shape.byTerm) conditions.push('t.term = ?', 't.value = ?');
  if (shape.inNamespace) conditions.push(`${source}.namespace = ?`);
  if (shape.positioned) conditions.push(`(${columns.join(', ')}) ${descending ? '<' : '>'} (${columns.map(() => '?').join(', ')})`);
  const from = shape.byTerm ? 'object_terms t CROSS JOIN objects o ON o.id = t.object_id' : 'objects o';
  return `SELECT o.id, o.namespace, o.name, o.created_at, ${shape.filtered ? 'o.terms' : 'o.doc'} AS body FROM ${from}
    WHERE ${conditions.join(' AND ')}
    ORDER BY ${columns.map((column) => (descending ? `${column} DESC` : column)).join(', ')} LIMIT ?`;
}

function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** Orders rows of several ranges as the index orders one. */
function compareRows(order: ListOrder): (a: ListRow, b: ListRow) => number {
  const byKey = (a: ListRow, b: ListRow) => compareBytes(a.namespace, b.namespace) || compareBytes(a.name, b.name);
  if (order === 'name') return byKey;
  const byCreated = (a: ListRow, b: ListRow) => compareBytes(a.created_at, b.created_at) || byKey(a, b);
  return order === 'createdAt' ? byCreated : (a, b) => byCreated(b, a);
}

/** The name bound of a position within one namespace: a position of another namespace lies before or after all of its names. */
function nameBound(position: Position, namespace: string): string {
  const order = compareBytes(position.namespace, namespace);
  if (order === 0) return position.name;
  return order < 0 ? '' : AFTER_ALL_NAMES;
}

function positionValues(query: ListQuery, position: Position): SqlValue[] {
  const key = query.namespace === undefined ? [position.namespace, position.name] : [nameBound(position, query.namespace)];
  return query.order === undefined || query.order === 'name' ? key : [position.created_at, ...key];
}

export type ListStatements = ReturnType<typeof listStatements>;

export function listStatements(connection: Connection, objects: ObjectStatements, changes: ChangeStatements) {
  const statements = new Map<string, Statement<ListRow>>();

  const statementOf = (shape: Shape): Statement<ListRow> => {
    const sql = listSql(shape);
    const known = statements.get(sql);
    if (known) return known;
    const statement = connection.prepare<ListRow>(sql);
    statements.set(sql, statement);
    return statement;
  };

  /** The cursor's item may be gone by now: its creation time is then read from the change log. */
  const startOf = (query: ListQuery): Position | undefined => {
    const { after, kind } = query;
    if (!after) return undefined;
    const { namespace, name } = after;
    return { namespace, name, created_at: query.order === 'name' || !query.order ? '' : createdAtOf(kind, after) };
  };
  const createdAtOf = (kind: string, cursor: ListCursor): string => {
    if (cursor.createdAt !== undefined) return cursor.createdAt;
    const key = { kind, namespace: cursor.namespace, name: cursor.name };
    const createdAt = (objects.get(key) ?? changes.lastState(key))?.createdAt;
    if (createdAt !== undefined) return createdAt;
    throw new ServiceError('gone', `the list cannot go on after ${describeKey(key)}, which no longer exists; start the list again`);
  };

  const fetch = ({ query, plan, position, limit }: Stretch): ListRow[] => {
    const order = query.order ?? 'name';
    const inNamespace = query.namespace !== undefined;
    const statement = statementOf({
      byTerm: plan.driver !== undefined,
      inNamespace,
      order,
      positioned: position !== undefined,
      filtered: plan.filter !== undefined,
    });
    const tail: SqlValue[] = [...(inNamespace ? [query.namespace ?? ''] : []), ...(position ? positionValues(query, position) : []), limit];
    const { driver } = plan;
    if (!driver) return statement.all(query.kind, ...tail);
    const ranges = driver.values.map((value) => statement.all(query.kind, driver.term, value, ...tail));
    if (ranges.length === 1) return ranges[0] ?? [];
    // An object has one value per label, so the ranges are disjoint, and the first `limit` of all are among the first `limit` of each.
    return ranges.flat().sort(compareRows(order)).slice(0, limit);
  };

  return {
    /** `pause` is awaited between stretches of a filtered list, so that a long one does not hold up the process. */
    async list(query: ListQuery, pause: () => Promise<void>): Promise<StoredObject[]> {
      const plan = planList(query);
      const page: StoredObject[] = [];
      let position = startOf(query);
      while (page.length < query.limit) {
        const wanted = plan.filter ? SCAN_ROWS : query.limit;
        const rows = fetch({ query, plan, position, limit: wanted });
        appendMatches(page, rows, { plan, limit: query.limit, load: (id) => objects.getById(id) });
        position = rows.at(-1);
        if (rows.length < wanted) break;
        if (page.length < query.limit) await pause();
      }
      return page;
    },
  };
}

interface MatchContext {
  readonly plan: ListPlan;
  readonly limit: number;
  readonly load: (id: number) => StoredObject | undefined;
}

function appendMatches(page: StoredObject[], rows: readonly ListRow[], context: MatchContext): void {
  const { filter } = context.plan;
  for (const row of rows) {
    if (page.length >= context.limit) return;
    if (!filter) page.push(JSON.parse(row.body) as StoredObject);
    else if (filter(JSON.parse(row.body) as Terms)) {
      const object = context.load(row.id);
      if (object) page.push(object);
    }
  }
}
