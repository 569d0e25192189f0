// Tables of the database of one Memory, and the step from an earlier version of them.
import { DatabaseProblem } from './database-problem.ts';
import type { Database } from './statements.ts';

const VERSION = 2;

const VECTORS = `
  CREATE TABLE embeddings (id INTEGER PRIMARY KEY, whole BLOB NOT NULL);
  CREATE TABLE signs (id INTEGER PRIMARY KEY, bits BLOB NOT NULL);
`;

const SCHEMA = `
  CREATE TABLE entries (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value NOT NULL);
  CREATE VIRTUAL TABLE words USING fts5(
    key, value, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2', prefix='3 4 5'
  );
  CREATE TABLE settings (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
  ${VECTORS}
`;

/**
 * Vectors of version 1 were in tables of an extension. They are dropped: entries without a vector are embedded again. The name of the virtual
 * table stays in the schema, as only the extension could drop it; nothing reads it.
 */
const DROP_VERSION_1 = `
  DROP TABLE IF EXISTS vectors_info;
  DROP TABLE IF EXISTS vectors_chunks;
  DROP TABLE IF EXISTS vectors_rowids;
  DROP TABLE IF EXISTS vectors_vector_chunks00;
  DROP TABLE IF EXISTS vectors_vector_chunks01;
  DELETE FROM settings WHERE name = 'dimensions';
`;

/** Creates or updates the tables. Throws DatabaseProblem for a file of a later version. */
export function prepareSchema(db: Database): void {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version === VERSION) return;
  if (version > VERSION) throw new DatabaseProblem('unusable', 'was written by a later version of this service; start that version');
  const change = version === 0 ? SCHEMA : `${DROP_VERSION_1} ${VECTORS}`;
  db.exec(`BEGIN IMMEDIATE; ${change} PRAGMA user_version = ${VERSION}; COMMIT`);
}
