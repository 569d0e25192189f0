// The embedded database as the source of a copy: owned while it is read, checked, and never written. Independent of the target.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { invariant, ServiceError } from '@svc/shared/errors';
import { openConnection } from '../sqlite/connection.ts';
import type { Connection } from '../sqlite/connection.ts';
import { damaged } from '../sqlite/failure.ts';
import { readSchemaVersion } from '../sqlite/migrate.ts';
import { migrations } from '../sqlite/migrations/list.ts';
import { DATABASE_FILE } from '../sqlite/open.ts';
import { acquireOwnerLock } from '../sqlite/owner-lock.ts';
import { columnList } from './tables.ts';
import type { Row, Table } from './tables.ts';

export interface EmbeddedSource {
  /** The database file. */
  readonly path: string;
  count(table: Table): number;
  /** Every row of a table, one at a time. */
  rows(table: Table): IterableIterator<Row>;
  /** The newest change ever appended; pruning does not lower it. */
  changeHead(): number;
  /** Memories whose entries are in files beside the database, as `namespace/name`. */
  embeddedMemories(): string[];
  /** Releases the database, so that a server can start on it. */
  close(): void;
}

/** Servers hold this lock for as long as they run, so that what is read here cannot change meanwhile. */
function takeLock(path: string): () => void {
  try {
    return acquireOwnerLock(path);
  } catch (cause) {
    if (!(cause instanceof ServiceError)) throw damaged(path, cause);
    throw new ServiceError('conflict', `a server is using the database ${path}; stop it first, then copy`, { cause });
  }
}

function assertReadable(connection: Connection): void {
  const newest = migrations.at(-1)?.version ?? 0;
  const version = readSchemaVersion(connection, migrations);
  if (version === 0) throw new ServiceError('not_found', `the database ${connection.path} is empty; there is nothing to copy`);
  if (version < newest) {
    const sentence = `the database ${connection.path} has schema version ${version}, and this program copies version ${newest}; start and stop this version's server on it once, which brings it there and keeps a backup`;
    throw new ServiceError('conflict', sentence);
  }
  const found = connection.prepare<{ quick_check: string }>('PRAGMA quick_check(1)').get()?.quick_check;
  if (found !== 'ok') throw damaged(connection.path, new Error(found));
}

function readerOf(connection: Connection): Omit<EmbeddedSource, 'close'> {
  return {
    path: connection.path,
    count(table) {
      const row = connection.prepare<{ rows: number }>(`SELECT count(*) AS rows FROM ${table.name}`).get();
      invariant(row, 'a count answers with one row');
      return row.rows;
    },
    rows: (table) => connection.prepare<Row>(`SELECT ${columnList(table)} FROM ${table.name}`).iterate(),
    changeHead() {
      return connection.prepare<{ seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'changes'`).get()?.seq ?? 0;
    },
    embeddedMemories: () =>
      connection
        .prepare<{ ref: string }>(
          `SELECT namespace || '/' || name AS ref FROM objects WHERE kind = 'Memory' AND json_extract(doc, '$.spec.provider') = 'embedded' ORDER BY 1`,
        )
        .all()
        .map(({ ref }) => ref),
  };
}

/**
 * Takes the database in `dataDir` from under any server and opens it for reading.
 * Throws `not_found` when there is none, `conflict` when a server uses it or its schema is older, `unavailable` when it is newer, foreign or damaged.
 */
export function openEmbeddedSource(dataDir: string): EmbeddedSource {
  const path = join(resolve(dataDir), DATABASE_FILE);
  if (!existsSync(path)) throw new ServiceError('not_found', `there is no embedded database at ${path}`);
  const release = takeLock(path);
  let connection: Connection | undefined;
  const close = () => {
    connection?.close();
    release();
  };
  try {
    connection = openConnection(path);
    connection.exec('PRAGMA query_only = ON');
    assertReadable(connection);
    // One snapshot for every table, whatever an operator's tool does to the file.
    connection.exec('BEGIN');
    return { ...readerOf(connection), close };
  } catch (error) {
    close();
    throw error;
  }
}
