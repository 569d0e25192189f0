// Brings a database file to the newest schema, or refuses it. The caller holds the owner lock.
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { StartRefused } from '../../start-refused.ts';
import type { Connection } from './connection.ts';
import { isDiskFull } from './failure.ts';
import type { Migration } from './migrations/list.ts';

/** Marks a file as ours ("SVCD" in ASCII), so that another program's database is never migrated. */
const APPLICATION_ID = 0x53564344;

/** Progress of an upgrade: step 0 is the copy before it. A new database reports none. */
interface MigrationStep {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly total: number;
}
export type OnMigrating = (step: MigrationStep) => void;

function readNumber(connection: Connection, sql: string): number {
  const row = connection.prepare<{ value: number }>(sql).get();
  return row?.value ?? 0;
}

/** The schema version of a database, 0 when it is empty. Throws `unavailable` for a newer schema or a foreign file. */
export function readSchemaVersion(connection: Connection, migrations: readonly Migration[]): number {
  const newest = migrations.at(-1)?.version ?? 0;
  const current = readNumber(connection, 'SELECT user_version AS value FROM pragma_user_version');
  const tables = readNumber(connection, 'SELECT count(*) AS value FROM sqlite_schema');
  const applicationId = readNumber(connection, 'SELECT application_id AS value FROM pragma_application_id');
  if (tables > 0 && applicationId !== APPLICATION_ID) {
    throw new StartRefused('FOREIGN_DATA', `the file ${connection.path} is a database of another program; choose another data directory`);
  }
  if (current > newest) {
    throw new StartRefused(
      'SCHEMA_TOO_NEW',
      `the database ${connection.path} has schema version ${current}, and this server knows versions up to ${newest}; use the newer server, or restore the backup made before its upgrade`,
    );
  }
  return current;
}

/** A free file name beside the database for the copy made before leaving schema version `version`. */
function backupPath(path: string, version: number): string {
  for (let attempt = 0; ; attempt += 1) {
    const candidate = `${path}.schema-${version}${attempt === 0 ? '' : `-${attempt}`}.backup`;
    if (!existsSync(candidate)) return candidate;
  }
}

/** Copies the database, readable by its owner only. The copy has its name once it is whole on the disk; one that fails leaves nothing. */
function backUp(connection: Connection, version: number): string {
  const path = backupPath(connection.path, version);
  const draft = `${path}.partial`;
  discard(draft);
  try {
    closeSync(openSync(draft, 'wx', 0o600));
    connection.exec(`VACUUM INTO '${draft.replaceAll("'", "''")}'`);
    flush(draft, 'r+');
    renameSync(draft, path);
    // Windows opens no directories.
    if (process.platform !== 'win32') flush(dirname(path), 'r');
    return path;
  } catch (error) {
    discard(draft);
    throw isDiskFull(error) ? noRoom(connection, error) : error;
  }
}

/** A journal that outlived its file would be played back into the next one of that name. */
function discard(draft: string): void {
  for (const suffix of ['', '-journal']) rmSync(`${draft}${suffix}`, { force: true });
}

function flush(path: string, access: 'r' | 'r+'): void {
  const file = openSync(path, access);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function noRoom(connection: Connection, cause: unknown): StartRefused {
  const bytes = readNumber(
    connection,
    'SELECT (page_count - freelist_count) * page_size AS value FROM pragma_page_count, pragma_freelist_count, pragma_page_size',
  );
  const message = `the disk that holds the database ${connection.path} has no room for the copy of about ${Math.ceil(bytes / 1e6)} MB that an upgrade makes first; free some space and start again`;
  return new StartRefused('DISK_FULL', message, { cause });
}

/**
 * Runs the missing migrations, each in a transaction of its own, after a copy of an existing database was made beside it.
 * Returns the path of that copy, or undefined when none was needed. Throws `unavailable` for a newer schema or a foreign file, having changed nothing.
 */
export function migrate(
  connection: Connection,
  migrations: readonly Migration[],
  onMigrating: OnMigrating = () => undefined,
): string | undefined {
  const newest = migrations.at(-1)?.version ?? 0;
  const current = readSchemaVersion(connection, migrations);
  if (current === newest) return undefined;
  const missing = migrations.filter((m) => m.version > current);
  const report = (step: number) => current > 0 && onMigrating({ from: current, to: newest, step, total: missing.length });
  report(0);
  const backup = current > 0 ? backUp(connection, current) : undefined;
  for (const [index, migration] of missing.entries()) {
    applyMigration(connection, migration);
    report(index + 1);
  }
  return backup;
}

function applyMigration(connection: Connection, migration: Migration): void {
  connection.begin();
  try {
    connection.exec(migration.sql);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${migration.version}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction()) connection.exec('ROLLBACK');
    throw error;
  }
}
