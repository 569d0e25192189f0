// The PostgreSQL database as the target of a copy: its tables in one exclusive transaction.
import { ServiceError } from '@svc/shared/errors';
import type { Row, Table } from './tables.ts';
import { columnList, TABLES } from './tables.ts';

/** One statement of a transaction. Rows are typed by the caller, who wrote the SQL. */
export type Query = <R>(sql: string, values?: readonly unknown[]) => Promise<R[]>;

export interface TargetTables {
  count(table: Table): Promise<number>;
  /** The newest change ever appended, 0 in a new database. */
  changeHead(): Promise<number>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** Every row, in no particular order. */
  rows(table: Table): AsyncIterable<Row>;
  /** Numbers handed out from now on follow the highest copied, changes follow `changeHead`. */
  continueFrom(changeHead: number): Promise<void>;
  /** Has the server on the target index the texts of all objects: the index of words is not copied, as each engine has a form of its own. */
  queueTexts(): Promise<void>;
}

export interface CopyTarget {
  /** `PostgreSQL at host:port, database name`; never the password. */
  readonly place: string;
  /** Throws `conflict` unless the database holds nothing; writes nothing, not even the schema. */
  assertEmpty(): Promise<void>;
  /** Brings the database to the newest schema, then runs `work` in one transaction; what it throws undoes all of it. */
  transaction<T>(work: (tables: TargetTables) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const READ_ROWS = 500;

/** A server that runs on the target keeps the copy waiting; it must not forever. */
const LOCK_TIMEOUT = '5s';

function insertSql(table: Table): string {
  const arrays = table.columns.map(({ type }, i) => `$${i + 1}::${type}[]`);
  return `INSERT INTO ${table.name} (${columnList(table)}) SELECT * FROM unnest(${arrays.join(', ')})`;
}

async function* readAll(query: Query, table: Table): AsyncGenerator<Row> {
  await query(`DECLARE copied NO SCROLL CURSOR FOR SELECT ${columnList(table)} FROM ${table.name}`);
  for (let more = true; more;) {
    const rows = await query<Row>(`FETCH ${READ_ROWS} FROM copied`);
    yield* rows;
    more = rows.length === READ_ROWS;
  }
  await query('CLOSE copied');
}

async function continueNumbers(query: Query, { name, numbered }: Table): Promise<void> {
  if (numbered === undefined) return;
  const next = `(SELECT coalesce(max(${numbered}), 0) + 1 FROM ${name})`;
  await query(`SELECT setval(pg_get_serial_sequence($1, $2), ${next}, false)`, [name, numbered]);
}

/** Keeps every other writer out of the tables until the transaction ends, and waits for no lock for long. */
export async function lockTables(query: Query): Promise<void> {
  await query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
  await query('SET LOCAL statement_timeout = 0');
  await query('SET LOCAL idle_in_transaction_session_timeout = 0');
  await query(`LOCK TABLE ${TABLES.map(({ name }) => name).join(', ')}, change_head IN EXCLUSIVE MODE`);
}

export function targetTables(query: Query): TargetTables {
  return {
    async count(table) {
      const [row] = await query<{ rows: string | number }>(`SELECT count(*) AS rows FROM ${table.name}`);
      return Number(row?.rows);
    },
    async changeHead() {
      const [row] = await query<{ seq: string | number }>('SELECT seq FROM change_head');
      return Number(row?.seq);
    },
    async insert(table, rows) {
      const columns = table.columns.map(({ name }) => rows.map((row) => row[name] ?? null));
      await query(insertSql(table), columns);
    },
    rows: (table) => readAll(query, table),
    async continueFrom(changeHead) {
      await query('UPDATE change_head SET seq = $1', [changeHead]);
      for (const table of TABLES) await continueNumbers(query, table);
    },
    async queueTexts() {
      // An object without texts that matches nevertheless, by a label, is left out of the index then.
      await query(`INSERT INTO search_pending (object_id) SELECT id FROM objects WHERE terms LIKE '%"text":"%'`);
    },
  };
}

/** Throws `conflict` with the found tables unless they hold nothing and never have. */
export async function assertEmptyTables(tables: Pick<TargetTables, 'count' | 'changeHead'>): Promise<void> {
  const found: string[] = [];
  for (const table of TABLES) {
    const rows = await tables.count(table);
    if (rows > 0) found.push(`${rows} ${rows === 1 ? 'row' : 'rows'} in ${table.name}`);
  }
  const head = await tables.changeHead();
  if (found.length === 0 && head > 0) found.push(`a change log that has come to ${head}`);
  if (found.length === 0) return;
  const sentence = `the target database is not empty: it holds ${found.join(', ')}; copy into a database that no server has used`;
  throw new ServiceError('conflict', sentence);
}
