// SQL of the change log. The sequence is SQLite's AUTOINCREMENT: it rolls back with its transaction, so it has no gaps, and it survives pruning.
import type { ResourceKey } from '@svc/shared/resource';
import { CHANGE_COLUMNS, changeBound, changeFilters, toChange } from '../../change-row.ts';
import type { ChangeRow, NewChange } from '../../change-row.ts';
import type { Change, ChangePage, ChangeQuery, StoredObject } from '../../store.ts';
import type { Connection, Statement } from '../connection.ts';
import { parseObject } from '../../parse-object.ts';

/**
 * The statement of a query's shape: which filters it has, and its direction.
 * A kind within a namespace is filtered inside the index of either, which carries the other; a name without its namespace is filtered row by row.
 */
export function readSql(filters: readonly string[], descending: boolean): string {
  const conditions = [...filters.map((column) => `${column} = ?`), descending ? 'seq < ?' : 'seq > ?'];
  return `SELECT ${CHANGE_COLUMNS} FROM changes WHERE ${conditions.join(' AND ')} ORDER BY seq ${descending ? 'DESC' : 'ASC'} LIMIT ?`;
}

export type ChangeStatements = ReturnType<typeof changeStatements>;

export function changeStatements(connection: Connection) {
  const insert = connection.prepare(
    'INSERT INTO changes (timestamp, type, kind, namespace, name, resource_version, object, fact) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const selectHead = connection.prepare<{ seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'changes'`);
  const selectOldest = connection.prepare<{ seq: number | null }>('SELECT min(seq) AS seq FROM changes');
  const deleteRange = connection.prepare('DELETE FROM changes WHERE seq >= ? AND seq < ?');
  const selectLastState = connection.prepare<{ object: string | null }>(
    `SELECT object FROM changes WHERE kind = ? AND namespace = ? AND name = ? AND type <> 'fact' ORDER BY seq DESC LIMIT 1`,
  );
  const reads = new Map<string, Statement<ChangeRow>>();

  const readStatement = (sql: string): Statement<ChangeRow> => {
    const known = reads.get(sql);
    if (known) return known;
    const statement = connection.prepare<ChangeRow>(sql);
    reads.set(sql, statement);
    return statement;
  };
  const reading = (query: ChangeQuery) => {
    const filters = changeFilters(query);
    const columns = filters.map(({ column }) => column);
    const statement = readStatement(readSql(columns, query.descending === true));
    return { statement, values: [...filters.map(({ value }) => value), changeBound(query), query.limit] };
  };
  const head = (): number => selectHead.get()?.seq ?? 0;

  return {
    head,
    append(change: NewChange): void {
      const { key, timestamp, type, resourceVersion } = change;
      const fact = change.fact ? JSON.stringify(change.fact) : null;
      insert.run(timestamp, type, key.kind, key.namespace, key.name, resourceVersion, change.object ?? null, fact);
    },
    read(query: ChangeQuery): Change[] {
      const { statement, values } = reading(query);
      return statement.all(...values).map(toChange);
    },
    /** Steps through the log and stops at the first change that does not fit. */
    readPage(query: ChangeQuery, bytesMax: number): ChangePage {
      const { statement, values } = reading(query);
      const changes: Change[] = [];
      let size = 0;
      for (const row of statement.iterate(...values)) {
        size += row.object?.length ?? 0;
        if (size > bytesMax && changes.length > 0) return { changes, full: true };
        changes.push(toChange(row));
      }
      return { changes, full: false };
    },
    bounds(): { head: number; oldest: number } {
      const newest = head();
      return { head: newest, oldest: selectOldest.get()?.seq ?? newest + 1 };
    },
    /** The last state of an object that the log still holds; of a deleted one, the state it was deleted in. */
    lastState(key: ResourceKey): StoredObject | undefined {
      const text = selectLastState.get(key.kind, key.namespace, key.name)?.object;
      return text ? parseObject(text) : undefined;
    },
    /** Deletes `from <= seq < before`; returns how many. */
    deleteRange: (from: number, before: number): number => deleteRange.run(from, before),
  };
}
