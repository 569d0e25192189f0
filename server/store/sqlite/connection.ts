// One connection to the database file: settings, prepared statements, errors translated. Independent of any schema.
import { assertBindable } from '../bound-text.ts';
import { openDatabase } from './driver.ts';
import type { Database } from './driver.ts';
import { isConstraintFailure, toOpeningError, toServiceError } from './failure.ts';
import { WriteLog } from './write-log.ts';
import type { SqlValue } from './write-log.ts';

/** A prepared statement. Rows are typed by the caller, who wrote the SQL. Throws `invalid` for a text that cannot be bound as it is. */
export interface Statement<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  /** One row at a time, for results of any size. */
  iterate(...values: SqlValue[]): IterableIterator<Row>;
  /** Runs a write; returns how many rows it touched. */
  run(...values: SqlValue[]): number;
  /** Runs an insert; returns the id of its row. */
  insert(...values: SqlValue[]): number;
}

export interface Connection {
  readonly path: string;
  /** Those made by `run` and `insert`. */
  readonly writes: WriteLog;
  prepare<Row = never>(sql: string): Statement<Row>;
  exec(sql: string): void;
  /** Begins a write transaction. When SQLite itself rolls it back (disk full, I/O error), every statement fails with its reason until the next `begin`. */
  begin(): void;
  inTransaction(): boolean;
  /** Ends the open transaction, if SQLite has not, without what it wrote. */
  rollBack(): void;
  close(): void;
}

/** The process stands still while it waits, so it is short; only a tool that an operator runs on the file can cause it. */
const BUSY_TIMEOUT_MS = 1_000;
const CACHE_KIB = 16_384;
const JOURNAL_BYTES_MAX = 64 * 1024 * 1024;
/** Pages of 4 KiB in the write-ahead log at which a commit moves them into the file: 16 MiB, in which a page that many commits changed is moved once. */
const CHECKPOINT_PAGES = 4_096;

/** FULL: a commit is on the disk before it is acknowledged, so it survives power loss too. */
export type Durability = 'full' | 'off';

function applySettings(db: Database, durability: Durability): void {
  // The first read of the file's contents.
  db.exec('SELECT count(*) FROM sqlite_schema');
  db.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  db.exec('PRAGMA journal_mode = WAL');
  db.exec(`PRAGMA synchronous = ${durability === 'full' ? 'FULL' : 'OFF'}`);
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.exec(`PRAGMA journal_size_limit = ${JOURNAL_BYTES_MAX}`);
  db.exec('PRAGMA temp_store = MEMORY');
  db.exec('PRAGMA trusted_schema = OFF');
}

/** Opens a connection with the settings every connection to the store has. Throws `unavailable` with a sentence that names the path. */
export function openConnection(path: string, durability: Durability = 'full'): Connection {
  let db: Database | undefined;
  try {
    db = openDatabase(path);
    applySettings(db, durability);
    return wrap(db, path);
  } catch (error) {
    db?.close();
    throw toOpeningError(error, path);
  }
}

function wrap(db: Database, path: string): Connection {
  const writes = new WriteLog();
  /** Why SQLite has rolled back the open transaction by itself, if it has. */
  let lost: { readonly reason: unknown } | undefined;
  const reasonOf = (error: unknown, inside: boolean): unknown => {
    const reason = toServiceError(error, path);
    if (inside && !isConstraintFailure(error) && !db.isTransaction) lost = { reason };
    return reason;
  };
  const guarded = <T>(action: () => T): T => {
    // A statement after an automatic rollback would commit on its own, outside the caller's transaction.
    if (lost) throw lost.reason;
    const inside = db.isTransaction;
    try {
      return action();
    } catch (error) {
      throw reasonOf(error, inside);
    }
  };
  return {
    path,
    writes,
    prepare<Row>(sql: string): Statement<Row> {
      const statement = guarded(() => db.prepare(sql));
      const bound = <T>(values: readonly SqlValue[], action: () => T): T => {
        assertBindable(values);
        return guarded(action);
      };
      const run = (values: readonly SqlValue[]) => guarded(() => statement.run(...values));
      const write = (values: readonly SqlValue[]) => {
        assertBindable(values);
        const result = run(values);
        writes.add(run, values);
        return result;
      };
      return {
        get: (...values) => bound(values, () => statement.get(...values) as Row | undefined),
        all: (...values) => bound(values, () => statement.all(...values) as Row[]),
        *iterate(...values) {
          const rows = bound(values, () => statement.iterate(...values) as IterableIterator<Row>);
          const inside = db.isTransaction;
          try {
            yield* rows;
          } catch (error) {
            throw reasonOf(error, inside);
          }
        },
        run: (...values) => Number(write(values).changes),
        insert: (...values) => Number(write(values).lastInsertRowid),
      };
    },
    exec: (sql) => guarded(() => db.exec(sql)),
    begin() {
      lost = undefined;
      guarded(() => db.exec('BEGIN IMMEDIATE'));
    },
    inTransaction: () => db.isTransaction,
    rollBack() {
      lost = undefined;
      if (db.isTransaction) guarded(() => db.exec('ROLLBACK'));
    },
    close: () => db.close(),
  };
}
