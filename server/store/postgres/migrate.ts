// Brings a database to the newest schema, or refuses it. Any number of processes may do so at once: one does it, the others wait.
import type pg from 'pg';
import { SCHEMA } from './client-config.ts';
import { isAnswer, unavailable } from './failure.ts';
import type { Migration } from './migrations/list.ts';

/** Names the lock of migrating ("SVCD" in ASCII). */
const LOCK_KEY = 0x53564344;
const MIGRATION_TIMEOUT_MS = 60_000;
const NO_RIGHT = '42501';

interface Found {
  /** Undefined when there is no schema of this name. */
  readonly version: number | undefined;
  /** The schema has tables, and no record of migrations. */
  readonly foreign: boolean;
}

async function look(client: pg.ClientBase): Promise<Found> {
  const { rows } = await client.query<{ tables: number; ours: boolean; present: boolean }>(
    `SELECT to_regnamespace($1) IS NOT NULL AS present, to_regclass($1 || '.schema_migrations') IS NOT NULL AS ours,
       (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r') AS tables`,
    [SCHEMA],
  );
  const [row] = rows;
  if (!row?.present) return { version: undefined, foreign: false };
  if (!row.ours) return { version: 0, foreign: row.tables > 0 };
  const versions = await client.query<{ version: number }>(`SELECT coalesce(max(version), 0) AS version FROM ${SCHEMA}.schema_migrations`);
  return { version: versions.rows[0]?.version ?? 0, foreign: false };
}

function assertOurs({ version = 0, foreign }: Found, newest: number, place: string): void {
  if (foreign) throw unavailable(`the schema ${SCHEMA} of ${place} holds tables of another program; choose another database`);
  if (version <= newest) return;
  throw unavailable(
    `${place} has schema version ${version}, and this server knows versions up to ${newest}; use the newer server, or restore the backup made before its upgrade`,
  );
}

/** The schema version of a database, 0 when it has no tables yet. Throws `unavailable` for a newer schema or foreign tables. */
export async function readSchemaVersion(client: pg.ClientBase, migrations: readonly Migration[], place: string): Promise<number> {
  const found = await look(client);
  assertOurs(found, migrations.at(-1)?.version ?? 0, place);
  return found.version ?? 0;
}

/**
 * Runs the missing migrations in one transaction. Throws `unavailable`, having changed nothing, for a newer schema, foreign tables, and a
 * user without the right to make the schema.
 */
export async function migrate(client: pg.ClientBase, migrations: readonly Migration[], place: string): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0;
  const found = await look(client);
  assertOurs(found, newest, place);
  if (found.version === newest) return;
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${MIGRATION_TIMEOUT_MS}; SET LOCAL statement_timeout = ${MIGRATION_TIMEOUT_MS}`);
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK_KEY]);
    const current = await look(client);
    assertOurs(current, newest, place);
    await apply(client, current.version, migrations);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw isAnswer(error) && error.code === NO_RIGHT ? noRight(place, error) : error;
  }
}

async function apply(client: pg.ClientBase, current: number | undefined, migrations: readonly Migration[]): Promise<void> {
  if (current === undefined) await client.query(`CREATE SCHEMA ${SCHEMA}`);
  await client.query(`SET LOCAL search_path = ${SCHEMA}`);
  await client.query(
    'CREATE TABLE IF NOT EXISTS schema_migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())',
  );
  for (const { version, name, sql } of migrations.filter((m) => m.version > (current ?? 0))) {
    await client.query(sql);
    await client.query('INSERT INTO schema_migrations (version, name) VALUES ($1, $2)', [version, name]);
  }
}

function noRight(place: string, cause: unknown): Error {
  return unavailable(`the user has no right to make or change the schema ${SCHEMA} in ${place}; grant CREATE on the database to it`, cause);
}
