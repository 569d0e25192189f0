// Opens the embedded store: one file, one owner, one writing connection with group commit and one reading connection.
import { chmodSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Clock } from '../../clock.ts';
import { StartRefused } from '../../start-refused.ts';
import type { BeforeUpgrade, IndexFunctions, Store } from '../store.ts';
import { openConnection } from './connection.ts';
import type { Connection, Durability } from './connection.ts';
import { damaged } from './failure.ts';
import { migrate, readSchemaVersion, type OnMigrating } from './migrate.ts';
import { migrations } from './migrations/list.ts';
import { acquireOwnerLock, lockPath } from './owner-lock.ts';
import { documentStatements } from './statements/documents.ts';
import { SqliteStore } from './sqlite-store.ts';

/** The file in a server's data directory. */
export const DATABASE_FILE = 'svc.db';

export interface SqliteStoreOptions extends IndexFunctions {
  /** The database file, made when absent; `:memory:` for a store that goes with the process. */
  readonly path: string;
  readonly clock: Clock;
  /** A transaction that takes longer is rolled back. Default 5000. */
  readonly transactionTimeMaxMs?: number;
  /** Reports an upgrade of the schema, step by step. */
  readonly onMigrating?: OnMigrating | undefined;
  readonly beforeUpgrade?: BeforeUpgrade | undefined;
}

const TRANSACTION_TIME_MAX_MS = 5_000;
/** Files up to this size are checked page by page at the start; the time it takes grows with the file. */
const CHECKED_BYTES_MAX = 32 * 1024 * 1024;
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;
const OTHERS_MODE_BITS = 0o077;

function makePrivate(path: string): void {
  closeSync(openSync(path, 'a', FILE_MODE));
  if ((statSync(path).mode & OTHERS_MODE_BITS) !== 0) chmodSync(path, FILE_MODE);
}

/** Node's own recursive form never returns where directories cannot be made, as under /proc. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: DIRECTORY_MODE });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT' || existsSync(dirname(path))) throw error;
    makeDirectory(dirname(path));
    mkdirSync(path, { mode: DIRECTORY_MODE });
  }
}

/** Refuses to start for a file that `use` cannot open. */
function refusing(file: string, use: () => void): void {
  try {
    use();
  } catch (cause) {
    throw new StartRefused(
      (cause as NodeJS.ErrnoException).code === 'ENOSPC' ? 'DISK_FULL' : 'UNWRITABLE',
      `the database file ${file} cannot be opened for writing; check that it is a file and its permissions`,
      { cause },
    );
  }
}

/** Makes the directory and the files, readable by their owner only. An existing directory keeps its mode: it may be shared with others. */
function prepareFiles(path: string): void {
  refusing(path, () => makeDirectory(dirname(path)));
  for (const file of [path, lockPath(path)]) refusing(file, () => makePrivate(file));
}

/** The engine names the database itself for each of its files. */
function assertWritable(path: string): void {
  const left = [`${path}-wal`, `${path}-shm`].filter((file) => existsSync(file));
  for (const file of left) refusing(file, () => closeSync(openSync(file, 'r+')));
}

/** Checks every page of a file that is not too large. */
function assertIntact(connection: Connection): void {
  if (statSync(connection.path).size > CHECKED_BYTES_MAX) return;
  const result = connection.prepare<{ quick_check: string }>('PRAGMA quick_check(1)').get()?.quick_check;
  if (result !== 'ok') throw damaged(connection.path, new Error(result));
}

/** Leases belong to the previous owner of the file, which has ended: waiting for their expiry would only delay its work. */
function endLeases(connection: Connection): void {
  connection.exec('UPDATE work_items SET lease_until = 0, ready = 0, wake_at = 0 WHERE owner IS NOT NULL');
}

interface OpenConnections {
  readonly writing: Connection;
  readonly reading: Connection;
}

type Upgrade = Pick<SqliteStoreOptions, 'onMigrating' | 'beforeUpgrade'>;

async function upgrade(connection: Connection, { onMigrating, beforeUpgrade }: Upgrade): Promise<void> {
  const version = readSchemaVersion(connection, migrations);
  if (version > 0 && version < migrations.length) {
    const documents = documentStatements(connection);
    await beforeUpgrade?.({ getDocument: async (collection, id) => documents.get(collection, id) });
  }
  migrate(connection, migrations, onMigrating);
}

async function openConnections(path: string, durability: Durability, options: Upgrade): Promise<OpenConnections> {
  const opened: Connection[] = [];
  const open = () => {
    const connection = openConnection(path, durability);
    opened.push(connection);
    return connection;
  };
  try {
    const writing = open();
    assertIntact(writing);
    await upgrade(writing, options);
    endLeases(writing);
    const reading = open();
    reading.exec('PRAGMA query_only = ON');
    return { writing, reading };
  } catch (error) {
    for (const connection of opened) connection.close();
    throw error;
  }
}

/**
 * Opens the store at `path` and brings it to the newest schema.
 * Throws `unavailable`, with one sentence that names the path, when another process owns it, it is damaged, foreign, newer, or cannot be written.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const inMemory = options.path === ':memory:';
  // A file of its own rather than SQLite's :memory:, which two connections cannot share without one blocking the other.
  const directory = inMemory ? mkdtempSync(join(tmpdir(), 'svc-store-')) : undefined;
  const path = directory ? join(directory, 'store.db') : resolve(options.path);
  const removeDirectory = () => directory && rmSync(directory, { recursive: true, force: true });
  prepareFiles(path);
  const releaseLock = acquireOwnerLock(path);
  try {
    assertWritable(path);
    const { writing, reading } = await openConnections(path, inMemory ? 'off' : 'full', options);
    return new SqliteStore({
      writing,
      reading,
      nowMs: () => options.clock.now(),
      index: options,
      transactionTimeMaxMs: options.transactionTimeMaxMs ?? TRANSACTION_TIME_MAX_MS,
      onClosed: () => {
        releaseLock();
        removeDirectory();
      },
    });
  } catch (error) {
    releaseLock();
    removeDirectory();
    throw error;
  }
}
